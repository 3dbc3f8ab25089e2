package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"memplan/model"
	"memplan/model/graph"
	"memplan/results"
	"memplan/spill"
)

// A way is another choice of how a graph is lowered.
type way struct {
	name string // as flags
	set  func(*lowerFlags)
}

// ways lists what may be tried where a graph does not fit: each choice that was
// not made, then all of them together.
func (s *source) ways(o *lowerFlags) (list []way) {
	if s.graph == nil {
		return nil
	}
	if o.schedule != "optimal" {
		list = append(list, way{"--schedule optimal", func(o *lowerFlags) { o.schedule = "optimal" }})
	}
	laid := func(op graph.Op) bool { return op.Layout != graph.Apart }
	if o.concat != "in-place" && slices.ContainsFunc(s.graph.Graph.Ops, laid) {
		list = append(list, way{"--concat in-place", func(o *lowerFlags) { o.concat = "in-place" }})
	}
	if o.copyViews {
		list = append(list, way{"views that share (without --copy-views)", func(o *lowerFlags) { o.copyViews = false }})
	}
	if len(list) > 1 {
		all := slices.Clone(list)
		names := make([]string, len(all))
		for k, w := range all {
			names[k] = w.name
		}
		list = append(list, way{strings.Join(names, " and "), func(o *lowerFlags) {
			for _, w := range all {
				w.set(o)
			}
		}})
	}
	return list
}

// hintTime is what is spent on one other way, at most.
const hintTime = 5 * time.Second

// otherwise says, of what is proven not to fit, which other order of the operators,
// or sharing, or second memory it would fit with, each with its figure, on lines of
// their own; "" where none is known.
func (e *env) otherwise(src *source, o *planFlags) string {
	s := o.solver.settings(nil)
	if s.Limit < 0 || s.Limit > hintTime {
		s.Limit = hintTime
	}
	exact, err := results.Find("exact", s)
	if err != nil {
		return ""
	}
	var lines []string
	found := false
	for _, w := range src.ways(&o.lower) {
		if e.ctx.Err() != nil || found && strings.Contains(w.name, " and ") {
			break // one of them is enough
		}
		flags := o.lower
		w.set(&flags)
		switch bytes, short := e.fits(src.graph.Graph, flags, o, exact); {
		case bytes > 0 && short == 0:
			lines, found = append(lines, fmt.Sprintf("with %s it fits: %d bytes", w.name, bytes)), true
		case short > 0 && bytes < src.needed(): // it helps, though not enough
			lines = append(lines, fmt.Sprintf("with %s at least %d bytes are needed, %d short", w.name, bytes, short))
		}
	}
	if !found {
		lines = append(src.alone(), lines...)
	}
	if text := cmp.Or(e.slow(src, s.Limit), e.elsewhere(src, o, exact, s.Limit)); text != "" {
		lines = append(lines, text)
	}
	var text strings.Builder
	for _, line := range lines {
		text.WriteString("\n" + line)
	}
	return text.String()
}

// needed is the load of all arenas together.
func (s *source) needed() (bytes int64) {
	for _, in := range s.task.Arenas {
		bytes = model.SaturatingAdd(bytes, in.Load())
	}
	return bytes
}

// alone says which operator is too large by itself, and how many are: neither
// another order nor copying operands out and back makes them fit.
func (s *source) alone() []string {
	if s.graph == nil || len(s.task.Arenas) > 1 {
		return nil
	}
	list, err := spill.Alone(s.question(spill.Staged))
	if err != nil || len(list) == 0 {
		return nil
	}
	text := naming(list[:1])[0]
	if more := len(list) - 1; more > 0 {
		text += fmt.Sprintf("; %d more do not fit alone either", more)
	}
	return []string{text}
}

// question is what fit asks of a graph with one memory where no flag says otherwise.
func (s *source) question(way spill.Way) *spill.Question {
	q := &spill.Question{Graph: s.graph.Graph, Lowering: s.how, Capacity: s.task.Arenas[0].Capacity, Way: way, Overlap: true}
	q.Lowering.Assign, q.Lowering.Concat = nil, false
	return q
}

// slow says what is moved at least where there is a slow memory beside, as fit
// has it; "" where that is not known.
func (e *env) slow(src *source, limit time.Duration) string {
	if src.graph == nil || len(src.task.Arenas) > 1 {
		return ""
	}
	ctx, stop := context.WithTimeout(e.ctx, limit)
	defer stop()
	a, err := results.Fit(ctx, src.question(spill.Pieces), results.Settings{Limit: limit})
	if err != nil || a.Fitted == nil {
		return ""
	}
	t := a.Fitted.Traffic
	return fmt.Sprintf("with a slow memory of %d bytes it fits: each run writes %d bytes there and reads %d; memplan fit says which",
		a.Fitted.Lowered.Open[1].Load(), t.Written, t.Read)
}

