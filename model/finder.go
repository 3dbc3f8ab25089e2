package model

// A Finder finds the buffers of an instance by their ids, which differ: at once
// where they are asked for in order, else by a map.
type Finder struct {
	in    *Instance
	next  int
	index map[string]int // nil until it is needed
}

// NewFinder finds the buffers of in. Cost: O(1), and O(n) once ids are asked for in
// another order.
func NewFinder(in *Instance) *Finder { return &Finder{in: in} }

// Buffer is the index of the buffer of that id, and whether there is one.
func (f *Finder) Buffer(id string) (i int, known bool) {
	if f.next < len(f.in.Buffers) && f.in.Buffers[f.next].ID == id {
		i, known = f.next, true
	} else {
		i, known = f.search(id)
	}
	if known {
		f.next = i + 1
	}
	return i, known
}

func (f *Finder) search(id string) (i int, known bool) {
	if f.index == nil {
		f.index = make(map[string]int, len(f.in.Buffers))
		for i := range f.in.Buffers {
			f.index[f.in.Buffers[i].ID] = i
		}
	}
	i, known = f.index[id]
	return i, known
}
