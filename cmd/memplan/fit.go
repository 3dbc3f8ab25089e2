package main

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"memplan/model/graph"
	"memplan/model/json"
	"memplan/model/schedule"
	"memplan/results"
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
		more, err := e.anyOrder(ctx, ways, orders[0], o)
		if err != nil {
			return err
		}
		ways = append(ways, more...)
	}
	return e.tellFit(src, ways, o)
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
