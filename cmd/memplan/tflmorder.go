package main

import (
	"fmt"
	"slices"
	"strings"

	"memplan/model/graph"
	"memplan/model/schedule"
	"memplan/model/tflite"
)

// An orderedPlan is an order of a model's operators, and the best plan for it.
type orderedPlan struct {
	order   []int        // by their numbers in the file
	ordered *tflite.File // the file in that order
	arena   *tflite.Arena
	choice  tflite.Choice
}

// planOrders plans the file in the order that it has, then in others that may
// take fewer bytes, and keeps the best: of equals the first.
func (e *env) planOrders(r *tflmReport, name string, o *tflmFlags) error {
	kind, err := schedule.Parse(o.schedule)
	if err != nil {
		return fail(exitUsage, "%w", err)
	}
	kinds := []schedule.Kind{schedule.Given, kind}
	if kind == schedule.Optimal {
		kinds = []schedule.Kind{schedule.Given, schedule.Optimal, schedule.Memory, schedule.DepthFirst, schedule.Kahn}
	}
	var tried [][]int
	for _, k := range kinds {
		order, bound, err := r.file.Order(r.opt, graph.LowerOptions{Schedule: k})
		if err != nil {
			return err
		}
		if kind != schedule.Given {
			r.Order = max(r.Order, bound)
		}
		if slices.ContainsFunc(tried, func(other []int) bool { return slices.Equal(order, other) }) {
			continue
		}
		tried = append(tried, order)
		if err := e.planInOrder(r, name, order, o); err != nil && k == schedule.Given {
			return err
		} else if err != nil {
			r.Notes = append(r.Notes, err.Error())
			break
		}
	}
	if r.Order > 0 && r.file.Fixed() {
		r.Order = max(r.Order, r.choice.Bound)
	}
	return nil
}

// planInOrder plans the file in one order, and keeps that where it is better. TFLM's
// own plan of the first order is what the file takes without one.
func (e *env) planInOrder(r *tflmReport, name string, order []int, o *tflmFlags) error {
	p := orderedPlan{order: order}
	var err error
	if p.ordered, err = r.file.Reordered(order); err != nil {
		return err
	}
	opt := r.opt
	opt.Scratch = opt.Scratch.Reorder(order)
	if p.arena, err = p.ordered.Arena(opt); err != nil {
		return err
	}
	p.arena.Instance.Name = name
	if r.arena != nil && p.arena.Instance.Load() >= r.choice.Head {
		return nil
	}
	progress := e.progress()
	p.choice, err = p.arena.Best(e.ctx, o.search(progress.point))
	progress.done()
	if err != nil {
		return fail(exitInternal, "%w", err)
	}
	if r.arena == nil {
		r.Own = p.choice.Own
	} else if p.choice.Head >= r.choice.Head {
		return nil
	}
	r.orderedPlan = p
	return nil
}

// moved counts the operators that run in another place than in the file.
func (p *orderedPlan) moved() (n int) {
	for j, k := range p.order {
		if j != k {
			n++
		}
	}
	return n
}

// operators names the operators in their order, each with its number in the file.
func (p *orderedPlan) operators() []string {
	names := make([]string, len(p.order))
	for j, k := range p.order {
		names[j] = fmt.Sprintf("%d:%s", k, p.ordered.Subgraphs[0].Ops[j].Name())
	}
	return names
}

// inOrder says in words what became of the order; "" where it stays and nothing
// is known of others.
func (r *tflmReport) inOrder() string {
	var parts []string
	if n := r.moved(); n > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d operators moved", n, len(r.order)))
	} else if r.Order > 0 {
		parts = append(parts, "as it is")
	}
	switch {
	case r.Order > 0 && *r.Peak <= r.Order:
		parts = append(parts, "no order does better")
	case r.Order > 0:
		parts = append(parts, fmt.Sprintf("no order takes less than %d", r.Order))
	}
	const most = 6
	n := 0
	for j, k := range r.order {
		if j == k {
			continue
		}
		if n++; n <= most {
			parts = append(parts, fmt.Sprintf("%d was %d %s", j, k, r.ordered.Subgraphs[0].Ops[j].Name()))
		}
	}
	if n > most {
		parts = append(parts, fmt.Sprintf("and %d more, which --json names", n-most))
	}
	return strings.Join(parts, ", ")
}
