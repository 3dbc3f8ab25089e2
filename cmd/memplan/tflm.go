package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"memplan/heuristics"
	"memplan/model"
	"memplan/model/json"
	"memplan/model/schedule"
	"memplan/model/tflite"
	"memplan/model/tflite/kernels"
	"memplan/results"
)

// tflmFlags are the flags of tflm.
type tflmFlags struct {
	solver    solverFlags
	out       string
	header    string
	selfTest  string
	json      bool
	alias     bool
	kept      []string
	scratch   []string
	log       string
	arenaUsed bytesValue
	bits      int
	schedule  string
	kernels   string
	overlap   bool
	models    []string
}

// tflmVerb plans the arena that TensorFlow Lite Micro needs for a model, and
// writes the plan into the model.
func tflmVerb(e *env, args []string) error {
	var o tflmFlags
	f := e.flags()
	f.StringVarP(&o.out, "output", "o", "", "write the model with the plan in it to this file")
	f.StringVar(&o.header, "c-header", "", "write the plan as a C header for NonPersistentMemoryPlannerShim")
	f.StringVar(&o.selfTest, "self-test", "", "write a C++ file that runs the model on the device with the plan and with TFLM's own, and compares the outputs")
	f.BoolVar(&o.json, "json", false, "print the report as JSON")
	f.BoolVar(&o.alias, "alias-views", false, "reshapes share their input's bytes: TFLM then copies nothing")
	f.StringSliceVar(&o.kept, "kept", nil, "inputs: they are still there when the model has run, for the application to use")
	among(f, "kept", "inputs")
	f.StringArrayVar(&o.scratch, "scratch", nil, "OP=BYTES: what a kernel asks for, by kind (CONV_2D), custom name or number; again for a second request")
	f.StringVar(&o.log, "plan-log", "", "take scratch from the memory plan that TFLM printed on the device into this file")
	f.Var(&o.arenaUsed, "arena-used", "what arena_used_bytes() says today; then the arena_size to set is printed")
	f.IntVar(&o.bits, "bits", 64, "of an address on the device, 32 or 64: what TFLM needs while it plans follows from it")
	f.StringVar(&o.schedule, "schedule", schedule.Given.String(), "the order of the operators, written into the model where it saves bytes: given, kahn, dfs, memory or optimal")
	among(f, "schedule", scheduleNames()...)
	f.StringVar(&o.kernels, "kernels", "", "the library of kernels that runs on the device: their scratch is planned for")
	among(f, "kernels", kernels.Names()...)
	f.BoolVar(&o.overlap, "overlap", false, "outputs may lie over inputs that die, as far as --kernels let them; WITH OTHER KERNELS THE ANSWERS ARE WRONG, without any error")
	f.StringArrayVar(&o.models, "model", nil, "again for each of several models that share one arena and run one at a time; -o names a folder then")
	o.solver.add(f, "60s", 0)
	files, err := e.parse(f, args, 0, 1)
	if err != nil {
		return err
	}
	if f.Changed("formulation") {
		return fail(exitUsage, "--formulation is of the planner ilp; tflm asks exact")
	}
	for _, name := range o.kept {
		if name != "inputs" {
			return fail(exitUsage, "kept %q: want inputs", name)
		}
	}
	if o.bits != 32 && o.bits != 64 {
		return fail(exitUsage, "bits %d: want 32 or 64", o.bits)
	}
	if _, err := library(o.kernels, o.overlap); err != nil {
		return err
	}
	if o.header != "" && o.schedule != schedule.Given.String() {
		return fail(exitUsage, "--c-header is for the file as it is, without a plan in it: --schedule would write another")
	}
	if err := distinct([2]string{"-o", o.out}, [2]string{"--c-header", o.header}, [2]string{"--self-test", o.selfTest}); err != nil {
		return err
	}
	if len(o.models) > 0 {
		return e.tflmTogether(files, &o)
	}
	if len(files) != 1 {
		return fail(exitUsage, "usage: memplan %s", e.cmd.usage())
	}
	if err := errors.Join(writable("-o", o.out), writable("--c-header", o.header, files...), writable("--self-test", o.selfTest, files...)); err != nil {
		return err
	}
	r, err := e.tflm(files[0], &o)
	if err != nil {
		return err
	}
	if r.Before < *r.Peak && r.today == ownOrSound {
		return fail(exitNo, "%s: left alone: its own plan%s takes %d bytes, and the best found %d", files[0], r.with, r.Before, *r.Peak)
	}
	if err := e.writeTFLM(r, &o); err != nil {
		return err
	}
	if e.ctx.Err() != nil && r.Status != model.Optimal.String() {
		return fail(exitLimit, "interrupted: %d bytes, bound %d", *r.Peak, r.Bound)
	}
	return nil
}

