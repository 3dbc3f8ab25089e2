package main

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"memplan/model"
	"memplan/model/graph"
	"memplan/model/json"
	"memplan/model/schedule"
	"memplan/results"
	"memplan/spill"
	"memplan/verify"
)

// fitFlags are the flags of fit.
type fitFlags struct {
	solver   solverFlags
	lower    lowerFlags
	capacity bytesValue
	ways     []string
	access   string
	read     int64
	write    int64
	format   string
	out      string
	plan     string
	proof    string
	padding  int64 // bytes of the capacity behind the last tensor
}

// waysToFit are what fit may do, in the order in which it is told.
var waysToFit = []string{"order", "overlap", "whole", "spill"}

func fitVerb(e *env, args []string) error {
	var o fitFlags
	f := e.flags()
	f.Var(&o.capacity, "capacity", "bytes of the fast memory, 256KiB (default: that of GRAPH's pool)")
	f.StringSliceVar(&o.ways, "ways", waysToFit, "what may be done: another order, overlap where operators allow it, whole tensors in slow memory, spill: for parts of their lives")
	among(f, "ways", waysToFit...)
	f.StringVar(&o.access, "access", "direct", "of operators to slow memory: direct, or copy: none, tensors are copied in and out")
	among(f, "access", "direct", "copy")
	o.read, o.write = 1, 1
	f.Var(count(&o.read, 1), "slow-read", "what a byte costs that is read from slow memory")
	f.Var(count(&o.write, 1), "slow-write", "what a byte costs that is written to it")
	f.StringVar(&o.format, "format", "text", "text or json")
	among(f, "format", "text", "json")
	f.StringVarP(&o.out, "output", "o", "", "write the graph with its stores and loads to this file, as JSON; of a .pte program, to FILE.pte: the program with two memories")
	f.StringVar(&o.plan, "plan", "", "write the offsets in both memories to this file, CSV or JSON by its extension")
	f.StringVar(&o.proof, "certificate", "", "write the proof that nothing less is moved in the graph's order to this file; where nothing is moved, the certificates of the plan")
	o.solver.add(f, "60s", 0)
	o.lower.add(f)
	files, err := e.parse(f, args, 1, 1)
	if err != nil {
		return err
	}
	if err := o.check(f, files[0]); err != nil {
		return err
	}
	src, err := e.load(files[0], o.lower)
	if err != nil {
		return err
	}
	if err := o.fits(src, files[0]); err != nil {
		return err
	}
	return e.fitOne(src, &o)
}

// check looks at the flags, whatever GRAPH holds.
func (o *fitFlags) check(f *pflag.FlagSet, file string) error {
	for _, way := range o.ways {
		if !slices.Contains(waysToFit, way) {
			return fail(exitUsage, "way %q: want %s", way, strings.Join(waysToFit, ", "))
		}
	}
	direct := o.access == "direct"
	if err := o.program(f.Changed("ways")); err != nil {
		return err
	}
	switch {
	case o.access != "copy" && !direct:
		return fail(exitUsage, "access %q: want direct or copy", o.access)
	case !direct && !f.Changed("ways"):
		o.ways = slices.DeleteFunc(slices.Clone(o.ways), func(w string) bool { return w == "whole" })
	case !direct && o.has("whole"):
		return fail(exitUsage, "--ways whole has operators reach slow memory; --access copy says that they do not")
	}
	if o.format != "text" && o.format != "json" {
		return fail(exitUsage, "format %q: want text or json", o.format)
	}
	if slow := o.has("whole") || o.has("spill"); !slow && (f.Changed("access") || f.Changed("slow-read") || f.Changed("slow-write")) {
		return fail(exitUsage, "--ways %s leaves slow memory out: --access, --slow-read and --slow-write mean nothing", strings.Join(o.ways, ","))
	}
	if o.has("order") && f.Changed("schedule") {
		return fail(exitUsage, "--ways order looks for an order: --schedule names one")
	}
	if len(o.lower.kept) > 0 || o.lower.concat == "in-place" {
		return fail(exitUsage, "fit moves what it may: --kept and --concat in-place are not for it")
	}
	if err := o.solver.apply([]string{"exact"}); err != nil {
		return err
	}
	if err := distinct([2]string{"-o", o.out}, [2]string{"--plan", o.plan}, [2]string{"--certificate", o.proof}); err != nil {
		return err
	}
	return cmp.Or(writable("-o", o.out, file), writable("--plan", o.plan, file), writable("--certificate", o.proof, file))
}

