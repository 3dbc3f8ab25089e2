package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"memplan/model"
	"memplan/model/csv"
	"memplan/model/json"
	"memplan/results"
)

// writePlan writes an outcome: the table with offsets, one JSON object, or a
// small report.
func (s *source) writePlan(w io.Writer, out results.Outcome, format string) error {
	switch format {
	case "json":
		p := s.plan(out)
		return p.Write(w)
	case "text":
		return s.report(w, out)
	}
	if s.table != nil {
		return s.table.Write(w, out.Results[0].Plan)
	}
	in, p := s.values(plans(out))
	return csv.Write(w, in, p, s.pools())
}

// plan is an outcome as JSON has it.
func (s *source) plan(out results.Outcome) json.Plan {
	p := out.Record.Plan
	p.Offsets, p.Schedule = s.offsets(out), s.order()
	if s.given != nil && p.Offsets != nil { // they follow as numbers
		p.Offsets, s.given.placed = nil, out.Results[0].Plan.Offsets
	}
	if p.Status == model.Infeasible.String() {
		p.Conflict, p.Alone, p.Ways = s.conflict(out), listed(s.operatorsAlone()), s.waysOut
	}
	if pools := s.pools(); pools != nil {
		in := s.named()
		for i, pool := range pools {
			p.Pools = append(p.Pools, json.Pool{ID: in.Buffers[i].ID, Space: pool})
		}
	}
	return p
}

// pools names the memory space of each buffer that FILE names, where it has
// several.
func (s *source) pools() []string {
	switch {
	case s.graph != nil:
		return s.graph.Pools()
	case len(s.task.Arenas) > 1:
		_, of := joined(s.task.Arenas)
		return of
	}
	return nil
}

// named is what FILE names: the buffers, or every tensor of a graph that is in
// an arena.
func (s *source) named() *model.Instance {
	switch {
	case s.graph != nil:
		return s.graph.Values
	case len(s.task.Arenas) > 1:
		all, _ := joined(s.task.Arenas)
		return all
	}
	return s.task.Arenas[0]
}

// planText reads a file with a plan in CSV or JSON. A model or dump that may hold one
// itself is no such file.
func (e *env) planText(file string) ([]byte, kind, error) {
	data, err := e.read(file)
	if err != nil {
		return nil, kindCSV, err
	}
	k := kindOf(file, data)
	if k == kindTFLite || !utf8.Valid(data) && foreignOf(data) != nil {
		return nil, k, fail(exitUsage, "%s is no plan in CSV or JSON; the plan in it is checked by memplan verify %s alone", file, file)
	}
	return data, k, nil
}

// readPlan reads a plan of what FILE names, as plans of its arenas. What they
// are worth is not looked at.
func (s *source) readPlan(e *env, file string) ([]model.Plan, error) {
	if file == "-" && e.given != nil {
		if e.given.plan == nil {
			return nil, fail(exitUsage, "there is no column plan")
		}
		return []model.Plan{{Offsets: e.given.plan}}, nil
	}
	data, kind, err := e.planText(file)
	if err != nil {
		return nil, err
	}
	read := csv.ReadPlan
	if kind == kindJSON {
		read = json.ReadPlan
	}
	named := s.named()
	if len(s.task.Arenas) > 1 && s.graph == nil {
		if id := twice(named); id != "" {
			return nil, fmt.Errorf("%s: two buffers of different arenas are %q: a plan by names cannot say which it means", file, id)
		}
	}
	p, pools, err := read(bytes.NewReader(data), file, named)
	if err != nil {
		return nil, err
	}
	if s.graph == nil {
		for i, pool := range s.pools() {
			if i < len(pools) && pools[i] != "" && pools[i] != pool {
				return nil, fmt.Errorf("%s: buffer %q: the plan puts it into pool %q; it is in %q", file, named.Buffers[i].ID, pools[i], pool)
			}
		}
		return s.apart(p), nil
	}
	// The plan says which memory each value is in.
	o := s.how
	if o.InSpace, err = s.graph.InSpace(pools); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	l, err := s.graph.Graph.Lower(o)
	if err != nil {
		return nil, err
	}
	s.graph, s.task.Arenas, s.task.Reserved = l, l.Arenas, l.Reserved
	plans := l.ArenaPlans(p)
	for i, at := range l.ValuePlan(plans).Offsets {
		if at != p.Offsets[i] {
			return nil, fmt.Errorf("%s: tensor %q at %d: it is a view that no operator copies, and its base puts it at %d", file, l.Values.Buffers[i].ID, p.Offsets[i], at)
		}
	}
	for k := range plans {
		s.task.Release(k, s.task.Top(k, plans[k]))
		plans[k].Offsets = plans[k].Offsets[:len(s.task.Arenas[k].Buffers)]
	}
	return plans, nil
}

// twice is the first id that two buffers have; "" where there is none.
func twice(in *model.Instance) string {
	seen := make(map[string]bool, len(in.Buffers))
	for i := range in.Buffers {
		id := in.Buffers[i].ID
		if seen[id] {
			return id
		}
		seen[id] = true
	}
	return ""
}

// apart is a plan of what FILE names as plans of its arenas, one after another.
func (s *source) apart(p model.Plan) []model.Plan {
	plans := make([]model.Plan, len(s.task.Arenas))
	from := 0
	for k, in := range s.task.Arenas {
		plans[k].Offsets = p.Offsets[from : from+len(in.Buffers)]
		from += len(in.Buffers)
	}
	return plans
}