// A tflmReport says what a plan for TFLM is worth. Its peak is the head of the
// arena.
type tflmReport struct {
	json.Plan
	Runtime   string   `json:"runtime"`
	Own       int64    `json:"own"`                   // head that TFLM takes without a plan
	Before    int64    `json:"before"`                // head of the file as it is, also with a plan that does not hold
	Saved     int64    `json:"saved"`                 // by which arena_size may fall; negative: must rise
	Planning  int64    `json:"planning"`              // bytes that TFLM needs at the head's place while it plans
	ArenaSize *int64   `json:"arena_size,omitempty"`  // to set, where it is known what is used today
	Tail      *int64   `json:"persistent,omitempty"`  // of that what is not the head, and may be an arena of its own
	Order     int64    `json:"order_bound,omitempty"` // no order of the operators takes less
	Scratch   string   `json:"scratch"`               // where its amounts are from
	Requests  int      `json:"requests"`              // of scratch
	Kernels   string   `json:"kernels,omitempty"`     // that the plan is for; with others the answers may be wrong
	Overlaps  int      `json:"overlaps,omitempty"`    // outputs that lie over inputs
	Notes     []string `json:"notes,omitempty"`

	file  *tflite.File
	opt   tflite.Options
	today today
	with  string // ", for the kernels ..." that the file's plan depends on
	orderedPlan
	out []byte
}

// today says what TFLM does with the file as it is.
type today int

const (
	ownOrSound today = iota // it makes a plan, or follows a plan that holds
	unsound                 // it follows a plan that does not hold
	unknown                 // it finds a plan of which nobody can say what becomes
	unkept                  // it makes a plan that does not keep the inputs
)

// tflm plans a model and verifies what TFLM will make of the plan.
func (e *env) tflm(path string, o *tflmFlags) (*tflmReport, error) {
	data, err := e.read(path)
	if err != nil {
		return nil, err
	}
	r := &tflmReport{Runtime: tflite.TFLM.String()}
	if r.file, err = tflite.Read(data); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := r.file.Rewritable(); err != nil {
		return nil, fmt.Errorf("%s: no plan may be written into it:\n%w", path, err)
	}
	r.opt = tflite.Options{AliasViews: o.alias, KeepInputs: len(o.kept) > 0, Overlap: o.overlap}
	r.Kernels = o.kernels
	if r.opt.Kernels, err = library(o.kernels, o.overlap); err != nil {
		return nil, err
	}
	if r.opt.Scratch, r.Scratch, err = o.scratchOf(r.file, r.opt.Kernels); err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	if err := e.planOrders(r, name, o); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := r.check(e.ctx, path); err != nil {
		return nil, err
	}
	return r, r.fill(e.ctx, o)
}

// scratchOf is the scratch that the flags ask for, nil for the modelled one,
// and where it is from.
func (o *tflmFlags) scratchOf(f *tflite.File, library kernels.Library) (tflite.Scratch, string, error) {
	var s tflite.Scratch
	from := "modelled"
	if o.log != "" {
		log, err := os.Open(o.log)
		if err != nil {
			return nil, "", err
		}
		defer log.Close()
		if s, err = f.ScratchFromLog(log); err != nil {
			return nil, "", fmt.Errorf("%s: %w", o.log, err)
		}
		from = "log"
	}
	if len(o.scratch) == 0 {
		return s, from, nil
	}
	if s == nil {
		s = f.KernelScratch(library)
	}
	rules, err := inBytes(o.scratch)
	if err != nil {
		return nil, "", err
	}
	return s, from + ", given", s.Set(f, rules)
}

// inBytes writes the sizes of OP=SIZE, which may have units, in bytes.
func inBytes(rules []string) ([]string, error) {
	list := make([]string, len(rules))
	for k, rule := range rules {
		op, text, _ := strings.Cut(rule, "=")
		var size bytesValue
		if err := size.Set(text); err != nil {
			return nil, fail(exitUsage, "--scratch %q: want OP=BYTES: %w", rule, err)
		}
		list[k] = op + "=" + size.String()
	}
	return list, nil
}

