package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"memplan/model"
	"memplan/model/graph"
	"memplan/model/pte"
	"memplan/model/schedule"
	"memplan/results"
	"memplan/verify"
)

// loadProgram reads a .pte program: the memories of all methods that can be
// planned, and the plans in force.
func loadProgram(file, name string, data []byte, o lowerFlags) (*source, error) {
	p, err := pte.Read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	a, err := p.Arenas(0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	a.Graph.Name = name
	src, err := lowered(a.Graph, o)
	if err != nil {
		return nil, err
	}
	src.program, src.arenas = p, a
	for k, plan := range a.InForce(src.graph) {
		src.found = append(src.found, model.Found{Instance: src.task.Arenas[k], Plan: &plan})
	}
	for _, l := range a.Left {
		src.said = append(src.said, "left alone: "+l.String())
		if o := (*pte.Overlap)(nil); errors.As(l.Why, &o) {
			src.broken = errors.Join(src.broken, l.Why)
		}
	}
	src.said = append(src.said, a.Notes...)
	return src, nil
}

// executorchFlags are the flags of executorch.
type executorchFlags struct {
	solver   solverFlags
	out      string
	schedule string
	json     bool
	align    bytesValue
}

// executorchVerb plans the memories of an ExecuTorch program, and writes the
// plans into it.
func executorchVerb(e *env, args []string) error {
	var o executorchFlags
	f := e.flags()
	f.StringVarP(&o.out, "output", "o", "", "write the program with the plans in it to this file")
	f.StringVar(&o.schedule, "schedule", "given", "order of the instructions: given, kahn, dfs, memory, optimal")
	f.Var(&o.align, "alignment", "of every tensor; 0 is the exporter's default, 16")
	f.BoolVar(&o.json, "json", false, "print the report as JSON")
	o.solver.add(f, "60s", 0)
	files, err := e.parse(f, args, 1, 1)
	if err != nil {
		return err
	}
	if f.Changed("formulation") {
		return fail(exitUsage, "--formulation is of the planner ilp; executorch asks exact")
	}
	if a := o.align.bytes; a&(a-1) != 0 || a > 1<<20 {
		return fail(exitUsage, "--alignment %d: want a power of two, at most 1 MiB", a)
	}
	if err := writable("-o", o.out); err != nil {
		return err
	}
	r, err := e.executorch(files[0], &o)
	if err != nil {
		return err
	}
	if err := e.writeExecutorch(r, &o); err != nil {
		return err
	}
	if e.ctx.Err() != nil && !r.optimal() {
		return fail(exitLimit, "interrupted: %d bytes, bound %d", r.After, r.Bound)
	}
	return nil
}

// An executorchReport says what the plans of a program's memories are worth.
type executorchReport struct {
	Schema   int            `json:"schema"`
	Program  string         `json:"program"`
	Before   int64          `json:"before"` // bytes of all memories that were planned
	After    int64          `json:"after"`
	Bound    int64          `json:"bound"`
	Memories []memoryReport `json:"memories"`
	Left     []string       `json:"left,omitempty"`
	Notes    []string       `json:"notes,omitempty"`

	program *pte.Program
	placed  pte.Placement
	out     []byte
}

// A memoryReport is about one memory of one method. Its sizes are what the
// runtime is asked for, padding included.
type memoryReport struct {
	Method    string `json:"method"`
	Memory    int    `json:"memory"`
	Tensors   int    `json:"tensors"`
	Before    int64  `json:"before"`
	After     int64  `json:"after"`
	Load      int64  `json:"load"`
	Bound     int64  `json:"bound"` // no plan takes less, in the order written
	Padding   int64  `json:"padding"`
	Status    string `json:"status"`
	Proof     string `json:"proof"`
	Planner   string `json:"planner,omitempty"` // "" where the plan in force stays
	Reordered bool   `json:"reordered,omitempty"`
}

func (r *executorchReport) optimal() bool { return r.After == r.Bound }

// executorch plans a program's methods one by one, and verifies the file that
// results.
func (e *env) executorch(path string, o *executorchFlags) (*executorchReport, error) {
	data, err := e.read(path)
	if err != nil {
		return nil, err
	}
	r := &executorchReport{Schema: 1, Program: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))}
	if r.program, err = pte.Read(data); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	kind, err := schedule.Parse(o.schedule)
	if err != nil {
		return nil, fail(exitUsage, "%w", err)
	}
	r.placed = r.program.Unchanged()
	var faults []error
	for i := range r.program.Methods {
		a, err := r.program.Arenas(o.align.bytes, i)
		if err != nil {
			faults, r.Left = append(faults, err), append(r.Left, err.Error())
			continue
		}
		if err := e.planMethod(r, a, kind, o); err != nil {
			return nil, err
		}
	}
	if len(r.Memories) == 0 {
		return nil, fail(exitUsage, "%s: nothing in it can be planned:\n%w", path, errors.Join(faults...))
	}
	for _, m := range r.Memories {
		r.Before, r.After, r.Bound = r.Before+m.Before, r.After+m.After, r.Bound+m.Bound
	}
	if r.out, err = r.program.With(r.placed); err != nil {
		return nil, fail(exitUsage, "%s: no plan can be written into it: %w", path, err)
	}
	if err := r.check(); err != nil {
		return nil, fail(exitInternal, "%s: the written program: %w", path, err)
	}
	return r, nil
}

