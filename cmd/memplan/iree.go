package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"memplan/model"
	"memplan/model/iree"
	"memplan/results"
	"memplan/verify"
)

// ireeVersion is the compiler that writing plans was tried with.
const ireeVersion = "iree-base-compiler 3.13.0"

// ireeFlags are the flags of iree.
type ireeFlags struct {
	solver solverFlags
	out    string
	align  bytesValue
	json   bool
}

// ireeVerb plans the slabs of a module of IREE's, and writes the plans into it.
func ireeVerb(e *env, args []string) error {
	var o ireeFlags
	f := e.flags()
	f.StringVarP(&o.out, "output", "o", "", "write the module with the plans in it to this file")
	f.Var(&o.align, "alignment", "of offsets and of reserved sizes (default: what the module gives, else 64)")
	f.BoolVar(&o.json, "json", false, "print the report as JSON")
	o.solver.add(f, "60s", 0)
	files, err := e.parse(f, args, 1, 1)
	if err != nil {
		return err
	}
	if err := writable("-o", o.out); err != nil {
		return err
	}
	r, err := e.iree(files[0], &o)
	if err != nil {
		return err
	}
	if o.out != "" {
		if err := e.write(o.out, func(w io.Writer) error { _, err := io.WriteString(w, r.out); return err }); err != nil {
			return err
		}
	}
	if o.out != "-" {
		if err := e.write("", reported(r, o.json, r.text)); err != nil {
			return err
		}
	}
	if e.ctx.Err() != nil && r.open {
		return fail(exitLimit, "interrupted before all slabs were proven")
	}
	return nil
}

// An ireeReport says what plans for a module are worth.
type ireeReport struct {
	Schema    int        `json:"schema"`
	Alignment int64      `json:"alignment"`
	TriedWith string     `json:"tried_with"`
	Before    int64      `json:"before"` // bytes of the slabs that are planned, by IREE
	After     int64      `json:"after"`
	Packs     []ireePack `json:"packs"`

	out  string
	open bool // some slab is not proven
}

// An ireePack is one slab of a module.
type ireePack struct {
	Function string `json:"function"`
	Line     int    `json:"line"`
	Kind     string `json:"kind,omitempty"` // of memory
	Slices   int    `json:"slices"`
	Left     string `json:"left,omitempty"` // as it was, and why
	Load     int64  `json:"load,omitempty"`
	Before   int64  `json:"before,omitempty"` // by IREE
	After    int64  `json:"after,omitempty"`
	Bound    int64  `json:"bound,omitempty"`
	Status   string `json:"status,omitempty"`
	Proof    string `json:"proof,omitempty"`
	Planner  string `json:"planner,omitempty"` // of the plan that is written
}

// iree plans a module's slabs, and writes them into its text, in memory.
func (e *env) iree(path string, o *ireeFlags) (*ireeReport, error) {
	data, err := e.read(path)
	if err != nil {
		return nil, err
	}
	f, err := iree.Read(bytes.NewReader(data), path)
	if err != nil {
		return nil, err
	}
	if f.Dump {
		return nil, fail(exitUsage, "%s: a dump of what IREE does: a plan goes into the module, as iree-opt prints it after --iree-stream-schedule-allocation", path)
	}
	if o.align.set {
		if err := f.Realign(o.align.bytes); err != nil {
			return nil, fail(exitUsage, "%w", err)
		}
	}
	r := &ireeReport{Schema: 1, Alignment: f.Align, TriedWith: ireeVersion}
	p := e.progress()
	defer p.done()
	choice, err := o.solver.choose("exact", p.point)
	if err != nil {
		return nil, err
	}
	plans := make([]iree.Written, len(f.Packs))
	for k := range f.Packs {
		pack, plan, err := e.ireePack(f, k, choice)
		if err != nil {
			return nil, err
		}
		plans[k] = plan
		r.add(pack)
	}
	if r.out, err = f.Planned(plans); err != nil {
		return nil, fmt.Errorf("%s:%w", path, err)
	}
	if err := written(f, r.out, plans); err != nil {
		return nil, fail(exitInternal, "%s: what would be written does not hold: %w", path, err)
	}
	return r, nil
}

