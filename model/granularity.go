package model

// Rounded returns the instance with every size rounded up to a multiple of the
// granularity, which is at least 1, as allocators do that hand out blocks; and
// the bytes that each buffer wastes by it. Tied buffers keep their sizes: they
// lie inside others. A rounded size that leaves int64, or that makes a pinned
// buffer reach into another, is a fault.
func (in *Instance) Rounded(granularity int64) (*Instance, []int64, error) {
	rounded := &Instance{Name: in.Name, Buffers: append([]Buffer(nil), in.Buffers...), Pairs: in.Pairs, Capacity: in.Capacity}
	waste := make([]int64, len(in.Buffers))
	for i := range rounded.Buffers {
		b := &rounded.Buffers[i]
		if b.Tie != nil {
			continue
		}
		size, ok := AlignUp(b.Size, granularity)
		if !ok {
			return nil, nil, &Fault{i, b.ID, "its size, rounded to the granularity, does not fit in int64"}
		}
		waste[i], b.Size = size-b.Size, size
	}
	return rounded, waste, rounded.Validate()
}