// fits plans a graph in another way. short is 0 where it is within its capacities,
// and bytes those of all its arenas together, 0 where that is not known; else
// bytes are needed at least, short more than there are.
func (e *env) fits(g *graph.Graph, flags lowerFlags, o *planFlags, exact results.Choice) (bytes, short int64) {
	src, err := lowered(g, flags)
	if err != nil || o.setCapacity(src) != nil {
		return 0, 0
	}
	for _, in := range src.task.Arenas {
		if load := in.Load(); in.Capacity > 0 && load > in.Capacity && !src.undecided() {
			return load, load - in.Capacity
		}
	}
	out, err := e.run(src, exact, flags.grain.bytes)
	if err != nil || out.Err != nil || out.Record.Peak == nil {
		return 0, 0
	}
	for k, in := range src.task.Arenas {
		if in.Capacity > 0 && out.Results[k].Plan.Peak(in) > in.Capacity {
			return 0, 0
		}
	}
	return *out.Record.Peak, 0
}

// elsewhere says what a second memory would have to hold.
func (e *env) elsewhere(src *source, o *planFlags, exact results.Choice, limit time.Duration) string {
	if len(src.task.Arenas) == 1 {
		ctx, stop := context.WithTimeout(e.ctx, limit)
		defer stop()
		return second(ctx, src.task.Arenas[0], exact)
	}
	g := *src.graph.Graph
	g.Tensors = slices.Clone(g.Tensors)
	for t := range g.Tensors {
		list := slices.Clone(g.Tensors[t].Spaces)
		if len(list) == 0 {
			list = []int{0}
		}
		for space := range g.Spaces {
			if !slices.Contains(list, space) {
				list = append(list, space)
			}
		}
		g.Tensors[t].Spaces = list
	}
	if peak, short := e.fits(&g, o.lower, o, exact); peak > 0 && short == 0 {
		return fmt.Sprintf("were every tensor allowed in each memory space it would fit: %d bytes in all of them together", peak)
	}
	return ""
}

// second says which buffers, in a memory of their own, leave what fits: those of
// the step of the load first, the smallest that is enough or else the largest, then
// those that lie above the capacity. An upper bound: fewer bytes may do.
func second(ctx context.Context, in *model.Instance, exact results.Choice) string {
	free := func(b model.Buffer) bool { return b.Offset == nil && b.Tie == nil }
	if slices.ContainsFunc(in.Buffers, func(b model.Buffer) bool { return b.Tie != nil }) {
		return ""
	}
	rest, moved := *in, model.Instance{Name: in.Name}
	rest.Buffers, rest.Capacity = slices.Clone(in.Buffers), 0
	move := func(i int) {
		moved.Buffers = append(moved.Buffers, rest.Buffers[i])
		rest.Buffers = slices.Delete(rest.Buffers, i, i+1)
	}
	for range in.Buffers {
		if ctx.Err() != nil {
			return ""
		}
		over := rest.Load() - in.Capacity
		var list []int
		if over > 0 {
			step, _ := rest.LoadStep()
			list = liveAt(&rest, step)
		} else {
			res, err := results.Solve(ctx, exact.Planner, &rest)
			if err != nil || res.Plan == nil {
				return ""
			}
			if peak := res.Plan.Peak(&rest); peak <= in.Capacity {
				return split(ctx, &moved, peak, exact)
			}
			for i := range rest.Buffers {
				if res.Plan.Offsets[i]+rest.Buffers[i].Size > in.Capacity {
					list = append(list, i)
				}
			}
		}
		list = slices.DeleteFunc(list, func(i int) bool { return !free(rest.Buffers[i]) })
		if len(list) == 0 {
			return ""
		}
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(rest.Buffers[a].Size, rest.Buffers[b].Size) })
		enough := slices.IndexFunc(list, func(i int) bool { return rest.Buffers[i].Size >= over })
		if enough < 0 {
			enough = len(list) - 1
		}
		move(list[enough])
	}
	return ""
}

// split says what the two parts of an instance need.
func split(ctx context.Context, moved *model.Instance, peak int64, exact results.Choice) string {
	res, err := results.Solve(ctx, exact.Planner, moved)
	if err != nil || res.Plan == nil {
		return ""
	}
	names := make([]string, len(moved.Buffers))
	for i, b := range moved.Buffers {
		names[i] = fmt.Sprintf("%s (%d)", b.ID, b.Size)
	}
	return fmt.Sprintf("with a second memory of %d bytes, for %s, it fits: the rest takes %d", res.Plan.Peak(moved), shortened(names), peak)
}