// A methodPlan is an order of a method's instructions, and plans for it.
type methodPlan struct {
	arenas  *pte.Arenas
	lowered *graph.Lowered
	out     results.Outcome
	reports []memoryReport
}

// planMethod plans a method in the order given and, where another is asked for,
// in that one: it is taken where it saves bytes.
func (e *env) planMethod(r *executorchReport, a *pte.Arenas, kind schedule.Kind, o *executorchFlags) error {
	best, err := e.planOrder(r, a, schedule.Given, o)
	if err != nil {
		return err
	}
	if kind != schedule.Given {
		if err := a.Movable(); err != nil {
			r.Left = append(r.Left, err.Error())
		} else if other, err := e.planOrder(r, a, kind, o); err != nil {
			return err
		} else if other.size() < best.size() {
			best = other
		}
	}
	plans := make([]model.Plan, len(best.reports))
	for k, m := range best.reports {
		if m.Planner != "" {
			plans[k] = *best.out.Results[k].Plan
		}
	}
	a.Place(&r.placed, best.lowered, plans)
	r.Memories = append(r.Memories, best.reports...)
	for _, l := range a.Left {
		r.Left = append(r.Left, l.String())
	}
	r.Notes = append(r.Notes, a.Notes...)
	for _, n := range best.lowered.Notes {
		if n.Kind == graph.Schedule {
			r.Notes = append(r.Notes, n.Text)
		}
	}
	if best.reports[0].Reordered {
		r.Notes = append(r.Notes, fmt.Sprintf("method %q: its instructions run in another order; what counts them, as an ETRecord's debug handles do, no longer fits", best.reports[0].Method))
	}
	return nil
}

func (m *methodPlan) size() (sum int64) {
	for _, r := range m.reports {
		sum += r.After
	}
	return sum
}

// planOrder plans the memories of a method in an order of its instructions.
func (e *env) planOrder(r *executorchReport, a *pte.Arenas, kind schedule.Kind, o *executorchFlags) (*methodPlan, error) {
	a.Graph.Name = r.Program
	l, err := a.Graph.Lower(graph.LowerOptions{Schedule: kind})
	if err != nil {
		return nil, fail(exitInternal, "%w", err)
	}
	p := e.progress()
	defer p.done()
	choice, err := o.solver.choose("exact", p.point)
	if err != nil {
		return nil, err
	}
	task := &results.Task{Name: r.Program, Arenas: l.Arenas}
	for _, s := range a.Graph.Spaces {
		task.Spaces = append(task.Spaces, s.ID)
	}
	m := &methodPlan{arenas: a, lowered: l, out: results.Run(e.ctx, task, choice)}
	if m.out.Err != nil {
		return nil, fail(exitInternal, "%w", m.out.Err)
	}
	reordered := a.Reordered(l)
	for k, in := range l.Arenas {
		m.reports = append(m.reports, m.report(k, in, reordered))
	}
	return m, nil
}

