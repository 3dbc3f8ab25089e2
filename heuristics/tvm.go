package heuristics

import (
	"cmp"
	"context"
	"slices"

	"memplan/model"
)

// TVMBySize is approximate. Order: size descending, then number of conflicts
// descending, then index. Fit: none; on top of the highest conflicting buffer
// placed before, though holes below it be large enough.
// Cost: O(n log n + m). Guarantee: none.
// Source: TVM's unified static memory planner, greedy_by_size. There the
// name decides last, and the neighbour's alignment is used; here its own.
type TVMBySize struct{}

func (TVMBySize) Name() string { return "tvm-by-size" }
func (TVMBySize) Definition() string {
	return "size, then number of conflicts descending; " + onTop.rule()
}

func (TVMBySize) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	return list(ctx, in, tvmBySize, onTop)
}

func tvmBySize(t *draft, items []item) {
	degree := t.perBody(t.conflicts)
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(b.size, a.size), degree[b.body].compare(degree[a.body]), cmp.Compare(a.body, b.body))
	})
}

// TVMByConflicts is [TVMBySize] with the order: number of conflicts descending,
// then size descending, then index.
// Cost: O(n log n + m). Guarantee: none.
// Source: TVM's unified static memory planner, greedy_by_conflicts.
type TVMByConflicts struct{}

func (TVMByConflicts) Name() string { return "tvm-by-conflicts" }
func (TVMByConflicts) Definition() string {
	return "number of conflicts, then size descending; " + onTop.rule()
}

func (TVMByConflicts) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	return list(ctx, in, tvmByConflicts, onTop)
}

func tvmByConflicts(t *draft, items []item) {
	degree := t.perBody(t.conflicts)
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(degree[b.body].compare(degree[a.body]), cmp.Compare(b.size, a.size), cmp.Compare(a.body, b.body))
	})
}