// ireePack plans one slab; IREE's own plan is kept where ours is no better.
func (e *env) ireePack(f *iree.File, k int, choice results.Choice) (ireePack, iree.Written, error) {
	p := f.Packs[k]
	r := ireePack{Function: p.Function, Line: p.Line, Kind: p.Kind, Slices: len(p.Slices)}
	in, err := p.Instance(p.Name(), f.Align, true)
	if err != nil {
		r.Left = p.Why
		if r.Left == "" {
			r.Left = err.Error()
		}
		return r, iree.Written{}, nil
	}
	out := results.Run(e.ctx, &results.Task{Name: in.Name, Arenas: []*model.Instance{in}}, choice)
	if out.Err != nil {
		return r, iree.Written{}, fail(exitInternal, "%s: %w", p.Name(), out.Err)
	}
	own := f.IREE(k)
	if own == nil || verify.Plan(in, *own) != nil {
		return r, iree.Written{}, fail(exitInternal, "%s: IREE's plan, as it is replayed, does not hold", p.Name())
	}
	res := out.Results[0]
	best, before := res.Plan, own.Peak(in)
	r.Planner = choice.Planner.Name()
	if best == nil || best.Peak(in) >= before {
		best, r.Planner = own, "iree"
	}
	r.Before, r.After, r.Load, r.Bound, r.Proof = before, best.Peak(in), out.Record.Load, res.Bound, string(out.Record.Proof)
	r.Status = model.Result{Plan: best, Bound: res.Bound, Certificate: res.Certificate}.Status(in).String()
	return r, iree.Written{Plan: best, Size: r.After}, nil
}

func (r *ireeReport) add(p ireePack) {
	r.Packs = append(r.Packs, p)
	r.Before, r.After = r.Before+p.Before, r.After+p.After
	r.open = r.open || p.Left == "" && p.Status != model.Optimal.String()
}

// written reads back a module with plans in it, and verifies them: IREE itself
// checks none.
func written(f *iree.File, text string, plans []iree.Written) error {
	placed, err := f.Placed(text)
	if err != nil {
		return err
	}
	var faults []error
	for k, p := range f.Packs {
		if plans[k].Plan == nil {
			continue
		}
		in, err := p.Instance(p.Name(), f.Align, true)
		if err != nil {
			return err
		}
		in.Capacity = plans[k].Size
		for i, offset := range plans[k].Plan.Offsets {
			if placed[k].Offsets[i] < 0 { // nothing uses it
				placed[k].Offsets[i] = offset
			}
		}
		if err := verify.Plan(in, *placed[k]); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", p.Name(), err))
		}
	}
	return errors.Join(faults...)
}

// text prints the report for people.
func (r *ireeReport) text(w io.Writer) {
	for _, p := range r.Packs {
		p.text(w)
	}
	if n := len(slices.DeleteFunc(slices.Clone(r.Packs), func(p ireePack) bool { return p.Left != "" })); n != 1 {
		fmt.Fprintf(w, "%d of %d slabs planned: %d bytes before, %d after\n", n, len(r.Packs), r.Before, r.After)
	}
	fmt.Fprintf(w, "alignment %d; tried with %s\n", r.Alignment, ireeVersion)
}

func (p *ireePack) text(w io.Writer) {
	fmt.Fprintf(w, "%s, line %d: %d slices", p.Function, p.Line, p.Slices)
	if p.Kind != "" {
		fmt.Fprintf(w, " of %s memory", p.Kind)
	}
	if p.Left != "" {
		fmt.Fprintf(w, ", left as it is: %s\n", p.Left)
		return
	}
	fmt.Fprintf(w, "\n  IREE's own   %d bytes\n  now          %d bytes, ", p.Before, p.After)
	if p.Before > p.After {
		fmt.Fprintf(w, "%s %% less; ", inPercent(p.Before-p.After, p.Before))
	}
	if p.Planner == "iree" {
		fmt.Fprint(w, "IREE's plan, for there is none better known; ")
	}
	fmt.Fprintf(w, "load %d; ", p.Load)
	if p.After == p.Bound {
		fmt.Fprintf(w, "optimal (proof: %s)\n", p.Proof)
	} else {
		fmt.Fprintf(w, "bound %d (proof: %s)\n", p.Bound, p.Proof)
	}
}
