package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"memplan/model"
	"memplan/results"
)

// planFlags are the flags of plan.
type planFlags struct {
	solver         solverFlags
	lower          lowerFlags
	capacity       bytesValue
	format, out    string
	certificate    string
	cache          string
	requireOptimal bool
	acceptSolver   bool
	verbose        bool
	from           string
	fewest         bool
	replanning     *results.Replanning // from; nil: afresh
}

func planVerb(e *env, args []string) error {
	var o planFlags
	f := e.flags()
	planner := f.String("planner", "exact", "a name that memplan planners lists")
	f.Var(&o.capacity, "capacity", "bytes to fit into, 64KiB; 0 is none, and overrides FILE's")
	o.solver.add(f, "60s", 0)
	f.StringVar(&o.format, "format", "", "csv, json or text (default: after OUT's extension, else csv)")
	among(f, "format", "csv", "json", "text")
	f.StringVarP(&o.out, "output", "o", "", "write the plan to this file; of several inputs, into this folder")
	f.StringVar(&o.certificate, "certificate", "", "write the certificate of the bound to this file; of several inputs, into this folder")
	f.BoolVar(&o.requireOptimal, "require-optimal", false, "exit 3 when the plan is not proven optimal")
	f.BoolVar(&o.acceptSolver, "accept-solver", false, "take HiGHS's word, where no proof can be replayed, for one")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print each improvement of best and bound on standard error")
	f.StringVar(&o.from, "from", "", "keep what can be kept of this plan of an earlier FILE, by the names of buffers, at the same peak")
	f.BoolVar(&o.fewest, "fewest-moved", false, "with --from: have HiGHS find the fewest bytes that must move; exit 3 where it does not end")
	f.StringVar(&o.cache, "cache", "", "with --dim: a folder that keeps the plans")
	o.lower.add(f)
	o.lower.ranged = true
	files, err := e.parse(f, args, 1, -1)
	if err != nil {
		return err
	}
	if o.format, err = formatOf(o.format, o.out); err != nil {
		return err
	}
	if err := o.solver.apply([]string{*planner}); err != nil {
		return err
	}
	if err := distinct([2]string{"-o", o.out}, [2]string{"--certificate", o.certificate}); err != nil {
		return err
	}
	if o.fewest && o.from == "" {
		return fail(exitUsage, "--fewest-moved is for --from")
	}
	list, err := e.inputs(files, o.lower)
	if err != nil {
		return err
	}
	if len(list) > 1 {
		if o.from != "" {
			return fail(exitUsage, "--from is for one FILE")
		}
		if len(o.lower.dims) > 0 {
			return fail(exitUsage, "--dim is for one graph")
		}
		if err := o.besideDims(f, false); err != nil {
			return err
		}
		return e.planAll(list, *planner, &o)
	}
	if err := errors.Join(writable("-o", o.out), writable("--certificate", o.certificate, append(slices.Clone(files), o.from)...)); err != nil {
		return err
	}
	src, err := e.load(files[0], o.lower)
	if err != nil {
		return err
	}
	dims := src.ranges(o.lower.dims)
	if err := o.besideDims(f, len(dims) > 0); err != nil {
		return err
	}
	if len(dims) > 0 {
		choice, err := o.solver.choose(*planner, nil)
		if err != nil {
			return fail(exitUsage, "%w", err)
		}
		return e.planShapes(src, dims, choice, &o)
	}
	if src.table == nil { // a table keeps its rows, and gets offsets
		if err := writable("-o", o.out, files...); err != nil {
			return err
		}
	}
	return e.planOne(src, *planner, &o)
}

// planAll plans several inputs, one after the other. Each that fails is told, and
// the exit status is that of the gravest failure: of the program, of the input, an
// answer that is no, a limit.
func (e *env) planAll(list []input, planner string, o *planFlags) error {
	if o.format == "csv" && o.out == "" {
		return fail(exitUsage, "%d plans are one table each: name a folder by -o, or say --format json or text", len(list))
	}
	for _, folder := range []string{o.out, o.certificate} {
		if namesTable(folder) {
			return fail(exitUsage, "%s: these are %d inputs: name a folder", folder, len(list))
		}
	}
	var codes []int
	for k, in := range list {
		one := *o
		for _, folder := range []*string{&one.out, &one.certificate} {
			if *folder == "" || *folder == "-" {
				continue
			}
			if err := os.MkdirAll(*folder, 0o755); err != nil {
				return fail(exitInternal, "%w", err)
			}
			*folder = filepath.Join(*folder, fileName(in.name))
		}
		if one.out != "" && one.out != "-" {
			one.out += "." + map[string]string{"csv": "csv", "json": "json", "text": "txt"}[o.format]
		} else if k > 0 && o.format == "text" {
			fmt.Fprintln(e.out)
		}
		if one.certificate != "" {
			one.certificate += ".certificate.json"
		}
		src, err := in.load(o.lower)
		if err == nil {
			src.task.Name = in.name
			err = e.planOne(src, planner, &one)
		}
		if err != nil {
			fmt.Fprintf(e.err, "memplan: %v\n", err)
			codes = append(codes, codeOf(err))
		}
		if e.ctx.Err() != nil {
			break
		}
	}
	for _, code := range []int{exitInternal, exitUsage, exitNo, exitLimit} {
		if slices.Contains(codes, code) {
			return fail(code, "%d of %d failed", len(codes), len(list))
		}
	}
	return nil
}

