package model

// An Instance is what planners see: buffers to place in one arena.
type Instance struct {
	Name     string
	Buffers  []Buffer
	Pairs    []Pair // buffers that may share bytes
	Capacity int64  // bytes; 0 = none
}

// Bodies lists the bodies of the instance: each untied buffer, in index order,
// followed by the buffers tied to it, in index order. Cost: O(n).
func (in *Instance) Bodies() [][]int {
	bodies := make([][]int, 0, len(in.Buffers))
	flat := make([]int, len(in.Buffers)) // one backing array: most bodies are single
	tied := false
	for i := range in.Buffers {
		if in.Buffers[i].Tie != nil {
			tied = true
			continue
		}
		flat[i] = i
		bodies = append(bodies, flat[i:i+1:i+1])
	}
	if !tied {
		return bodies
	}
	body := make([]int, len(in.Buffers)) // of each root
	for k, b := range bodies {
		body[b[0]] = k
	}
	for i := range in.Buffers {
		if t := in.Buffers[i].Tie; t != nil {
			k := body[t.To]
			bodies[k] = append(bodies[k], i)
		}
	}
	return bodies
}

// Pinned is the number of buffers that are pinned.
func (in *Instance) Pinned() (n int) {
	for i := range in.Buffers {
		if in.Buffers[i].Offset != nil {
			n++
		}
	}
	return n
}

// Sum is the bytes of all buffers, what an arena without reuse takes (before
// alignment), and whether that fits in int64.
func (in *Instance) Sum() (sum int64, ok bool) {
	ok = true
	for i := range in.Buffers {
		var fits bool
		if sum, fits = Add(sum, in.Buffers[i].Size); !fits {
			return MaxBytes, false
		}
	}
	return sum, ok
}

// Pin is where buffer i is pinned, by itself or through the root that it is
// tied to, in bytes; MaxBytes where that leaves int64.
func (in *Instance) Pin(i int) (at int64, pinned bool) {
	b, above := &in.Buffers[i], int64(0)
	if b.Tie != nil {
		b, above = &in.Buffers[b.Tie.To], b.Tie.Delta
	}
	if b.Offset == nil {
		return 0, false
	}
	at, ok := Add(*b.Offset, above)
	if !ok {
		at = MaxBytes
	}
	return at, true
}
