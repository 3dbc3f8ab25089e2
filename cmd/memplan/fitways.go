package main

import (
	"context"
	"slices"
	"time"

	"memplan/model"
	"memplan/model/schedule"
	"memplan/results"
	"memplan/spill"
	"memplan/verify"
)

// An ordered graph is one in an order of its operators that fit may take.
type ordered struct {
	name string
	src  *source
	all  int64 // no order that this stands for has a smaller load
}

// A wayOut is one way to make a graph fit, and what came of it.
type wayOut struct {
	name   string // order, whole, spill; "" as it is
	order  string
	peak   *int64 // without slow memory: the best that was found
	least  int64  // the bound of that
	all    int64  // that of all orders that may be taken, where this row stands for them
	proof  string
	answer *spill.Answer // with slow memory
	alone  []spill.Operator
	src    *source
}

// fitSlow asks for each order what is moved at least in one way.
func (e *env) fitSlow(ctx context.Context, name string, orders []ordered, o *fitFlags) (ways []wayOut, err error) {
	for _, order := range orders {
		w, err := e.with(ctx, name, order, o)
		if err != nil {
			return nil, err
		}
		ways = append(ways, w)
		if w.answer.None != nil {
			break // what an operator needs alone it needs in every order
		}
	}
	return ways, nil
}

// anyOrder asks what is moved at least in whatever order, in the way that may do
// more. It takes a quarter of the time at most.
func (e *env) anyOrder(ctx context.Context, ways []wayOut, given ordered, o *fitFlags) ([]wayOut, error) {
	name := "whole"
	if o.has("spill") {
		name = "spill"
	}
	known := best(slices.DeleteFunc(slices.Clone(ways), func(w wayOut) bool { return w.name != name }), o.capacity.bytes)
	if known == nil {
		return nil, nil
	}
	if limit := time.Duration(o.solver.time); limit >= 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, limit/4)
		defer stop()
	}
	q := o.question(given.src, name)
	answer, err := results.FitOrder(ctx, q, o.solver.settings(nil), known.answer)
	if err != nil {
		return nil, notAsked(given.src.task.Name, err)
	}
	if answer == nil {
		return nil, nil
	}
	w := wayOut{name: name, order: "any", src: given.src, answer: answer}
	return []wayOut{w}, w.prove(ctx, q, o)
}

// orders are the graph as it is given, and in the order of least load.
func (o *fitFlags) orders(src *source) ([]ordered, error) {
	g := *src.graph.Graph
	if !o.has("overlap") {
		g.Ops = slices.Clone(g.Ops)
		for k := range g.Ops {
			g.Ops[k].InPlace, g.Ops[k].Overlap = nil, nil
		}
	}
	given, err := lowered(&g, o.lower)
	if err != nil || !o.has("order") {
		return []ordered{{src.how.Schedule.String(), given, model.MaxBytes}}, err
	}
	flags := o.lower
	flags.schedule = schedule.Optimal.String()
	best, err := lowered(&g, flags)
	if err != nil {
		return nil, err
	}
	if slices.EqualFunc(best.graph.Steps, given.graph.Steps, slices.Equal) {
		return []ordered{{"given", given, best.graph.Order.Bound}}, nil
	}
	return []ordered{{"given", given, model.MaxBytes}, {"optimal", best, best.graph.Order.Bound}}, nil
}

// without plans an order in fast memory alone.
func (e *env) without(ctx context.Context, order ordered, o *fitFlags) (wayOut, error) {
	w := wayOut{order: order.name, src: order.src, all: order.all}
	if order.name == schedule.Optimal.String() {
		w.name = "order"
	}
	in := order.src.task.Arenas[0]
	if load := in.Load(); load > o.capacity.bytes {
		w.least, w.proof = load, string(model.ProofLoad)
		return w, nil
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	choice, err := o.solver.choose("exact", func(at model.Point) {
		if at.Peak <= o.capacity.bytes {
			stop() // that is all there is to know
		}
	})
	if err != nil {
		return w, err
	}
	out := results.Run(ctx, order.src.task, choice)
	if out.Err != nil {
		return w, fail(exitInternal, "%w", out.Err)
	}
	res := out.Results[0]
	w.peak, w.least, w.proof = out.Record.Peak, res.Bound, string(out.Record.Proof)
	if res.Proven != nil && res.Proven.Bound < res.Bound && !w.fits(o.capacity.bytes) {
		w.least, w.proof = res.Proven.Bound, string(res.Proven.Proof)
	}
	return w, nil
}

// with asks what is moved at least in a way with slow memory.
func (e *env) with(ctx context.Context, name string, order ordered, o *fitFlags) (wayOut, error) {
	w := wayOut{name: name, order: order.name, src: order.src}
	q := o.question(order.src, name)
	var err error
	if w.answer, err = results.Fit(ctx, q, o.solver.settings(nil)); err != nil {
		return w, notAsked(order.src.task.Name, err)
	}
	if w.answer.None != nil {
		if err := verify.Certificate(w.answer.None.Instance, w.answer.None.Certificate); err != nil {
			return w, fail(exitInternal, "a proof that nothing fits does not hold: %w", err)
		}
		w.alone, err = spill.Alone(q)
		return w, err
	}
	return w, w.prove(ctx, q, o)
}

// prove asks why nothing less is moved.
func (w *wayOut) prove(ctx context.Context, q *spill.Question, o *fitFlags) error {
	if err := results.ProveFit(ctx, q, o.solver.settings(nil), w.answer); err != nil {
		return fail(exitInternal, "%w", err)
	}
	return nil
}

func (o *fitFlags) question(src *source, way string) *spill.Question {
	how := spill.Whole
	if way == "spill" {
		how = spill.Pieces
		if o.access == "copy" {
			how = spill.Staged
		}
	}
	q := src.question(how)
	q.Capacity, q.Overlap, q.Read, q.Write = o.capacity.bytes, o.has("overlap"), o.read, o.write
	return q
}

// best is the way that costs least, of those that cost the same the first; nil
// where none fits.
func best(ways []wayOut, capacity int64) (least *wayOut) {
	for k := range ways {
		w := &ways[k]
		if w.fits(capacity) && (least == nil || w.cost() < least.cost()) {
			least = w
		}
	}
	return least
}

func (w *wayOut) fits(capacity int64) bool {
	if w.answer == nil {
		return w.peak != nil && *w.peak <= capacity
	}
	return w.answer.Fitted != nil
}

func (w *wayOut) cost() int64 {
	if w.answer == nil || w.answer.Fitted == nil {
		return 0
	}
	return w.answer.Fitted.Cost()
}

// none reports whether a way is proven not to fit, in whatever order may be taken.
func (w *wayOut) none(o *fitFlags) bool {
	if w.answer != nil {
		return w.answer.None != nil
	}
	return min(w.least, w.all) > o.capacity.bytes
}