// planOne plans one input.
func (e *env) planOne(src *source, planner string, o *planFlags) error {
	src.warn(e.err)
	if pins := src.pins(); pins != "" && o.format == "csv" {
		fmt.Fprintf(e.err, "memplan: pinned: %s\n", pins)
	}
	if err := o.setCapacity(src); err != nil {
		return err
	}
	p := e.progress()
	defer p.done()
	watch := func(at model.Point) {
		p.point(at)
		if e.watch != nil {
			e.watch(at)
		}
		if o.verbose {
			fmt.Fprintf(e.err, "%.3fs %s\n", at.Elapsed.Seconds(), describe(at))
		}
	}
	choice, err := o.solver.choose(planner, watch)
	if err != nil {
		return err
	}
	if o.from != "" {
		if choice, err = o.replan(e, src, choice); err != nil {
			return err
		}
	}
	p.search(planner)
	var out results.Outcome
	if o.capacity.set { // whatever FILE's capacities are
		out = results.Run(e.ctx, src.task, choice)
	} else {
		out, err = e.run(src, choice, o.lower.grain.bytes)
	}
	p.done()
	if err != nil {
		return err
	}
	return e.answer(src, out, o)
}

// besideDims is an error where a flag was given that means nothing beside a
// table of shapes, or nothing without one.
func (o *planFlags) besideDims(f *pflag.FlagSet, table bool) error {
	if !table && o.cache != "" {
		return fail(exitUsage, "--cache keeps the plans that --dim asks for, and there is none")
	}
	if table {
		for _, name := range []string{"capacity", "format", "certificate", "require-optimal", "verbose", "from"} {
			if f.Changed(name) {
				return fail(exitUsage, "--%s means nothing beside --dim, which prints a table of shapes", name)
			}
		}
	}
	return nil
}

// formatOf is csv, json or text: what is asked for, else what the output's name
// says.
func formatOf(format, out string) (string, error) {
	if format == "" {
		format = "csv"
		if strings.EqualFold(filepath.Ext(out), ".json") {
			format = "json"
		}
	}
	if !slices.Contains([]string{"csv", "json", "text"}, format) {
		return "", fail(exitUsage, "format %q: want csv, json or text", format)
	}
	return format, nil
}

// setCapacity puts the flag's capacity in place of the file's.
func (o *planFlags) setCapacity(s *source) error {
	if !o.capacity.set {
		return nil
	}
	t := s.task
	if len(t.Arenas) > 1 && o.capacity.bytes > 0 {
		return fail(exitUsage, "--capacity is for one memory space; FILE has %d with capacities of their own", len(t.Arenas))
	}
	for k, in := range t.Arenas {
		in.Capacity = o.capacity.bytes
		if in.Capacity > 0 {
			t.Limit(k, in.Capacity)
		}
	}
	s.byName = false
	return nil
}

// answer writes the plan and says what it is worth by the exit status.
func (e *env) answer(src *source, out results.Outcome, o *planFlags) error {
	r := &out.Record
	fits := r.Status != model.Infeasible.String()
	if o.replanning != nil && out.Err == nil && r.Peak != nil {
		m := o.replanning.Moved(src.task, out.Results)
		r.Moved = &m
		if o.format == "csv" {
			fmt.Fprintf(e.err, "memplan: moved: %s\n", moved(&m))
		}
	}
	var said error
	if out.Err == nil {
		said = verdict(e, src, out, o)
	}
	if o.format != "csv" || r.Peak != nil && fits {
		err := e.write(o.out, func(w io.Writer) error { return src.writePlan(w, out, o.format) })
		if err != nil {
			return err
		}
	}
	if o.format == "csv" {
		src.tellOrder(e.err)
	}
	if o.certificate != "" {
		if err := e.writeCertificates(src.task.Arenas, out.Results, o.certificate); err != nil {
			return err
		}
	}
	if errors.Is(out.Err, model.ErrOverflow) {
		return fail(exitUsage, "%w", out.Err)
	}
	if out.Err != nil {
		return fail(exitInternal, "%w", out.Err)
	}
	if r.Peak != nil {
		e.note("%s", summary(r))
	}
	return said
}

// obstacle names buffers that do not fit into the capacity together, on a line
// of its own; "" where nobody knows any.
func obstacle(in *model.Instance, res model.Result) string {
	if text := together(in, in.Capacity); text != "" {
		return "\n" + text
	}
	r, minimal := results.Obstacle(in, res.Certificate)
	if r == nil {
		return ""
	}
	names := make([]string, len(r.Buffers))
	for k, i := range r.Buffers {
		names[k] = fmt.Sprintf("%s (%d)", in.Buffers[i].ID, in.Buffers[i].Size)
	}
	if len(names) == 1 {
		return fmt.Sprintf("\n%s alone does not fit where it is pinned", names[0])
	}
	when := fmt.Sprintf("in steps %v these", r.Window)
	if r.Window == model.Always {
		when = "these"
	}
	text := fmt.Sprintf("\n%s %d alone are too many: %s", when, len(names), shortened(names))
	if minimal {
		text += "; without any one of them the rest fit there"
	}
	return text
}

// summary is an outcome in one line.
func summary(r *results.Record) string {
	switch {
	case r.Peak == nil:
		return fmt.Sprintf("no plan, bound %d bytes", r.Bound)
	case *r.Peak == r.Bound:
		return fmt.Sprintf("peak %d bytes, optimal%s (proof: %s)", *r.Peak, withPins(r), r.Proof)
	}
	return fmt.Sprintf("peak %d bytes, bound %d (proof: %s)", *r.Peak, r.Bound, r.Proof)
}
