package traffic

import (
	"errors"
	"fmt"
	"slices"

	"memplan/model"
	"memplan/model/graph"
	"memplan/verify"
)

// ErrNames is why nothing is checked of a graph: a fitted one is told by its
// operators' names from the one before.
var ErrNames = errors.New("two operators have one name")

// Check checks that a certificate proves that no graph fitted as is was, in its
// order of the operators, costs less than the certificate's bound, and that is is
// such a graph. It returns what is costs. was is the graph before; how, what it is
// lowered by. Package verify/copies says whether is does what was does.
func Check(was *graph.Graph, how graph.LowerOptions, is *graph.Lowered, c *model.Certificate) (cost int64, err error) {
	if c.Proof != model.ProofTraffic || c.Traffic == nil {
		return 0, fmt.Errorf("a proof of kind %q is none of what is moved", c.Proof)
	}
	q := &c.Traffic.Question
	if err := keeps(was, is, q); err != nil {
		return 0, err
	}
	before, err := inOrder(was, is)
	if err != nil {
		return 0, err
	}
	how.Fuse = graph.FuseDeclared
	asked, err := Question(before, how, Terms{Capacity: q.Capacity, Way: q.Way, Overlap: q.Overlap, Read: q.Read, Write: q.Write, AnyOrder: len(q.Before) > 0})
	if err != nil {
		return 0, err
	}
	if what := differs(asked, q); what != "" {
		return 0, fmt.Errorf("it is about another graph, or another order of its operators: the %s differ", what)
	}
	return Moved(is, q.Read, q.Write), verify.Traffic(c)
}

// keeps checks that a fitted graph keeps to what a question allows.
func keeps(was *graph.Graph, is *graph.Lowered, q *model.TrafficQuestion) error {
	merged := is.Merged()
	g := is.Graph
	if len(g.Spaces) == 0 || g.Spaces[0].Capacity != q.Capacity {
		return fmt.Errorf("it is about a fast memory of %d bytes, which is not the graph's", q.Capacity)
	}
	s := sideOf(g)
	known := make(map[string]bool)
	for o := range was.Ops {
		known[was.Ops[o].ID] = true
	}
	for o := range g.Ops {
		op := &g.Ops[o]
		switch {
		case !q.Overlap && len(op.InPlace)+len(op.Overlap) > 0:
			return fmt.Errorf("it is about graphs without overlap, and operator %q has some", op.ID)
		case q.Way == model.WholeValues && !known[op.ID]:
			return fmt.Errorf("it is about whole tensors in slow memory, and operator %q copies one", op.ID)
		case q.Way == model.CopiedPieces && known[op.ID] && s.away(merged, o, 1, 1) > 0:
			return fmt.Errorf("it is about tensors that are only copied, and operator %q reaches slow memory", op.ID)
		}
	}
	return nil
}

// inOrder is the graph before with the order of its operators, and the groups that
// run as one, that the fitted one has.
func inOrder(was *graph.Graph, is *graph.Lowered) (*graph.Graph, error) {
	at := make(map[string]int)
	for o := range was.Ops {
		at[was.Ops[o].ID] = o
	}
	if len(at) < len(was.Ops) {
		return nil, ErrNames
	}
	named := func(ops []int) (list []int) {
		for _, o := range ops {
			if before, known := at[is.Graph.Ops[o].ID]; known {
				list = append(list, before)
			}
		}
		return list
	}
	g := *was
	g.Schedule, g.Fuse = named(slices.Concat(is.Steps...)), nil
	for _, group := range is.Graph.Fuse {
		g.Fuse = append(g.Fuse, named(group))
	}
	return &g, nil
}

// differs says in what a question is another, "" where it is the same.
func differs(a, b *model.TrafficQuestion) string {
	value := func(x, y model.TrafficValue) bool {
		return x.Bytes == y.Bytes && x.Align == y.Align && x.Made == y.Made && x.State == y.State && x.Copied == y.Copied && x.Least == y.Least && slices.Equal(x.Moves, y.Moves) && slices.Equal(x.Events, y.Events)
	}
	switch {
	case a.Capacity != b.Capacity || a.Way != b.Way || a.Overlap != b.Overlap || a.Read != b.Read || a.Write != b.Write:
		return "terms"
	case !slices.EqualFunc(a.Scratch, b.Scratch, slices.Equal):
		return "workspaces"
	case !slices.Equal(a.Reserved, b.Reserved):
		return "reserved addresses"
	case !slices.EqualFunc(a.Values, b.Values, value):
		return "values"
	case !slices.EqualFunc(a.Before, b.Before, slices.Equal):
		return "orders that they may run in"
	case !slices.Equal(a.Handovers, b.Handovers):
		return "results that may take operands' places"
	}
	return ""
}
