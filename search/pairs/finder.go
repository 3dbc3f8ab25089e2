package pairs

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"memplan/model"
)

// A Finder looks for plans of an instance with pairs: bodies are placed first
// fit in an order, and the order is changed a little at a time, where what comes
// of it is no worse; after a while without success from a shuffled best. It
// implements model.Engine, and proves nothing. Units of work are about a
// microsecond. The same seed gives the same plans.
type Finder struct {
	Instance *model.Instance
	Seed     int64

	fitter *fitter
	rand   *rand.Rand
	order  []int32 // the present one
	peak   int64
	best   []int32
	least  int64
	idle   int // tries since the present order came to a lower peak
	starts int // of the orders to begin with, how many have been tried
}

const (
	maxFound  = 4000 // buffers; beyond it a placement takes too long
	placement = 30   // a unit of work is so many comparisons of a placement
)

// Name is "finder".
func (f *Finder) Name() string { return "finder" }

// Run implements model.Engine.
func (f *Finder) Run(ctx context.Context, known model.Result, work int64) (found model.Finding, err error) {
	if len(f.Instance.Buffers) > maxFound || len(f.Instance.Buffers) == 0 {
		return model.Finding{Done: true}, nil
	}
	f.begin()
	peak := int64(model.MaxBytes)
	if known.Plan != nil {
		peak = known.Plan.Peak(f.Instance)
		f.learn(known.Plan, peak)
	}
	for f.fitter.work < work*placement && peak > known.Bound && ctx.Err() == nil {
		if f.try() && f.peak < peak {
			peak = f.peak
			found.Plan = &model.Plan{Offsets: slices.Clone(f.fitter.at)}
		}
		found.Stats.Placements++
	}
	found.Work, f.fitter.work = f.fitter.work/placement, 0
	return found, nil
}

func (f *Finder) begin() {
	if f.fitter != nil {
		return
	}
	f.fitter = newFitter(f.Instance)
	f.rand = rand.New(rand.NewPCG(uint64(f.Seed), 1))
	f.peak, f.least = model.MaxBytes, model.MaxBytes
}

// learn begins anew with the order of a plan that is better than what is known.
func (f *Finder) learn(p *model.Plan, peak int64) {
	if peak >= f.least {
		return
	}
	f.order = f.byKey(func(body []int) (int64, int64) { return p.Offsets[body[0]], -f.Instance.Buffers[body[0]].Life.Start })
	f.best, f.least, f.peak, f.idle = slices.Clone(f.order), peak, peak, 0
}

// byKey orders the bodies.
func (f *Finder) byKey(key func(body []int) (int64, int64)) []int32 {
	order := make([]int32, len(f.fitter.bodies))
	for k := range order {
		order[k] = int32(k)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		x, x2 := key(f.fitter.bodies[a])
		y, y2 := key(f.fitter.bodies[b])
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(x2, y2))
	})
	return order
}

// try places one more order, and reports whether it is a plan.
func (f *Finder) try() bool {
	next := f.next()
	peak, ok := f.fitter.fit(next)
	f.fitter.work++
	f.idle++
	if !ok || peak > f.peak {
		return ok
	}
	if peak < f.peak {
		f.idle = 0
	}
	f.order, f.peak = next, peak
	if peak < f.least {
		f.best, f.least = slices.Clone(next), peak
	}
	return true
}

// next is the order to try: one of the usual ones to begin with, then the
// present one with a body or two elsewhere.
func (f *Finder) next() []int32 {
	b := f.Instance.Buffers
	switch f.starts++; f.starts {
	case 1:
		return f.byKey(func(body []int) (int64, int64) { return -b[body[0]].Size, b[body[0]].Life.Start })
	case 2:
		return f.byKey(func(body []int) (int64, int64) { return -b[body[0]].Life.Start, -b[body[0]].Size })
	case 3:
		return f.byKey(func(body []int) (int64, int64) { return b[body[0]].Life.Start, -b[body[0]].Size })
	}
	if f.idle > 50*len(f.order)+200 {
		f.order, f.peak, f.idle = slices.Clone(f.best), model.MaxBytes, 0
		for range 1 + f.rand.IntN(1+len(f.order)/2) {
			f.move(f.order)
		}
		return f.order
	}
	order := slices.Clone(f.order)
	for range 1 + f.rand.IntN(3) {
		f.move(order)
	}
	return order
}

// move takes one body to another place in the order.
func (f *Finder) move(order []int32) {
	from, to := f.rand.IntN(len(order)), f.rand.IntN(len(order))
	k := order[from]
	if from < to {
		copy(order[from:to], order[from+1:to+1])
	} else {
		copy(order[to+1:from+1], order[to:from])
	}
	order[to] = k
}
