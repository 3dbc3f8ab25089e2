// Package replan plans an instance again after a change: it keeps as many bytes
// as it can where an old plan has them, at a peak no higher than planning afresh
// reaches.
//
// A set of buffers can stay when there is a plan within that peak with these
// pinned. A planner is asked about all of them, and then of what was not found to
// fit together about each half in turn. What would lie on others where it was comes
// last, so that what grew makes way; else the order is that of birth, for what is in
// the way of a change is mostly near it in time.
//
// Approximate: more could perhaps stay where no answer came in time, and another
// choice may move fewer bytes. A program of package ilp finds the fewest. Of 200
// pairs of graphs that differ in one layer (package results, TestReplanning -layers
// 200) 282 of 23,220 buffers move, 233 MB, where planning afresh moves 2,750, 1,544
// MB. In the order of birth alone, whatever lies on what, 343 moved; with many times
// the time for it 318.
package replan

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"memplan/model"
)

// A Planner plans an instance afresh, then moves back what it can.
type Planner struct {
	Fresh model.Planner
	// Quick finds a plan of a given instance at once, if it does. Patient makes a
	// planner that looks for one for a little, ends as soon as a peak is the load, and
	// tells watch of bounds.
	Quick   model.Planner
	Patient func(watch func(model.Point)) model.Planner
	Old     []model.Place // by the names of buffers
	// Fewest, which may be nil, is given the old offset of each buffer, -1 where it
	// has none, a peak and a plan within it. It returns one that moves no more.
	Fewest func(ctx context.Context, in *model.Instance, old []int64, peak int64, plan model.Plan) (model.Plan, error)
	Limit  time.Duration // of Fresh, of moving back, and of Fewest; below 0: none
}

// tests is how many times Quick and Patient are asked, at most.
var tests = struct{ quick, patient int }{256, 32}

// Name is that of the planner that plans afresh.
func (p Planner) Name() string { return p.Fresh.Name() }

// Plan implements model.Planner. Bound and certificate are those of the fresh
// plan, unless a plan at the load keeps all.
func (p Planner) Plan(ctx context.Context, in *model.Instance) (res model.Result, err error) {
	k := &keeping{in: in, old: Old(in, p.Old)}
	if p.within(ctx, func(ctx context.Context) { k.atLoad(ctx, p) }); k.plan.Offsets == nil {
		p.within(ctx, func(ctx context.Context) { res, err = p.Fresh.Plan(ctx, in) })
		if err != nil || res.Plan == nil {
			return res, err
		}
		p.within(ctx, func(ctx context.Context) { k.moveBack(ctx, *res.Plan, p) })
	}
	if p.Fewest != nil {
		p.within(ctx, func(ctx context.Context) { k.plan, err = p.Fewest(ctx, in, k.old, k.plan.Peak(in), k.plan) })
	}
	res.Plan = &k.plan
	return res, err
}

// within does something within the limit.
func (p Planner) within(ctx context.Context, do func(context.Context)) {
	if p.Limit >= 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, p.Limit)
		defer stop()
	}
	do(ctx)
}

// Old lists the old offset of each buffer, by name; -1 where it has none.
func Old(in *model.Instance, places []model.Place) []int64 {
	at := make(map[string]int64, len(places))
	for _, p := range places {
		at[p.ID] = p.Offset
	}
	old := make([]int64, len(in.Buffers))
	for i := range in.Buffers {
		old[i] = -1
		if off, known := at[in.Buffers[i].ID]; known {
			old[i] = off
		}
	}
	return old
}

// keeping is an instance whose buffers are moved back.
type keeping struct {
	in   *model.Instance
	old  []int64
	plan model.Plan
	peak int64  // that no plan is to exceed
	kept []bool // buffers that are to stay

	clashes []int // of each buffer; nil: not counted yet

	ask   func(watch func(model.Point)) model.Planner
	tests int // how many times more it is asked
}

// quickly asks Quick.
func (p Planner) quickly(func(model.Point)) model.Planner { return p.Quick }

// atLoad has all stay in a plan at the load, if one is found.
func (k *keeping) atLoad(ctx context.Context, p Planner) {
	k.start(k.plan, k.in.Load())
	k.stay(k.candidates(), true)
	for _, k.ask = range []func(func(model.Point)) model.Planner{p.quickly, p.Patient} {
		if plan, fits := k.fits(ctx); fits {
			k.plan = plan
			return
		}
	}
}