// search asks the heuristics first, then the exact planner.
func (o *tflmFlags) search(watch func(model.Point)) tflite.Search {
	s := tflite.Search{Greedy: heuristics.TFLMGreedy{}}
	for _, name := range append(results.Heuristics(), "exact") {
		if c, err := results.Find(name, o.solver.settings(watch)); err == nil {
			s.Planners = append(s.Planners, c.Planner)
		}
	}
	s.Solve = func(ctx context.Context, p model.Planner, in *model.Instance) (model.Result, error) {
		if limit := time.Duration(o.solver.time); limit >= 0 {
			var stop context.CancelFunc
			ctx, stop = context.WithTimeout(ctx, limit)
			defer stop()
		}
		return results.Solve(ctx, p, in)
	}
	return s
}

// check writes the plan into the file, in memory, and checks what TFLM makes of
// the result: TFLM itself checks nothing.
func (r *tflmReport) check(ctx context.Context, path string) error {
	var err error
	var d *tflite.Declaration
	if used := r.arena.Overlaps(r.choice.Layout); len(used) > 0 {
		d = &tflite.Declaration{Kernels: r.opt.Kernels, Overlaps: used}
		r.Overlaps = len(used)
	}
	if r.out, err = r.ordered.WithPlan(r.choice.Offsets, d); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	written, err := tflite.Read(r.out)
	if err != nil {
		return fail(exitInternal, "%s: the written file: %w", path, err)
	}
	opt := r.opt
	opt.Scratch = opt.Scratch.Reorder(r.order)
	in, err := inside(ctx, written, opt, false)
	if err != nil {
		return fail(exitInternal, "%s: the written plan: %w", path, err)
	}
	if in.fault != nil || in.head != r.choice.Head {
		return fail(exitInternal, "%s: the written plan takes %d bytes, not %d: %w", path, in.head, r.choice.Head, in.fault)
	}
	return nil
}

// fill sets the report's figures.
func (r *tflmReport) fill(ctx context.Context, o *tflmFlags) error {
	a, c := r.arena, &r.choice
	result := model.Result{Plan: &c.Layout, Bound: c.Bound, Certificate: c.Certificate}
	r.Plan = json.Plan{
		Schema: 1, Instance: a.Instance.Name, Buffers: len(a.Apart.Buffers), Load: a.Instance.Load(), Peak: &c.Head, Bound: c.Bound,
		Status: result.Status(a.Apart).String(), Proof: model.ProofNone, Planner: c.Planner, Offsets: json.Of(a.Apart, &c.Layout),
	}
	if c.Certificate != nil {
		r.Proof = c.Certificate.Proof
	}
	r.Before, r.Planning = r.Own, a.Planning(int64(o.bits/8))
	if r.moved() > 0 {
		r.Schedule = r.operators()
	}
	r.Requests = len(a.Apart.Buffers) - a.Tensors
	r.Notes = append(r.Notes, a.Notes...)
	in, err := inside(ctx, r.file, r.opt, o.kernels != "")
	switch {
	case errors.Is(err, errNoPlan) && len(o.kept) > 0:
		r.today = unkept
	case errors.Is(err, errNoPlan):
	case err != nil:
		r.today = unknown
		r.Notes = append(r.Notes, "the file's earlier plan: "+err.Error()+"; so the head of today is not known")
	case in.fault != nil:
		r.Before, r.today = in.head, unsound
		r.Notes = append(r.Notes, "the file's earlier plan does not hold, and is replaced: "+in.fault.Error())
	default:
		r.Before = in.head
	}
	if in.kernels != "" {
		r.with = ", for the kernels " + in.kernels + ","
	}
	r.Saved = max(r.Before, r.Planning) - max(c.Head, r.Planning)
	if used := o.arenaUsed; used.set && r.today != unknown {
		if used.bytes < r.Before {
			return fail(exitUsage, "--arena-used %d is less than the head, %d bytes", used.bytes, r.Before)
		}
		r.ArenaSize, r.Tail = arenas(used.bytes-r.Before, max(c.Head, r.Planning))
	}
	return nil
}

// writeTFLM writes the model, the header and the report.
func (e *env) writeTFLM(r *tflmReport, o *tflmFlags) error {
	if o.out != "" {
		if err := e.write(o.out, func(w io.Writer) error { _, err := w.Write(r.out); return err }); err != nil {
			return err
		}
	}
	if o.header != "" {
		if err := e.write(o.header, func(w io.Writer) error { return r.arena.Header(w, r.choice, r.Instance) }); err != nil {
			return err
		}
	}
	if o.selfTest != "" {
		if err := e.write(o.selfTest, func(w io.Writer) error { return tflite.SelfTest(w, r.out, r.Instance) }); err != nil {
			return err
		}
	}
	if o.out == "-" || o.header == "-" || o.selfTest == "-" {
		return nil // standard output is taken
	}
	return e.write("", reported(r, o.json, r.text))
}
