package graph

import (
	"fmt"

	"memplan/model"
	"memplan/model/schedule"
)

// ArenaPlans undoes ValuePlan: the plans of Arenas that put each of Values where p
// puts it. Of several values in one buffer the last counts: ValuePlan tells
// whether they agree.
func (l *Lowered) ArenaPlans(p model.Plan) []model.Plan {
	plans := make([]model.Plan, len(l.Arenas))
	for k, in := range l.Arenas {
		plans[k].Offsets = make([]int64, len(in.Buffers))
		for i := range in.Buffers {
			if in.Buffers[i].Offset != nil {
				plans[k].Offsets[i] = *in.Buffers[i].Offset
			}
		}
	}
	for i, at := range l.values {
		plans[at.Space].Offsets[at.Buffer] = p.Offsets[i] - at.Offset
	}
	return plans
}

// Pools names the memory space of each of Values; nil where there is only one.
func (l *Lowered) Pools() []string {
	if len(l.Arenas) < 2 {
		return nil
	}
	pools := make([]string, len(l.values))
	for i, at := range l.values {
		pools[i] = l.Graph.Spaces[at.Space].ID
	}
	return pools
}

// InSpace gives the spaces that a plan's pools name, for LowerOptions.InSpace;
// an empty name leaves the choice.
func (l *Lowered) InSpace(pools []string) (map[int]int, error) {
	index := make(map[string]int)
	for s, space := range l.Graph.Spaces {
		index[space.ID] = s
	}
	in, next := make(map[int]int), 0
	for t := range l.Places {
		if l.Places[t].Where != InArena || next == len(pools) {
			continue
		}
		if name := pools[next]; name != "" {
			s, known := index[name]
			if !known {
				return nil, fmt.Errorf("buffer %q: there is no pool %q", l.Values.Buffers[next].ID, name)
			}
			in[t] = s
		}
		next++
	}
	for ; next < len(pools); next++ { // workspaces, which have no choice
		name, id := pools[next], l.Values.Buffers[next].ID
		if s, known := index[name]; !known && name != "" {
			return nil, fmt.Errorf("buffer %q: there is no pool %q", id, name)
		} else if s != 0 {
			return nil, fmt.Errorf("buffer %q: the plan puts it into pool %q; workspaces are in the first, %q", id, name, l.Graph.Spaces[0].ID)
		}
	}
	return in, nil
}

// A Lowered graph is an instance for each memory space, and where each tensor
// of the graph is in them.
type Lowered struct {
	Graph    *Graph
	Steps    [][]int           // the operators that run at each step
	Arenas   []*model.Instance // one for each of Graph.Spaces; one where there are none; what may share bytes and need not is pairs
	Places   []Place           // of each tensor in Arenas
	Values   *model.Instance   // each tensor in an arena with its own size and lifetime, and each scratch; they may share bytes
	Reserved []int             // of each arena: how many of its last buffers only keep reserved ranges free, by address
	Weights  Region            // the read-only region

	Order    schedule.Found // how the schedule was found
	Assigned Assigned       // how the spaces were chosen
	Notes    []Note

	values []Place // of each of Values
	choice bool    // some tensor may go to several spaces
}

// Where says which memory holds a tensor.
type Where int

const (
	Nowhere   Where = iota // nothing writes or reads it
	InArena                // Space, Buffer and Offset say where
	InWeights              // Offset is in the read-only region
	AtCaller               // outside
	Fused                  // inside a fused step, without memory
)

// A Place says where a tensor's bytes are.
type Place struct {
	Where  Where
	Space  int   // index in Lowered.Arenas
	Buffer int   // index in the arena's Buffers
	Offset int64 // bytes inside the buffer, or inside the region of weights
}

// A Note is something that whoever reads the instance should know.
type Note struct {
	Kind NoteKind
	Text string
}

// NoteKind groups notes.
type NoteKind int

const (
	Reordered NoteKind = iota // the order is not the one given
	Unread                    // a value that nobody reads
	Unused                    // a tensor that no operator touches
	Refused                   // sharing, fusion or placement that was asked for and is not safe
	Removed                   // a value that fusion removed
	Fusion                    // what fusion saved or cost
	Schedule                  // what is known of the schedule sought
	Assigning                 // what is known of the choice of spaces
	Unwritten                 // bytes that are read and that no operator writes
)

func (k NoteKind) String() string {
	return [...]string{"reordered", "unread", "unused", "refused", "removed", "fusion", "schedule", "spaces", "unwritten"}[k]
}

// ValuePlan is a plan of Values: where plans of Arenas put each tensor and each
// scratch.
func (l *Lowered) ValuePlan(plans []model.Plan) model.Plan {
	p := model.Plan{Offsets: make([]int64, len(l.values))}
	for i, at := range l.values {
		p.Offsets[i] = plans[at.Space].Offsets[at.Buffer] + at.Offset
	}
	return p
}

// Merged is the same with nothing left to choose: what may share bytes does, as
// far as model.Instance.Merge takes it.
func (l *Lowered) Merged() *Lowered {
	m := *l
	m.Arenas = nil
	var parts [][]model.Part
	for _, in := range l.Arenas {
		merged := in.Merge(model.TakeAll)
		m.Arenas, parts = append(m.Arenas, merged.Instance), append(parts, merged.Parts)
	}
	moved := func(places []Place) (list []Place) {
		for _, p := range places {
			if p.Where == InArena {
				part := parts[p.Space][p.Buffer]
				p.Buffer, p.Offset = part.Buffer, part.Offset+p.Offset
			}
			list = append(list, p)
		}
		return list
	}
	m.Places, m.values = moved(l.Places), moved(l.values)
	return &m
}
