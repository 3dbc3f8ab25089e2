package tflite

import (
	"context"
	"errors"
	"fmt"
	"math"

	"memplan/model"
)

// A Search is how Arena.Best looks for a plan.
type Search struct {
	Greedy   model.Planner   // TFLM's own rule
	Planners []model.Planner // asked in turn, until one is known to be best
	// Solve runs a planner, and checks what it says.
	Solve func(context.Context, model.Planner, *model.Instance) (model.Result, error)
}

// A Choice is the best plan found for an arena.
type Choice struct {
	Offsets     []int32 // the plan, for File.WithPlan
	Layout      model.Plan
	Head        int64              // bytes, as TFLM will report
	Whole       model.Plan         // of Apart, scratch placed too: never above Head
	Own         int64              // bytes that TFLM takes without a plan
	Bound       int64              // no plan takes less
	Certificate *model.Certificate // of Instance
	Planner     string             // whose plan it is
}

// Best asks the planners for the plan with the smallest head. What counts is
// not a plan's peak but what TFLM makes of it: scratch is not in a file's plan,
// TFLM fits it around. The choice is never worse than TFLM's own.
func (a *Arena) Best(ctx context.Context, s Search) (Choice, error) {
	own, err := a.Layout(ctx, s.Greedy, nil)
	if err != nil {
		return Choice{}, err
	}
	best := Choice{Own: a.Head(own), Head: math.MaxInt64, Whole: own}
	planners := s.Planners
	if len(a.kept) == 0 {
		err = a.consider(ctx, s, &best, a.fixed(own), s.Greedy.Name())
	} else { // its own plan does not keep them
		best.Whole = a.stacked()
		planners = append([]model.Planner{s.Greedy}, planners...)
	}
	if err != nil {
		return Choice{}, err
	}
	for _, p := range planners {
		if best.Head <= best.Bound || ctx.Err() != nil {
			break
		}
		if err := a.ask(ctx, s, &best, p); err != nil {
			return Choice{}, fmt.Errorf("%s: %w", p.Name(), err)
		}
	}
	if best.Offsets == nil {
		return Choice{}, errors.New("TFLM puts scratch onto the inputs that are to be kept, with every plan that was tried")
	}
	return best, nil
}

// stacked is a plan of Apart in which nothing shares bytes. Sizes are aligned.
func (a *Arena) stacked() model.Plan {
	p := model.Plan{Offsets: make([]int64, len(a.Apart.Buffers))}
	top := int64(0)
	for i := range p.Offsets {
		p.Offsets[i] = top
		top = model.SaturatingAdd(top, a.Apart.Buffers[i].Size)
	}
	return p
}

// keepsInputs reports whether nothing overwrites the inputs that are to be kept,
// in a layout that TFLM makes: it may put scratch where their life ends for it.
func (a *Arena) keepsInputs(layout model.Plan) bool {
	for _, i := range a.kept {
		b := &a.Apart.Buffers[i]
		for j := range a.Apart.Buffers {
			o := &a.Apart.Buffers[j]
			family := a.shared[i] != absent && a.shared[i] == a.shared[j] && layout.Offsets[i] == layout.Offsets[j]
			if j != i && !family && b.Conflicts(o) && layout.Offsets[i] < layout.Offsets[j]+o.Size && layout.Offsets[j] < layout.Offsets[i]+b.Size {
				return false
			}
		}
	}
	return true
}

// ask has a planner improve the best plan.
func (a *Arena) ask(ctx context.Context, s Search, best *Choice, p model.Planner) error {
	res, err := s.Solve(ctx, p, a.Instance)
	if err != nil {
		return err
	}
	if res.Bound > best.Bound {
		best.Bound, best.Certificate = res.Bound, res.Certificate
	}
	if res.Plan == nil || res.Plan.Peak(a.Instance) >= best.Head {
		return nil
	}
	whole := a.whole(*res.Plan)
	if a.Head(whole) < a.Head(best.Whole) {
		best.Whole = whole
	}
	return a.consider(ctx, s, best, a.fixed(whole), p.Name())
}

// consider keeps a plan whose head is smaller than the best so far.
func (a *Arena) consider(ctx context.Context, s Search, best *Choice, offsets []int32, planner string) error {
	layout, err := a.Layout(ctx, s.Greedy, offsets)
	if err != nil {
		return err
	}
	if head := a.Head(layout); head < best.Head && a.keepsInputs(layout) {
		best.Offsets, best.Layout, best.Head, best.Planner = offsets, layout, head, planner
		if head < a.Head(best.Whole) {
			best.Whole = layout
		}
	}
	return nil
}
