package heuristics

import (
	"cmp"
	"context"
	"slices"

	"memplan/model"
)

// SharedBySize is approximate. Order: size descending, then index. Rule: each
// buffer joins the smallest shared object that is as large and free during its
// life, else makes a new one; objects are stacked in the order of their making.
// Cost: O(n (k + p) log n) for p objects. Guarantee: none.
// Source: greedy by size for shared objects, Pisarchyk and Lee 2020; TensorFlow Lite's GPU delegate.
type SharedBySize struct{}

func (SharedBySize) Name() string { return "shared-by-size" }
func (SharedBySize) Definition() string {
	return "by size descending into shared objects: the smallest free one that is as large; stacked"
}

func (SharedBySize) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	return share(ctx, in, tightest, func(_ *draft, items []item) {
		slices.SortFunc(items, func(a, b item) int {
			return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.body, b.body))
		})
	})
}

// SharedByBreadth is approximate. Order: that of [Breadth]. Rule: the smallest
// shared object that is as large and free, else the largest that is free, which
// grows, else a new one; objects are stacked in the order of their making.
// Cost: O(n (k + p) log n) for p objects. Guarantee: none.
// Source: greedy by breadth for shared objects, Pisarchyk and Lee 2020;
// TensorFlow Lite's GPU delegate.
type SharedByBreadth struct{}

func (SharedByBreadth) Name() string { return "shared-by-breadth" }
func (SharedByBreadth) Definition() string {
	return "widest steps first into shared objects: the smallest free one that is as large, else the largest, which grows; stacked"
}

func (SharedByBreadth) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	return share(ctx, in, tightest, byBreadth)
}

// SharedByClosestSize is approximate. Order: birth, then index. Rule: the free
// shared object whose size is closest, the first of equals, which grows if it
// is smaller, else a new one; objects are stacked in the order of their making.
// Cost: O(n p log n) for p objects. Guarantee: none.
// Source: the greedy planner of early releases of ExecuTorch.
type SharedByClosestSize struct{}

func (SharedByClosestSize) Name() string { return "shared-by-closest-size" }
func (SharedByClosestSize) Definition() string {
	return "in birth order into shared objects: the free one of the closest size, which may grow; stacked"
}

func (SharedByClosestSize) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	return share(ctx, in, closest, byBirth)
}

// An object is bytes that bodies share one after another.
type object struct {
	size    int64            // of the largest tenant
	tenants group            // in the order of joining
	busy    []model.Interval // their lives, in order of time
}

// free reports whether no tenant is live during life, and where among the
// tenants' lives it belongs.
func (o *object) free(life model.Interval) (at int, ok bool) {
	at, _ = slices.BinarySearchFunc(o.busy, life.Start, func(v model.Interval, start int64) int {
		return cmp.Compare(v.Start, start)
	})
	return at, (at == 0 || o.busy[at-1].End <= life.Start) && (at == len(o.busy) || life.End <= o.busy[at].Start)
}

// share gives each body, in order, to the free object that prefer ranks first,
// and stacks the objects.
func share(ctx context.Context, in *model.Instance, prefer func(size, a, b int64) bool, by order) (model.Result, error) {
	t := newDraft(in)
	items := t.withBytes(t.items())
	by(t, items)
	var objects []object
	for n, it := range items {
		if n%1024 == 0 && ctx.Err() != nil {
			return model.Result{Stats: model.Stats{Placements: t.count}}, nil
		}
		best, slot := -1, 0
		for k := len(objects) - 1; k >= 0; k-- { // the first of equals; the latest are the emptiest
			if best >= 0 && prefer(it.size, objects[best].size, objects[k].size) {
				continue
			}
			if at, ok := objects[k].free(it.life); ok {
				best, slot = k, at
			}
		}
		if best < 0 {
			best, slot = len(objects), 0
			objects = append(objects, object{})
		}
		o := &objects[best]
		o.size = max(o.size, it.size)
		o.tenants = append(o.tenants, it.body)
		o.busy = slices.Insert(o.busy, slot, it.life)
	}
	groups := make([]group, len(objects))
	for k := range objects {
		groups[k] = objects[k].tenants
	}
	return t.stack(ctx, groups)
}

// tightest prefers an object of a bytes to one of b: the smaller of those that
// hold size, else the larger.
func tightest(size, a, b int64) bool {
	if b >= size {
		return a >= size && a < b
	}
	return a > b
}

// closest prefers the object whose size differs less.
func closest(size, a, b int64) bool {
	apart := func(x int64) int64 { return max(x-size, size-x) }
	return apart(a) < apart(b)
}
