package ilp

import (
	"cmp"
	"slices"

	"memplan/model"
	"memplan/model/reduce"
)

// A symmetry is what can be assumed of a plan without losing its peak: an
// order in each class of twins, and, where plans can be turned upside down, in
// one pair.
//
// Turning a plan of peak c over (o to c - o - z) keeps its conflicts apart, but
// not alignments, pins and the distances of ties: with any of those there is
// no flip. The pair must touch no twin: twins are put in order first, then the
// plan is turned over if the pair wants it, then the twins are put in order
// again, which leaves the pair alone.
type symmetry struct {
	twins [][]int
	flip  []int // the pair, lower first; nil: none
}

func symmetries(in *model.Instance) symmetry {
	s := symmetry{twins: in.Twins()}
	twin := make([]bool, len(in.Buffers))
	for _, class := range s.twins {
		for _, i := range class {
			twin[i] = true
		}
	}
	if slices.ContainsFunc(in.Buffers, func(b model.Buffer) bool { return b.Alignment() > 1 || b.Offset != nil || b.Tie != nil }) {
		return s
	}
	var most int64
	for i, near := range in.Neighbours() {
		for _, j := range near {
			if size := in.Buffers[i].Size + in.Buffers[j].Size; i < int(j) && !twin[i] && !twin[j] && size > most {
				most, s.flip = size, []int{i, int(j)}
			}
		}
	}
	return s
}

// orders is what the symmetry assumes.
func (s symmetry) orders() (given []reduce.Order) {
	for _, class := range append(slices.Clone(s.twins), s.flip) {
		for k := 1; k < len(class); k++ {
			given = append(given, reduce.Order{Lower: int32(class[k-1]), Upper: int32(class[k])})
		}
	}
	return given
}

// arrange gives a plan of the same peak that has the assumed orders.
func (s symmetry) arrange(in *model.Instance, plan model.Plan) model.Plan {
	at := slices.Clone(plan.Offsets)
	if s.flip != nil && at[s.flip[0]] > at[s.flip[1]] {
		peak := plan.Peak(in)
		for i := range at {
			at[i] = peak - at[i] - in.Buffers[i].Size
		}
	}
	for _, class := range s.twins {
		offsets := make([]int64, len(class))
		for k, i := range class {
			offsets[k] = at[i]
		}
		slices.SortFunc(offsets, cmp.Compare)
		for k, i := range class {
			at[i] = offsets[k]
		}
	}
	return model.Plan{Offsets: at}
}
