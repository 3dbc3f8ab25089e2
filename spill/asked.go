package spill

import (
	"cmp"
	"slices"
	"strconv"

	"memplan/model"
)

// ways are the names that proofs have for them.
var ways = [...]model.TrafficWay{Whole: model.WholeValues, Pieces: model.DirectPieces, Staged: model.CopiedPieces}

// asked is what is asked of a task, as a proof of the answer says it.
func (k *task) asked() *model.TrafficQuestion {
	q := &model.TrafficQuestion{Capacity: k.q.Capacity, Way: ways[k.q.Way], Overlap: k.q.Overlap,
		Read: max(k.q.Read, 1), Write: max(k.q.Write, 1), Scratch: make([][]int64, k.steps), Reserved: k.reserved()}
	for s, ops := range k.l.Steps {
		for _, o := range ops {
			q.Scratch[s] = append(q.Scratch[s], k.g.Ops[o].Scratch...)
		}
	}
	for v := range k.values {
		x := &k.values[v]
		y := model.TrafficValue{Bytes: x.size, Align: x.align, Made: x.making, State: x.state, Copied: x.comes, Least: x.least, Moves: x.moves}
		for _, e := range x.events {
			y.Events = append(y.Events, model.TrafficEvent{Step: e.step, Reads: e.reads, Writes: e.writes, Read: e.read, Written: e.wrote, Needed: e.needed})
		}
		q.Values = append(q.Values, y)
	}
	if k.q.Overlap {
		for _, h := range k.pairs(model.Identity(len(k.values)), model.Interval{End: k.steps}) {
			q.Handovers = append(q.Handovers, model.Handover{Step: h.step, Under: h.under, Over: h.over, Distance: h.distance, Lead: h.lead, Given: h.given})
		}
	}
	return q
}

// reserved lists the addresses where nothing is put.
func (k *task) reserved() (list []model.Interval) {
	if len(k.g.Spaces) > 0 {
		list = slices.Clone(k.g.Spaces[0].Reserved)
	}
	slices.SortFunc(list, func(a, b model.Interval) int { return cmp.Compare(a.Start, b.Start) })
	return list
}

// together is the instance of pieces that are all in fast memory, of what must run
// beside them, and of what they may share, as what is asked says.
func (k *task) together(q *model.TrafficQuestion, pieces []model.PresentPiece) *model.Instance {
	in := &model.Instance{Name: k.g.Name, Capacity: q.Capacity}
	ends := make(map[[2]int64]int) // by value and step: the buffer that ends there with its piece
	begins := make(map[[2]int64]int)
	steps := pieces[0].Steps
	around := make(map[int]int) // by value: the buffer of a state that is there at the start
	for _, p := range pieces {
		x := &q.Values[p.Value]
		steps = steps.Hull(p.Steps)
		at := max(p.Steps.Start, 0)
		for at < p.Steps.End {
			end := p.Steps.End
			for _, move := range x.Moves {
				if move > at {
					end = min(end, move)
				}
			}
			j, _ := k.values[p.Value].find(end - 1)
			if end == p.Steps.End {
				ends[[2]int64{int64(p.Value), end}] = len(in.Buffers)
			}
			begins[[2]int64{int64(p.Value), at}] = len(in.Buffers)
			if x.Copied && p.Steps.Start == arrival {
				around[p.Value] = len(in.Buffers)
			}
			in.Buffers = append(in.Buffers, model.Buffer{Life: model.Interval{Start: at, End: end}, Size: x.Events[j].Needed, Align: x.Align})
			at = end
		}
	}
	for _, h := range q.Handovers {
		under, dies := ends[[2]int64{int64(h.Under), h.Step + 1}]
		over, born := begins[[2]int64{int64(h.Over), h.Step}]
		given := slices.ContainsFunc(pieces, func(p model.PresentPiece) bool {
			return h.Given && p.Value == h.Under && p.Steps.Start == arrival && p.Steps.End == h.Step+1
		})
		if dies && born && !given {
			share(in, h, under, over, q)
		}
	}
	for _, p := range pieces {
		if first, begins := around[p.Value]; begins && p.Steps.End == k.steps+1 && p.Steps.Start > arrival {
			join(&in.Buffers[first], &in.Buffers[ends[[2]int64{int64(p.Value), p.Steps.End}]])
		}
	}
	for s := max(steps.Start, 0); s < min(steps.End, k.steps); s++ {
		for _, bytes := range q.Scratch[s] {
			in.Buffers = append(in.Buffers, model.Buffer{Life: model.Interval{Start: s, End: s + 1}, Size: bytes, Align: 1})
		}
	}
	for _, r := range q.Reserved {
		in.Buffers = append(in.Buffers, model.Buffer{Life: model.Interval{End: k.steps + 1}, Size: r.End - r.Start, Align: 1, Offset: &r.Start})
	}
	for i := range in.Buffers {
		in.Buffers[i].ID = strconv.Itoa(i)
	}
	return in
}

// join makes one of the buffers of a state at the start of a run and at its end, which
// are at one place; the second is left without bytes.
func join(a, b *model.Buffer) {
	if a.Size == 0 || b.Size == 0 {
		return
	}
	if a.Life.End < b.Life.Start {
		a.Gaps = []model.Interval{{Start: a.Life.End, End: b.Life.Start}}
	}
	a.Life.End, b.Size = b.Life.End, 0
}

// share lets a result lie over an operand. Where part of either is gone it is not
// known which, nor what a state's copy may share, and the operand counts as dead a step
// before.
func share(in *model.Instance, h model.Handover, under, over int, q *model.TrafficQuestion) {
	a, b := &in.Buffers[under], &in.Buffers[over]
	switch {
	case a.Size == 0 || b.Size == 0 || a.Life.End != h.Step+1:
		return
	case a.Size == q.Values[h.Under].Bytes && b.Size == q.Values[h.Over].Bytes && !q.Values[h.Under].Copied && !q.Values[h.Over].Copied:
	case a.Life.End-a.Life.Start > 1:
		a.Life.End--
		return
	default:
		a.Size = 0
		return
	}
	p := model.Pair{Over: over, Under: under, Distance: h.Distance, Equal: !h.Lead}
	for k := range in.Pairs {
		if x := &in.Pairs[k]; x.Over == over && x.Under == under && x.Equal == p.Equal && (h.Lead || x.Distance == p.Distance) {
			x.Distance = min(x.Distance, p.Distance)
			return
		}
	}
	in.Pairs = append(in.Pairs, p)
}