// report says what the plan of one arena is worth; where it takes no less than
// the one in force, and that holds, that stays.
func (m *methodPlan) report(k int, in *model.Instance, reordered bool) memoryReport {
	res := m.out.Results[k]
	t := memoryReport{Tensors: len(in.Buffers), Load: in.Load(), Proof: string(model.ProofLoad), Reordered: reordered, Planner: m.out.Record.Planner}
	t.Method, t.Memory, t.Before, t.Padding = m.arenas.Memory(k)
	t.Bound, t.After = m.arenas.Size(k, res.Bound), t.Before
	if res.Certificate != nil {
		t.Proof = string(res.Certificate.Proof)
	}
	if res.Plan != nil {
		t.After = m.arenas.Size(k, max(res.Plan.Peak(in), m.arenas.Idle(k)))
	}
	t.Bound = max(t.Bound, m.arenas.Size(k, m.arenas.Idle(k)))
	force := m.arenas.InForce(m.lowered)[k]
	if res.Plan == nil || t.After >= t.Before && !reordered && verify.Plan(in, force) == nil {
		t.After, t.Planner = t.Before, ""
	}
	t.Status = model.Feasible.String()
	if t.After <= t.Bound {
		t.Status = model.Optimal.String()
	}
	return t
}

// check checks the program that was written, in memory, and the sizes that were
// reported. ExecuTorch checks none of that.
func (r *executorchReport) check() error {
	a, l, err := rewritten(r.out, r.program, r.placed)
	if err != nil {
		return err
	}
	if len(l.Arenas) != len(r.Memories) {
		return fmt.Errorf("%d memories can be planned, and %d were", len(l.Arenas), len(r.Memories))
	}
	for k := range l.Arenas {
		if method, number, size, _ := a.Memory(k); r.Memories[k].Method != method || r.Memories[k].Memory != number || r.Memories[k].After != size {
			return fmt.Errorf("memory %d of method %q takes %d bytes, which is not what was planned", number, method, size)
		}
	}
	return nil
}

// writeExecutorch writes the program and the report.
func (e *env) writeExecutorch(r *executorchReport, o *executorchFlags) error {
	if o.out != "" {
		if err := e.write(o.out, func(w io.Writer) error { _, err := w.Write(r.out); return err }); err != nil {
			return err
		}
	}
	if o.out == "-" {
		return nil // standard output is taken
	}
	return e.write("", reported(r, o.json, r.text))
}

// text prints the report for people.
func (r *executorchReport) text(w io.Writer) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-9s  "+format+"\n", append([]any{name}, args...)...)
	}
	for _, m := range r.Memories {
		line("memory", "%s, number %d: %d tensors", m.Method, m.Memory, m.Tensors)
		line("before", "%d bytes", m.Before)
		line("after", "%d bytes, %s %% less; load %d%s; %s", m.After, inPercent(m.Before-m.After, m.Before), m.Load, m.extras(), m.worth())
	}
	for _, text := range r.Left {
		line("left", "%s", text)
	}
	for _, text := range r.Notes {
		line("note", "%s", text)
	}
}

func (m *memoryReport) extras() string {
	text := ""
	if m.Padding > 0 {
		text += fmt.Sprintf(" and %d of padding", m.Padding)
	}
	if m.Reordered {
		text += ", instructions in another order"
	}
	return text
}

// worth is what is known of the plan's optimality.
func (m *memoryReport) worth() string {
	if m.After <= m.Bound {
		return fmt.Sprintf("optimal (proof: %s)", m.Proof)
	}
	return fmt.Sprintf("at most %s %% above the optimum (bound %d, proof: %s)", inPercent(m.After-m.Bound, m.Bound), m.Bound, m.Proof)
}
