package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"memplan/model"
	"memplan/model/csv"
	"memplan/model/graph"
	"memplan/model/json"
	"memplan/model/schedule"
	"memplan/model/tflite"
	"memplan/model/tflite/kernels"
	"memplan/results"

	"github.com/spf13/pflag"
)

// lowerFlags are the flags of every verb that reads graphs.
type lowerFlags struct {
	schedule  string
	fuse      string
	external  []string
	kept      []string
	concat    string
	assign    string
	grain     bytesValue
	runtime   string
	kernels   string
	overlap   bool
	copyViews bool
	dims      []string
	shapes    []string // of an .onnx model's inputs
	ranged    bool     // dimensions keep their ranges

	flags *pflag.FlagSet // that these are among: it knows which of them were given
}

// asGiven are the flags where none is given.
var asGiven = lowerFlags{schedule: "given", fuse: "declared", concat: "copy", assign: "exact", runtime: "generic"}

func (o *lowerFlags) add(f *pflag.FlagSet) {
	o.flags = f
	f.StringVar(&o.schedule, "schedule", "given", "order of a graph's operators: given, kahn, dfs, memory, optimal")
	f.StringVar(&o.fuse, "fuse", "declared", "operators that run as one: declared, none, elementwise")
	f.StringVar(&o.concat, "concat", "copy", "copy, or in-place: operands laid into the result")
	f.StringVar(&o.assign, "assign", "exact", "memory spaces by an integer program, exact, or one value after another, greedy")
	among(f, "schedule", scheduleNames()...)
	among(f, "fuse", "declared", "none", "elementwise")
	among(f, "concat", "copy", "in-place")
	among(f, "assign", "exact", "greedy")
	f.StringSliceVar(&o.external, "external", nil, "inputs, outputs: kept by the caller, outside the arena")
	f.StringSliceVar(&o.kept, "kept", nil, "inputs, outputs: live throughout")
	f.StringVar(&o.runtime, "runtime", "generic", "conventions for .tflite: generic (sizes as they are), tflm, litert")
	among(f, "external", "inputs", "outputs")
	among(f, "kept", "inputs", "outputs")
	among(f, "runtime", "generic", "tflm", "litert")
	f.StringVar(&o.kernels, "kernels", "", "with --runtime tflm: whose scratch, and whose overlaps, are planned for")
	among(f, "kernels", kernels.Names()...)
	f.BoolVar(&o.overlap, "overlap", false, "with --kernels: outputs may lie over inputs that die, as far as those let them")
	f.Var(&o.grain, "granularity", "plan with sizes rounded up to multiples of so many bytes; 0 and 1 round nothing")
	f.StringArrayVar(&o.dims, "dim", nil, "NAME=SIZE: of a graph's dimension; with plan, NAME=SIZE,SIZE: print what each size takes")
	f.StringArrayVar(&o.shapes, "shape", nil, "INPUT=SIZE,SIZE,...: the shape of an .onnx model's input")
	f.BoolVar(&o.copyViews, "copy-views", false, "views are copies, with bytes of their own")
}

// defaultLower is the flags where none is given.
func defaultLower() (o lowerFlags) {
	o.add(pflag.NewFlagSet("", pflag.ContinueOnError))
	return o
}

// scheduleNames are the ways to order operators.
func scheduleNames() (names []string) {
	for kind := schedule.Given; kind <= schedule.Optimal; kind++ {
		names = append(names, kind.String())
	}
	return names
}

// limit is the verb's limit for one planner, which choosing memory spaces keeps to
// as well; below 0 where it has none.
func (o *lowerFlags) limit() time.Duration {
	if o.flags != nil {
		if f := o.flags.Lookup("time-limit"); f != nil {
			return time.Duration(*f.Value.(*durationValue))
		}
	}
	return -1
}

// options are the flags as the model knows them.
func (o *lowerFlags) options() (graph.LowerOptions, error) {
	lo := graph.LowerOptions{CopyViews: o.copyViews, Concat: o.concat == "in-place"}
	var err error
	if lo.Schedule, err = schedule.Parse(o.schedule); err != nil {
		return lo, fail(exitUsage, "%w", err)
	}
	switch o.fuse {
	case "declared":
	case "none":
		lo.Fuse = graph.FuseNone
	case "elementwise":
		lo.Fuse = graph.FuseElementwise
	default:
		return lo, fail(exitUsage, "fuse %q: want declared, none or elementwise", o.fuse)
	}
	switch o.assign {
	case "exact":
		lo.Assign = results.Assign(o.limit())
	case "greedy":
	default:
		return lo, fail(exitUsage, "assign %q: want exact or greedy", o.assign)
	}
	if o.concat != "copy" && o.concat != "in-place" {
		return lo, fail(exitUsage, "concat %q: want copy or in-place", o.concat)
	}
	for _, c := range []struct {
		names []string
		how   graph.Custody
	}{{o.kept, graph.Kept}, {o.external, graph.External}} {
		for _, name := range c.names {
			switch name {
			case "inputs":
				lo.Inputs = c.how
			case "outputs":
				lo.Outputs = c.how
			default:
				return lo, fail(exitUsage, "%q: want inputs or outputs", name)
			}
		}
	}
	return lo, nil
}

