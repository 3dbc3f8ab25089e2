package graph

import (
	"errors"
	"fmt"

	"memplan/model"
	"memplan/model/schedule"
)

// LowerOptions says how a graph becomes instances. The zero value is the
// default.
type LowerOptions struct {
	Schedule  schedule.Kind // the order of the operators
	States    int           // limit of an optimal schedule's search, 0 = DefaultStates
	Fuse      FuseKind      // which operators run as one
	CopyViews bool          // views that an operator makes have bytes of their own
	Concat    bool          // lay operands of a concat into its result, results of a split into its operand

	Inputs, Outputs Custody // who keeps the caller's values, and how long

	// InSpace holds the spaces that a plan already puts tensors in, by index.
	InSpace map[int]int

	// Assign chooses a memory space for each item; nil: Assignment.Greedy.
	Assign func(*Assignment) (Assigned, error)

	Forbidden []Forbidden // by LowerToFit
}

// Custody says how values that the caller gives or reads are kept.
type Custody int

const (
	Planned  Custody = iota // in the arena; an input until its last reader, an output from its writer on
	Kept                    // in the arena, live throughout
	External                // in memory of the caller's own
)

// Lower schedules the graph, works out when each value is live and which share
// bytes, and returns what is to be placed. Lifetimes: the operators of step k
// run at step k, and step N, after the last, is the caller's. A value is live
// from its writer's step to its last reader's, both included; an input from
// step 0; an output to step N. A value that nobody reads occupies its writer's
// step. Two values share bytes only where that is provably safe (see storage);
// what was refused is noted.
//
// Cost: O((operators + operands) log operators) besides an optimal schedule;
// nothing recurses.
func (g *Graph) Lower(o LowerOptions) (*Lowered, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	l := &lowering{g: g, o: o, out: &Lowered{Graph: g}}
	l.units()
	l.views()
	l.families()
	l.schedule()
	l.live()
	l.atoms()
	if len(l.errs) > 0 {
		return nil, errors.Join(l.errs...)
	}
	if err := l.build(); err != nil {
		return nil, err
	}
	l.out.Order.Load = l.load()
	return l.out, l.summarise()
}

// summarise notes what scheduling, fusion and the choice of spaces came to.
func (l *lowering) summarise() error {
	switch o := &l.out.Order; {
	case o.Bound == 0:
	case o.Proven():
		l.note(Schedule, "%v: load %d, the least of any order", o.Kind, o.Load)
	default:
		l.note(Schedule, "%v: load %d, no order has less than %d", o.Kind, o.Load, o.Bound)
	}
	counted := "bytes"
	if l.trafficked {
		counted = "bytes of traffic"
	}
	switch a := &l.out.Assigned; {
	case a.Over > 0 && a.Exact:
		l.note(Assigning, "the capacities are exceeded by %d bytes in all, and by no less whatever goes where%s", a.Over, a.word())
	case a.Over > 0:
		l.note(Assigning, "the capacities are exceeded by %d bytes in all; another choice may do better", a.Over)
	case a.Outside > 0 && a.Exact:
		l.note(Assigning, "%d %s outside the preferred pools, the fewest within the capacities%s", a.Outside, counted, a.word())
	case a.Outside > 0:
		l.note(Assigning, "%d %s outside the preferred pools; another choice may do better", a.Outside, counted)
	}
	if len(l.ops) == len(l.g.Ops) {
		return nil
	}
	o := l.o
	o.Fuse = FuseNone
	apart, err := l.g.Lower(o)
	if err == nil {
		l.note(Fusion, "load %d; %d without fusion", l.out.Order.Load, apart.Order.Load)
	}
	return err
}

// load is the most bytes live at once in all arenas together.
func (l *lowering) load() int64 {
	var all model.Instance
	for _, in := range l.out.Arenas {
		for _, p := range in.Pairs {
			p.Over, p.Under = p.Over+len(all.Buffers), p.Under+len(all.Buffers)
			all.Pairs = append(all.Pairs, p)
		}
		for _, b := range in.Buffers {
			if b.Offset != nil {
				b.Size = 0 // reserved
			}
			all.Buffers = append(all.Buffers, b)
		}
	}
	return all.Load()
}

// lowering is a graph on its way to instances.
type lowering struct {
	g    *Graph
	o    LowerOptions
	out  *Lowered
	errs []error

	trafficked bool // some item counts by its tensors' Traffic

	unit  []int         // of each operator: what runs as one step
	ops   [][]int       // of each unit
	dag   *schedule.DAG // of the units
	step  []int64       // of each operator
	steps int64         // their number; also the caller's step

	writer  []int // operator that writes each tensor itself, -1 = none, or a variable
	readers [][]int
	makers  *makers
	given   []bool // graph inputs that are no weights
	wanted  []bool // graph outputs
	gone    []bool // removed by fusion
	origins []int  // see origin; nil before it is asked for
	valued  []bool // see touched
	changed []bool // variables that operators write, by the root of their views

	birth, last []int64                  // of each tensor: its first step; the last that reads it, -1 = none
	dead        map[int][]model.Interval // of what is mutable: when it is dead in between

	base    []View      // what each tensor may lie in, Of = -1: nothing
	groups  []group     // families, by the tensor that is their root
	parent  []int       // the tensor whose group this one's lies in
	inside  []int64     // at how many bytes
	members *membership // of the unit looked at last
	body    []int       // of each tensor: a step towards what it is part of whatever is chosen, see bodyOf
	allowed [][]int     // of each body: the spaces that it may be in

	family   []int   // of each tensor: the root of all views of the same bytes
	familyAt []int64 // where in it
	home     []int   // of each tensor: the root of its atom
	within   []int64 // where in it
	atom     []atom  // by root
	chosen   []choice
	listed   map[choice]bool
}

func (l *lowering) fault(format string, args ...any) {
	l.errs = append(l.errs, fmt.Errorf(format, args...))
}

func (l *lowering) note(kind NoteKind, format string, args ...any) {
	l.out.Notes = append(l.out.Notes, Note{kind, fmt.Sprintf(format, args...)})
}

func (l *lowering) id(t int) string { return quoted(l.g.Tensors[t].ID) }

func (l *lowering) opID(o int) string { return quoted(l.g.Ops[o].ID) }
