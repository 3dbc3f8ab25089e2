package heuristics

import (
	"cmp"
	"context"
	"slices"

	"memplan/model"
)

// ByConflicts is approximate. Order: number of conflicting buffers descending
// (of a body: the sum over its members), then index. Fit: first or best.
// Cost: O(n log n + m). Guarantee: none.
// Source: the order of TVM's greedy_by_conflicts, with a search for holes.
type ByConflicts struct{ Fit Fit }

func (p ByConflicts) Name() string { return "conflicts-" + p.Fit.String() }
func (p ByConflicts) Definition() string {
	return "number of conflicts descending; " + p.Fit.rule()
}

func (p ByConflicts) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	return list(ctx, in, byConflicts, p.Fit)
}

func byConflicts(t *draft, items []item) {
	sortByKey(items, t.perBody(t.conflicts))
}

// conflicts is the number of conflicts of each buffer.
func (t *draft) conflicts() []wide {
	return degrees(t.in, func(*model.Buffer) uint64 { return 1 })
}

// ByContention is approximate. Order: bytes of the conflicting buffers
// descending (of a body: the sum over its members), then index. Fit: first or
// best. Cost: O(n log n + m). Guarantee: none.
// Source: the contention orders of TelaMalloc (Maas et al. 2022).
type ByContention struct{ Fit Fit }

func (p ByContention) Name() string { return "contention-" + p.Fit.String() }
func (p ByContention) Definition() string {
	return "bytes of all conflicting buffers descending; " + p.Fit.rule()
}

func (p ByContention) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	return list(ctx, in, byContention, p.Fit)
}

func byContention(t *draft, items []item) {
	sortByKey(items, t.perBody(t.contention))
}

// contention is, for each buffer, the bytes of those it conflicts with.
func (t *draft) contention() []wide {
	return degrees(t.in, func(b *model.Buffer) uint64 { return uint64(b.Size) })
}

// sortByKey orders items by their bodies' keys, largest first, then index.
func sortByKey(items []item, key []wide) {
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(key[b.body].compare(key[a.body]), cmp.Compare(a.body, b.body))
	})
}

// perBody sums what of gives for each buffer over the members of each body.
func (t *draft) perBody(of func() []wide) []wide {
	each := of()
	key := make([]wide, len(t.bodies))
	for k, b := range t.bodies {
		for _, i := range b {
			key[k] = key[k].plus(each[i])
		}
	}
	return key
}

// degrees is, for each buffer, the weight of all buffers it conflicts with.
// Cost: O(n log n); where buffers have gaps, the number of conflicts.
func degrees(in *model.Instance, weight func(*model.Buffer) uint64) []wide {
	key := make([]wide, len(in.Buffers))
	if slices.ContainsFunc(in.Buffers, func(b model.Buffer) bool { return len(b.Gaps) > 0 }) {
		for i, j := range in.Conflicting() {
			key[i] = key[i].plus(wide{lo: weight(&in.Buffers[j])})
			key[j] = key[j].plus(wide{lo: weight(&in.Buffers[i])})
		}
		return key
	}
	born := tally(in, weight, func(b *model.Buffer) int64 { return b.Life.Start })
	died := tally(in, weight, func(b *model.Buffer) int64 { return b.Life.End })
	for i := range in.Buffers {
		if b := &in.Buffers[i]; b.Size > 0 {
			key[i] = born.before(b.Life.End).minus(died.before(b.Life.Start + 1)).minus(wide{lo: weight(b)})
		}
	}
	return key
}

// A prefix answers how much weight lies before a step.
type prefix struct {
	steps []int64
	sums  []wide // sums[i] is the weight at steps[:i]
}

// tally sums the weights of the buffers with bytes by the step that at gives.
func tally(in *model.Instance, weight func(*model.Buffer) uint64, at func(*model.Buffer) int64) prefix {
	type mark struct {
		step   int64
		weight uint64
	}
	marks := make([]mark, 0, len(in.Buffers))
	for i := range in.Buffers {
		if b := &in.Buffers[i]; b.Size > 0 {
			marks = append(marks, mark{at(b), weight(b)})
		}
	}
	slices.SortFunc(marks, func(a, b mark) int { return cmp.Compare(a.step, b.step) })
	p := prefix{make([]int64, len(marks)), make([]wide, len(marks)+1)}
	for i, m := range marks {
		p.steps[i], p.sums[i+1] = m.step, p.sums[i].plus(wide{lo: m.weight})
	}
	return p
}

// before is the weight at steps below step.
func (p prefix) before(step int64) wide {
	i, _ := slices.BinarySearch(p.steps, step)
	return p.sums[i]
}
