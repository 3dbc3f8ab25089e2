package canonical

import (
	"cmp"
	"slices"
)

// universal lists buffers that some best plan has at the bottom, one on the
// other: those that conflict with all others of their piece of the instance.
// In any plan what lies below such a buffer can be moved up by its size, and
// the buffer to the bottom. Removing it may leave the rest in pieces, for each of
// which the same holds. With a pin, or an alignment that does not divide all
// sizes, nothing may be moved, and the list is empty.
func (p *Problem) universal() (base []int32) {
	for i := range p.size {
		if p.pin[i] >= 0 || p.unit%p.align[i] != 0 {
			return nil
		}
	}
	gone := make([]bool, len(p.size))
	left := make([]int32, len(p.size)) // conflicts left
	for i, near := range p.near {
		left[i] = int32(len(near))
	}
	todo := pieces(seq(len(p.size)), p.spans)
	for len(todo) > 0 {
		piece := todo[0]
		todo = todo[1:]
		u := slices.IndexFunc(piece, func(i int32) bool { return int(left[i]) == len(piece)-1 })
		if u < 0 || len(piece) == 1 {
			continue
		}
		i := piece[u]
		gone[i] = true
		base = append(base, i)
		for _, j := range p.near[i] {
			left[j]--
		}
		todo = append(todo, pieces(slices.Delete(piece, u, u+1), p.spans)...)
	}
	return base
}

// pieces divides buffers with these spans into sets between which there are no
// conflicts; each is in ascending order. It reorders bufs.
func pieces(bufs []int32, spans [][]span) [][]int32 {
	first := func(i int32) int32 { return spans[i][0].lo }
	end := func(i int32) int32 { return spans[i][len(spans[i])-1].hi }
	slices.SortFunc(bufs, func(a, b int32) int { return cmp.Or(cmp.Compare(first(a), first(b)), cmp.Compare(a, b)) })
	var out [][]int32
	for len(bufs) > 0 {
		k, reach := 1, end(bufs[0])
		for ; k < len(bufs) && first(bufs[k]) < reach; k++ {
			reach = max(reach, end(bufs[k]))
		}
		slices.Sort(bufs[:k])
		out = append(out, bufs[:k:k])
		bufs = bufs[k:]
	}
	return out
}
