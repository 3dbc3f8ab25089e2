package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"memplan/model"
	"memplan/model/graph"
	"memplan/model/json"
	"memplan/model/tflite/kernels"
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
	if s.again != nil && !o.overlap {
		list = append(list, way{"--runtime tflm --kernels " + overlapping(o).kernels + " --overlap", func(o *lowerFlags) { *o = overlapping(o) }})
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

// overlapping are flags with which a .tflite model's outputs may lie over its inputs,
// as far as the kernels let them.
func overlapping(o *lowerFlags) lowerFlags {
	over := *o
	over.runtime, over.kernels, over.overlap = "tflm", cmp.Or(o.kernels, kernels.Reference.String()), true
	return over
}

// by is a source lowered by other flags.
func (s *source) by(o lowerFlags) (*source, error) {
	if s.again != nil {
		return s.again(o)
	}
	return lowered(s.graph.Graph, o)
}

// hintTime is what is spent on one other way, at most.
const hintTime = 5 * time.Second

// otherwise says, of what is proven not to fit, with which other order of the
// operators, or sharing, or second memory it would fit, each with its figure.
func (e *env) otherwise(src *source, o *planFlags) (list []json.WayOut) {
	s := o.solver.settings(nil)
	if s.Limit < 0 || s.Limit > hintTime {
		s.Limit = hintTime
	}
	exact, err := results.Find("exact", s)
	if err != nil {
		return nil
	}
	found := false
	for _, w := range src.ways(&o.lower) {
		if e.ctx.Err() != nil || found && strings.Contains(w.name, " and ") {
			break // one of them is enough
		}
		flags := o.lower
		w.set(&flags)
		other, err := src.by(flags)
		if err != nil {
			continue
		}
		one := json.WayOut{Way: w.name, Status: json.WayUnknown, Why: "not decided within the limit"}
		switch bytes, short := e.fits(other, flags, o, exact); {
		case bytes > 0 && short == 0:
			one, found = json.WayOut{Way: w.name, Status: json.WayFits, Bytes: &bytes}, true
		case short > 0 && strings.Contains(w.name, " and ") && bytes >= src.needed():
			continue
		case short > 0:
			one = json.WayOut{Way: w.name, Status: json.WayNone, Bytes: &bytes, Short: short}
		}
		list = append(list, one)
	}
	slow := e.slow(src, s.Limit)
	if len(slow) == 0 {
		slow = e.elsewhere(src, o, exact, s.Limit)
	}
	return append(list, slow...)
}

// toldWays are ways out for people, on lines of their own, without those of which
// nothing is known.
func toldWays(list []json.WayOut) string {
	var text strings.Builder
	for _, w := range list {
		if line := toldWay(w); line != "" {
			text.WriteString("\n" + line)
		}
	}
	return text.String()
}

func toldWay(w json.WayOut) string {
	reached, copied := spill.Pieces.String(), spill.Staged.String()
	switch fits := w.Status == json.WayFits; {
	case w.Status == json.WayUnknown:
		return ""
	case w.Way == reached && fits:
		return fmt.Sprintf("with a slow memory of %d bytes it fits: each run writes %d bytes there and reads %d in this order; memplan fit says which", *w.Slow, *w.Written, *w.Read)
	case w.Way == reached:
		return "with a slow memory it does not fit, whatever is copied"
	case w.Way == copied && fits:
		return fmt.Sprintf("with one of %d bytes that operators do not reach it fits: each run stores %d bytes there and loads %d", *w.Slow, *w.Written, *w.Read)
	case w.Way == copied:
		return "with one that operators do not reach it does not fit, whatever is copied"
	case w.Way == secondMemory:
		names := make([]string, len(w.Buffers))
		for i, b := range w.Buffers {
			names[i] = fmt.Sprintf("%s (%d)", b.ID, b.Size)
		}
		return fmt.Sprintf("with a second memory of %d bytes, for %s, it fits: the rest takes %d", *w.Slow, shortened(names), *w.Bytes)
	case w.Way == allSpaces:
		return fmt.Sprintf("were every tensor allowed in each memory space it would fit: %d bytes in all of them together", *w.Bytes)
	case fits:
		return fmt.Sprintf("with %s it fits: %d bytes", w.Way, *w.Bytes)
	}
	return fmt.Sprintf("with %s at least %d bytes are needed, %d short", w.Way, *w.Bytes, w.Short)
}

// Ways that are no flags of plan, beside those of traffic.
const (
	secondMemory = "second"
	allSpaces    = "spaces"
)

// needed is the load of all arenas together.
func (s *source) needed() (bytes int64) {
	for _, in := range s.task.Arenas {
		bytes = model.SaturatingAdd(bytes, in.Load())
	}
	return bytes
}

// alone says which operator is too large by itself, and how many are: neither
// another order nor copying operands out and back makes them fit. On a line of its
// own; "" where there is none.
func (s *source) alone() string {
	list := s.operatorsAlone()
	if len(list) == 0 {
		return ""
	}
	text := "\n" + naming(list[:1])[0]
	if more := len(list) - 1; more > 0 {
		text += fmt.Sprintf("; %d more do not fit alone either", more)
	}
	return text
}

// operatorsAlone are those that are too large by themselves.
func (s *source) operatorsAlone() []spill.Operator {
	if s.graph == nil || len(s.task.Arenas) > 1 {
		return nil
	}
	list, err := spill.Alone(s.question(spill.Staged))
	if err != nil {
		return nil
	}
	return list
}

// listed are operators as JSON has them.
func listed(operators []spill.Operator) (list []json.Alone) {
	for _, op := range operators {
		one := json.Alone{ID: op.ID, Bytes: op.Bytes, Short: op.Bytes - op.Proof.Instance.Capacity}
		for k, b := range op.Proof.Instance.Buffers {
			one.Buffers = append(one.Buffers, json.Conflicting{ID: op.Values[k], Size: b.Size})
		}
		list = append(list, one)
	}
	return list
}

// question is what fit asks of a graph with one memory where no flag says otherwise.
func (s *source) question(way spill.Way) *spill.Question {
	q := &spill.Question{Graph: s.graph.Graph, Lowering: s.how, Capacity: s.task.Arenas[0].Capacity, Way: way, Overlap: true}
	q.Lowering.Assign, q.Lowering.Concat = nil, false
	return q
}

// slow says what is moved at least where there is a slow memory beside, as fit has
// it: one that operators reach, and one that tensors are only copied to and from.
func (e *env) slow(src *source, limit time.Duration) (list []json.WayOut) {
	if src.movable("") != nil || src.copyable("") != nil {
		return nil
	}
	for _, how := range []spill.Way{spill.Pieces, spill.Staged} {
		w := json.WayOut{Way: how.String(), Status: json.WayUnknown, Why: "not decided within the limit"}
		var row results.Traffic
		err := e.moved(src.question(how), &row, results.Settings{Limit: limit})
		switch a := row.Answer; {
		case errors.Is(err, spill.ErrTooLarge):
			w.Why = err.Error()
		case err != nil:
			return list
		case a.Fitted != nil:
			t, slow := a.Fitted.Traffic, a.Fitted.Lowered.Arenas[1].Load()
			w.Status, w.Why, w.Slow, w.Written, w.Read = json.WayFits, "", &slow, &t.Written, &t.Read
		case a.None != nil:
			w.Status, w.Why = json.WayNone, "an operator does not fit alone"
		}
		list = append(list, w)
	}
	return list
}

// fits plans what was lowered in another way. short is 0 where it is within its capacities,
// and bytes those of all its arenas together, 0 where that is not known; else
// bytes are needed at least, short more than there are.
func (e *env) fits(src *source, flags lowerFlags, o *planFlags, exact results.Choice) (bytes, short int64) {
	if o.setCapacity(src) != nil {
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

// elsewhere says what a second memory would have to hold; nothing where that is not
// known.
func (e *env) elsewhere(src *source, o *planFlags, exact results.Choice, limit time.Duration) []json.WayOut {
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
	all, err := lowered(&g, o.lower)
	if err != nil {
		return nil
	}
	if peak, short := e.fits(all, o.lower, o, exact); peak > 0 && short == 0 {
		return []json.WayOut{{Way: allSpaces, Status: json.WayFits, Bytes: &peak}}
	}
	return nil
}

// second says which buffers, in a memory of their own, leave what fits: those of
// the step of the load first, the smallest that is enough or else the largest, then
// those that lie above the capacity. An upper bound: fewer bytes may do.
func second(ctx context.Context, in *model.Instance, exact results.Choice) []json.WayOut {
	free := func(b model.Buffer) bool { return b.Offset == nil && b.Tie == nil }
	if slices.ContainsFunc(in.Buffers, func(b model.Buffer) bool { return b.Tie != nil }) {
		return nil
	}
	rest, moved := *in, model.Instance{Name: in.Name}
	rest.Buffers, rest.Capacity = slices.Clone(in.Buffers), 0
	move := func(i int) {
		moved.Buffers = append(moved.Buffers, rest.Buffers[i])
		rest.Buffers = slices.Delete(rest.Buffers, i, i+1)
	}
	for range in.Buffers {
		if ctx.Err() != nil {
			return nil
		}
		over := rest.Load() - in.Capacity
		var list []int
		if over > 0 {
			step, _ := rest.LoadStep()
			list = liveAt(&rest, step)
		} else {
			res, err := results.Solve(ctx, exact.Planner, &rest)
			if err != nil || res.Plan == nil {
				return nil
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
			return nil
		}
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(rest.Buffers[a].Size, rest.Buffers[b].Size) })
		enough := slices.IndexFunc(list, func(i int) bool { return rest.Buffers[i].Size >= over })
		if enough < 0 {
			enough = len(list) - 1
		}
		move(list[enough])
	}
	return nil
}

// split says what the two parts of an instance need.
func split(ctx context.Context, moved *model.Instance, peak int64, exact results.Choice) []json.WayOut {
	res, err := results.Solve(ctx, exact.Planner, moved)
	if err != nil || res.Plan == nil {
		return nil
	}
	slow := res.Plan.Peak(moved)
	w := json.WayOut{Way: secondMemory, Status: json.WayFits, Bytes: &peak, Slow: &slow}
	for _, b := range moved.Buffers {
		w.Buffers = append(w.Buffers, json.Conflicting{ID: b.ID, Size: b.Size})
	}
	return []json.WayOut{w}
}