// moveBack begins with a plan: what is where it was is to stay in a first try, and
// may move to make place for others in a second. From the one that moves fewer bytes
// it goes on with more patience.
func (k *keeping) moveBack(ctx context.Context, fresh model.Plan, p Planner) {
	best, peak := fresh, fresh.Peak(k.in)
	k.ask = p.quickly
	for _, from := range []bool{true, false} {
		k.start(fresh, peak)
		if from {
			k.stay(k.there(true), true)
		}
		k.tests = tests.quick
		if k.keep(ctx, k.candidates()); k.plan.Moved(k.in, k.old) < best.Moved(k.in, k.old) {
			best = k.plan
		}
	}
	k.start(best, peak)
	k.stay(k.there(true), true)
	k.ask, k.tests = p.Patient, tests.patient
	k.keep(ctx, k.there(false))
}

// start begins with a plan in which nothing need stay.
func (k *keeping) start(plan model.Plan, peak int64) {
	k.plan, k.peak, k.kept = plan, peak, make([]bool, len(k.in.Buffers))
}

// there are the candidates that lie where they did, or those that do not.
func (k *keeping) there(yes bool) []int {
	return slices.DeleteFunc(k.candidates(), func(i int) bool { return (k.plan.Offsets[i] == k.old[i]) != yes })
}

// candidates are the roots that lie where an old plan has them by themselves:
// those that are in the way of the fewest others there first, in order of birth.
func (k *keeping) candidates() (list []int) {
	for i := range k.in.Buffers {
		b := &k.in.Buffers[i]
		if at := k.old[i]; at >= 0 && at%b.Alignment() == 0 && b.Offset == nil && b.Tie == nil && at <= model.MaxBytes-b.Size {
			list = append(list, i)
		}
	}
	if k.clashes == nil {
		k.clashes = k.count()
	}
	slices.SortStableFunc(list, func(i, j int) int {
		return cmp.Or(cmp.Compare(k.clashes[i], k.clashes[j]), cmp.Compare(k.in.Buffers[i].Life.Start, k.in.Buffers[j].Life.Start))
	})
	return list
}

// many is up to how many conflicts it is counted who is in whose way.
const many = 1 << 24

// count is for each buffer the number of those that it is in the way of, were all
// where the old plan has them.
func (k *keeping) count() []int {
	clashes := make([]int, len(k.old))
	if k.in.Conflicts() > many {
		return clashes
	}
	for i, j := range k.in.Conflicting() {
		a, b := k.old[i], k.old[j]
		if a >= 0 && b >= 0 && a < model.SaturatingAdd(b, k.in.Buffers[j].Size) && b < model.SaturatingAdd(a, k.in.Buffers[i].Size) {
			clashes[i]++
			clashes[j]++
		}
	}
	return clashes
}

// keep has a group stay where it was, with all that does already; or else of each
// half what can.
func (k *keeping) keep(ctx context.Context, group []int) {
	if len(group) == 0 || k.tests == 0 || ctx.Err() != nil {
		return
	}
	moved := slices.ContainsFunc(group, func(i int) bool { return k.plan.Offsets[i] != k.old[i] })
	k.stay(group, true)
	if !moved {
		return
	}
	if plan, fits := k.fits(ctx); fits {
		k.plan = plan
		return
	}
	k.stay(group, false)
	if half := len(group) / 2; half > 0 {
		k.keep(ctx, group[:half])
		k.keep(ctx, group[half:])
	}
}

// stay says whether a group is to.
func (k *keeping) stay(group []int, kept bool) {
	for _, i := range group {
		k.kept[i] = kept
	}
}

// fits looks for a plan within the peak in which stays what is to. A buffer at a step
// of its own, as large as the peak, makes that the load, with which every planner
// stops.
func (k *keeping) fits(ctx context.Context) (model.Plan, bool) {
	first := int64(math.MaxInt64)
	in := &model.Instance{Name: k.in.Name, Buffers: slices.Clone(k.in.Buffers), Pairs: k.in.Pairs}
	for i := range in.Buffers {
		b := &in.Buffers[i]
		first = min(first, b.Life.Start)
		if k.kept[i] {
			b.Offset = &k.old[i]
			if *b.Offset > k.peak-b.Size {
				return model.Plan{}, false
			}
		}
	}
	if first == math.MinInt64 || len(k.old) == 0 {
		return model.Plan{}, false
	}
	bottom := int64(0)
	in.Buffers = append(in.Buffers, model.Buffer{Life: model.Interval{Start: first - 1, End: first}, Size: k.peak, Offset: &bottom})
	if in.Validate() != nil { // buffers that have grown lie upon others
		return model.Plan{}, false
	}
	k.tests--
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	res, err := k.ask(func(at model.Point) {
		if at.Bound > k.peak {
			stop()
		}
	}).Plan(ctx, in)
	if err != nil || res.Plan == nil || res.Plan.Peak(in) > k.peak {
		return model.Plan{}, false
	}
	return model.Plan{Offsets: res.Plan.Offsets[:len(k.old)]}, true
}