func (o *fitFlags) has(way string) bool { return slices.Contains(o.ways, way) }

// fits is an error where GRAPH is nothing that could be fitted.
func (o *fitFlags) fits(src *source, file string) error {
	if err := src.movable(file); err != nil {
		return err
	}
	if o.has("spill") {
		if err := src.copyable(file); err != nil {
			return err
		}
	}
	if !o.capacity.set {
		o.capacity.bytes = src.task.Arenas[0].Capacity
	}
	if o.capacity.bytes == 0 {
		return fail(exitUsage, "%s: no capacity: --capacity says what the fast memory has", file)
	}
	if err := o.fitsProgram(src, file); err != nil {
		return err
	}
	for _, space := range src.graph.Graph.Spaces {
		for _, r := range space.Reserved {
			if r.End > o.capacity.bytes {
				return fail(exitUsage, "%s: the reserved range %v ends beyond the capacity %d", file, r, o.capacity.bytes)
			}
		}
	}
	return nil
}

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

// fitOne tries the ways, and tells the best.
func (e *env) fitOne(src *source, o *fitFlags) error {
	src.warn(e.err)
	ctx, stop := e.within(time.Duration(o.solver.time))
	defer stop()
	orders, err := o.orders(src)
	if err != nil {
		return err
	}
	var ways []wayOut
	for _, order := range orders {
		w, err := e.without(ctx, order, o)
		if err != nil {
			return err
		}
		ways = append(ways, w)
	}
	slow := []string{"whole", "spill"}
	if best(ways, o.capacity.bytes) != nil {
		slow = nil // nothing has to be moved
	}
	for _, name := range slow {
		if !o.has(name) {
			continue
		}
		more, err := e.fitSlow(ctx, name, orders, o)
		if err != nil {
			return err
		}
		ways = append(ways, more...)
	}
	if o.has("order") && len(slow) > 0 {
		any, err := e.anyOrder(ctx, ways, orders[0], o)
		if err != nil {
			return err
		}
		ways = append(ways, any...)
	}
	return e.tellFit(src, ways, o)
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
	if answer.Fitted != known.answer.Fitted { // else it was asked before
		err = w.prove(ctx, q, o)
	}
	return []wayOut{w}, err
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

// writeGraph writes what was fitted: the program, where it is to be one, or the graph.
func (r *fitReport) writeGraph(w io.Writer, g *graph.Graph) error {
	if r.program != nil {
		_, err := w.Write(r.program)
		return err
	}
	return json.WriteGraph(w, g)
}

// fitted is the graph that a way makes, with a plan of its memories.
func (e *env) fitted(src *source, w *wayOut, o *fitFlags) (*source, results.Outcome, error) {
	var g *graph.Graph
	how := w.src.how
	how.Schedule, how.Assign = schedule.Given, nil
	if w.answer != nil {
		g, how.Fuse = w.answer.Fitted.Graph, graph.FuseDeclared
	} else {
		g = inOrder(w.src, o.capacity.bytes)
	}
	if isProgram(o.out) {
		g = src.arenas.Divided(g)
	}
	l, err := g.Lower(how)
	if err != nil {
		return nil, results.Outcome{}, err
	}
	fitted := sourceOf(l, how)
	choice, err := o.solver.choose("exact", nil)
	if err != nil {
		return nil, results.Outcome{}, err
	}
	out := results.Run(e.ctx, fitted.task, choice)
	if out.Err != nil {
		return nil, out, fail(exitInternal, "%w", out.Err)
	}
	for k, in := range fitted.task.Arenas {
		if res := out.Results[k]; in.Capacity > 0 && (res.Plan == nil || res.Plan.Peak(in) > in.Capacity) {
			return nil, out, fail(exitLimit, "%s: a plan was found that fits, and not found again within the limit", in.Name)
		}
	}
	return fitted, out, nil
}

// inOrder is a graph with its order written down, and the capacity; its tensors have
// ids that tell them apart.
func inOrder(src *source, capacity int64) *graph.Graph {
	g := *src.graph.Graph
	g.Tensors = slices.Clone(g.Tensors)
	used, next := make(map[string]bool), 0
	for t := range g.Tensors {
		id := g.Tensors[t].ID
		if src.graph.Places[t].Where == graph.InArena { // as its buffer has it
			id = src.graph.Values.Buffers[next].ID
			next++
		}
		for k := t; id == "" || used[id]; k++ {
			id = g.Tensors[t].ID + "#" + strconv.Itoa(k)
		}
		g.Tensors[t].ID, used[id] = id, true
	}
	g.Schedule = nil
	for _, ops := range src.graph.Steps {
		g.Schedule = append(g.Schedule, ops...)
	}
	fast := graph.Space{ID: "fast"}
	if len(g.Spaces) > 0 {
		fast = g.Spaces[0]
	}
	fast.Capacity = capacity
	g.Spaces = []graph.Space{fast}
	return &g
}

// tellFit writes what was asked for, and is the exit status.
func (e *env) tellFit(src *source, ways []wayOut, o *fitFlags) error {
	w := best(ways, o.capacity.bytes)
	r := fitReport{Graph: src.task.Name, Capacity: o.capacity.bytes, padding: o.padding, ways: ways, chosen: w}
	if w != nil {
		fitted, out, err := e.fitted(src, w, o)
		if err != nil {
			return err
		}
		if isProgram(o.out) {
			if r.program, err = src.rewrite(fitted, out, o.capacity.bytes); err != nil {
				return err
			}
		}
		if o.out != "" {
			if err := e.write(o.out, func(to io.Writer) error { return r.writeGraph(to, fitted.graph.Graph) }); err != nil {
				return err
			}
		}
		if o.plan != "" {
			format, err := formatOf("", o.plan)
			if err != nil {
				return err
			}
			if err := e.write(o.plan, func(to io.Writer) error { return fitted.writePlan(to, out, format) }); err != nil {
				return err
			}
		}
		r.plan = fitted.plan(out)
		if o.proof != "" {
			if err := e.writeProof(w, fitted, out, o.proof); err != nil {
				return err
			}
		}
	}
	if o.out != "-" && o.plan != "-" && o.proof != "-" {
		if err := e.write("", reported(r.fields(), o.format == "json", r.text)); err != nil {
			return err
		}
	}
	return r.verdict(o)
}

// writeProof writes why nothing less is moved or, where nothing is, why the plan is
// the best.
func (e *env) writeProof(w *wayOut, fitted *source, out results.Outcome, path string) error {
	switch {
	case w.cost() == 0:
		return e.writeCertificates(fitted.task.Arenas, out.Results, path)
	case w.answer.Certificate == nil:
		return fail(exitLimit, "%s: no bound was proven", fitted.task.Name)
	}
	file := json.Certificates{Schema: 1, List: []json.Certificate{{Instance: fitted.task.Name, Certificate: w.answer.Certificate}}}
	return e.write(path, file.Write)
}

// verdict is the exit status of what was told.
func (r *fitReport) verdict(o *fitFlags) error {
	if r.chosen != nil {
		if a := r.chosen.answer; a != nil && !a.Optimal() {
			return fail(exitLimit, "%s: [%d, %d]: a limit came before it was known what is moved at least", r.Graph, a.Bound, a.Fitted.Cost())
		}
		return nil
	}
	for k := range r.ways {
		if w := &r.ways[k]; !w.none(o) {
			return fail(exitLimit, "%s: %s", r.Graph, w.says(r.Capacity))
		}
	}
	return fail(exitNo, "%s does not fit into %d bytes in any way asked for%s", r.Graph, r.Capacity, r.reasons())
}

// none reports whether a way is proven not to fit, in whatever order may be taken.
func (w *wayOut) none(o *fitFlags) bool {
	if w.answer != nil {
		return w.answer.None != nil
	}
	return min(w.least, w.all) > o.capacity.bytes
}