// plans are an outcome's plans; nil where an arena has none.
func plans(out results.Outcome) []model.Plan {
	list := make([]model.Plan, len(out.Results))
	for k := range out.Results {
		if out.Results[k].Plan == nil {
			return nil
		}
		list[k] = *out.Results[k].Plan
	}
	return list
}

// values is what FILE names, with where the arenas' plans put it.
func (s *source) values(plans []model.Plan) (*model.Instance, *model.Plan) {
	switch {
	case plans == nil:
		return s.task.Arenas[0], nil
	case s.graph != nil:
		p := s.graph.ValuePlan(plans)
		return s.graph.Values, &p
	}
	var all model.Plan
	for _, p := range plans {
		all.Offsets = append(all.Offsets, p.Offsets...)
	}
	return s.named(), &all
}

// offsets lists where everything that FILE names lies.
func (s *source) offsets(out results.Outcome) json.Offsets {
	in, p := s.values(plans(out))
	if p == nil {
		return nil
	}
	return json.Of(in, p)
}

// report is a plan's worth in a few lines.
func (s *source) report(w io.Writer, out results.Outcome) error {
	r := &out.Record
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-9s  %s\n", name, fmt.Sprintf(format, args...))
	}
	line("instance", "%s", r.Instance)
	line("planner", "%s", r.Planner)
	line("buffers", "%d", r.Buffers)
	if order := s.order(); order != nil {
		line("order", "%s", results.InOrder(order))
	}
	if pins := s.pins(); pins != "" {
		line("pinned", "%s", pins)
	}
	together := ""
	if n := len(s.task.Arenas); n > 1 {
		together = fmt.Sprintf(" in %d memory spaces together", n)
	}
	for _, space := range r.Spaces {
		line("space", "%s", inSpace(&space))
	}
	if r.Moved != nil {
		line("moved", "%s", moved(r.Moved))
	}
	line("load", "%s%s", sized(r.Load), together)
	if r.Peak == nil {
		line("peak", "no plan")
		line("bound", "%d bytes (proof: %s)", r.Bound, r.Proof)
		return nil
	}
	line("peak", "%s%s", sized(*r.Peak), together)
	if total, ok := s.total(); ok && total > 0 {
		line("saved", "%s %% of %s", inPercent(total-*r.Peak, total), sized(total))
	}
	line("stacks", "%d ranges of addresses; no buffer lies in two", s.stacks(out))
	if *r.Peak == r.Bound {
		line("proven", "optimal%s (proof: %s)", withPins(r), r.Proof)
	} else {
		line("bound", "%d bytes (proof: %s), gap %s %%", r.Bound, r.Proof, inPercent(*r.Peak-r.Bound, r.Bound))
	}
	if in := s.task.Arenas[0]; together == "" && in.Capacity > 0 {
		line("capacity", "%s: %s", s.capacity(in), s.fit(out))
	} else if r.Status == model.Infeasible.String() || r.Status == model.Unknown.String() {
		line("capacity", "%s", r.Status)
	}
	if s.task.Waste > 0 {
		line("waste", "%s by rounding, of all buffers together", sized(s.task.Waste))
	}
	if r.Weights != nil {
		line("weights", "%s, apart", sized(*r.Weights))
	}
	if text := s.reservations(); text != "" {
		line("reserved", "%s", text)
	}
	return nil
}

// fit says whether a plan is within the capacity.
func (s *source) fit(out results.Outcome) string {
	switch in, res := s.task.Arenas[0], &out.Results[0]; {
	case res.Plan.Peak(in) <= in.Capacity:
		return "it fits"
	case res.Bound > in.Capacity:
		return "it does not fit (" + out.Record.Status + ")"
	}
	return "undecided (" + out.Record.Status + ")"
}

// withPins says of what is proven that it is proven with pins.
func withPins(r *results.Record) string {
	if r.Pinned == 0 {
		return ""
	}
	return " with these pinned"
}

// inSpace is what is known of one of several memory spaces.
func inSpace(s *json.Space) string {
	text := fmt.Sprintf("%s: load %d, ", s.ID, s.Load)
	if s.Peak != nil {
		text += fmt.Sprintf("peak %d, ", *s.Peak)
	}
	text += fmt.Sprintf("bound %d", s.Bound)
	if s.Capacity > 0 {
		text += fmt.Sprintf(", capacity %d", s.Capacity)
	}
	return text + ": " + s.Status
}

// total is the bytes of all buffers.
func (s *source) total() (sum int64, ok bool) {
	for k := range s.task.Arenas {
		part, fits := s.task.Tensors(k).Sum()
		if !fits {
			return 0, false
		}
		if sum, ok = model.Add(sum, part); !ok {
			return 0, false
		}
	}
	return sum, true
}

// stacks counts the address ranges that a plan falls apart into: no buffer lies
// in two of them.
func (s *source) stacks(out results.Outcome) int {
	ranges := 0
	for k, in := range s.task.Arenas {
		order := make([]int, 0, len(in.Buffers))
		for i := range in.Buffers {
			if in.Buffers[i].Size > 0 {
				order = append(order, i)
			}
		}
		at := out.Results[k].Plan.Offsets
		slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(at[a], at[b]), cmp.Compare(a, b)) })
		end := int64(-1)
		for _, i := range order {
			if at[i] >= end {
				ranges++
			}
			end = max(end, at[i]+in.Buffers[i].Size)
		}
	}
	return ranges
}