// graphFlags mean something to graphs alone.
var graphFlags = []string{"schedule", "fuse", "concat", "assign", "external", "kept", "copy-views", "dim"}

const runtimeFlag = "runtime"

// tfliteFlags mean something to models of TensorFlow Lite alone.
var tfliteFlags = []string{runtimeFlag, "kernels", "overlap"}

// idle is the first flag given that means nothing to what a file holds; "" where
// there is none.
func (o *lowerFlags) idle(holds content) string {
	if o.flags == nil || holds == anything {
		return ""
	}
	for _, name := range tfliteFlags {
		if holds != tfliteGraph && o.flags.Changed(name) {
			return name
		}
	}
	if holds != onnxGraph && o.flags.Changed("shape") {
		return "shape"
	}
	if holds == bufferList {
		for _, name := range graphFlags {
			if o.flags.Changed(name) {
				return name
			}
		}
	}
	return ""
}

// check looks at the values of all flags, whatever the file holds.
func (o *lowerFlags) check() error {
	runtime, err := tflite.ParseRuntime(o.runtime)
	if err != nil {
		return fail(exitUsage, "%w", err)
	}
	if (o.kernels != "" || o.overlap) && runtime != tflite.TFLM {
		return fail(exitUsage, "--kernels and --overlap are for --runtime tflm")
	}
	if _, err := library(o.kernels, o.overlap); err != nil {
		return err
	}
	for _, f := range []struct {
		name  string
		texts []string
	}{{"dim", o.dims}, {"shape", o.shapes}} {
		if _, err := sizes(f.name, f.texts); err != nil {
			return err
		}
	}
	_, err = o.options()
	return err
}

// library is the one that --kernels names; overlap needs it.
func library(name string, overlap bool) (kernels.Library, error) {
	if name == "" && overlap {
		return 0, fail(exitUsage, "--overlap needs --kernels: which bytes of its input a kernel has read when it writes depends on its loops, and on other kernels than the plan is for the answers are wrong, without any error; one of %s",
			strings.Join(kernels.Names(), ", "))
	}
	if name == "" {
		return kernels.Reference, nil
	}
	l, err := kernels.Parse(name)
	if err != nil {
		return 0, fail(exitUsage, "%w", err)
	}
	return l, nil
}

func lowerVerb(e *env, args []string) error {
	var o lowerFlags
	f := e.flags()
	o.add(f)
	space := f.String("space", "", "the memory space to print, where the graph has several")
	out := f.StringP("output", "o", "", "write the buffers to this file")
	format := f.String("format", "", "csv, json or text (default: after OUT's extension, else csv)")
	among(f, "format", "csv", "json", "text")
	files, err := e.parse(f, args, 1, 1)
	if err != nil {
		return err
	}
	as, err := formatOf(*format, *out)
	if err != nil {
		return err
	}
	if err := writable("-o", *out, files...); err != nil {
		return err
	}
	src, err := e.load(files[0], o)
	if err != nil {
		return err
	}
	src.warn(e.err)
	in, err := src.space(*space)
	if err != nil {
		return err
	}
	switch as {
	case "json":
		return e.write(*out, func(w io.Writer) error { return json.WriteInstance(w, in, src.order()) })
	case "text":
		return e.write(*out, func(w io.Writer) error { return src.listBuffers(w, in) })
	}
	src.tellOrder(e.err)
	return e.write(*out, func(w io.Writer) error { return csv.Write(w, in, nil, nil) })
}

// listBuffers prints the order of the operators, and the buffers below it.
func (s *source) listBuffers(w io.Writer, in *model.Instance) error {
	if order := s.order(); order != nil {
		fmt.Fprintf(w, "%-9s  %s\n\n", "order", results.InOrder(order))
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "lower\tupper\tsize\tid\t")
	for i := range in.Buffers {
		b := &in.Buffers[i]
		fmt.Fprintf(table, "%d\t%d\t%d\t%s\t\n", b.Life.Start, b.Life.End, b.Size, b.ID)
	}
	return table.Flush()
}

// order is a graph's operators in the order in which they run; nil where there is
// no graph. One without an id goes by its number.
func (s *source) order() []string {
	if s.graph == nil {
		return nil
	}
	ids := []string{}
	for _, step := range s.graph.Steps {
		for _, o := range step {
			ids = append(ids, cmp.Or(s.graph.Graph.Ops[o].ID, "#"+strconv.Itoa(o)))
		}
	}
	return ids
}

// tellOrder says in which order the operators run, where that was sought: a table
// of buffers has no place for it.
func (s *source) tellOrder(w io.Writer) {
	if s.graph != nil && s.how.Schedule != schedule.Given {
		fmt.Fprintf(w, "memplan: order: %s\n", results.InOrder(s.order()))
	}
}

// space is the arena of that name; of no name, the only one.
func (s *source) space(name string) (*model.Instance, error) {
	if name == "" && len(s.task.Arenas) == 1 {
		return s.task.Arenas[0], nil
	}
	if k := slices.Index(s.task.Spaces, name); k >= 0 {
		return s.task.Arenas[k], nil
	}
	return nil, fail(exitUsage, "%s has the memory spaces %s: choose one with --space", s.task.Name, strings.Join(s.task.Spaces, ", "))
}
