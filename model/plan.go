package model

// A Plan places every buffer of an instance: Offsets[i], in bytes, places
// Buffers[i].
type Plan struct{ Offsets []int64 }

// A Place is where some plan has a buffer.
type Place struct {
	ID, Pool string // Pool is "" where there is one memory space
	Offset   int64  // bytes
}

// Peak is the arena the plan needs, in bytes: max(offset + size) over what has
// bytes. It is derived, never stored. A sum that leaves int64 counts as MaxBytes;
// verify reports it.
func (p Plan) Peak(in *Instance) int64 {
	var peak int64
	for i, off := range p.Offsets {
		if in.Buffers[i].Size == 0 {
			continue // takes no room, wherever it is pinned
		}
		end, ok := Add(max(off, 0), in.Buffers[i].Size)
		if !ok {
			return MaxBytes
		}
		peak = max(peak, end)
	}
	return peak
}

// Moved is the bytes of the buffers that lie elsewhere than they did; old has
// the offsets they had, -1 for none.
func (p Plan) Moved(in *Instance, old []int64) (bytes int64) {
	for i, at := range p.Offsets {
		if old[i] >= 0 && old[i] != at {
			bytes = SaturatingAdd(bytes, in.Buffers[i].Size)
		}
	}
	return bytes
}
