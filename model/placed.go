package model

import "fmt"

// Placed gives the addresses that a plan of Values puts the tensors at, for
// LowerOptions.Placed.
func (l *Lowered) Placed(p Plan) map[int]int64 {
	placed := make(map[int]int64)
	for t := range l.Places {
		if l.Places[t].Where == InArena { // Values begins with these tensors, in this order
			placed[t] = p.Offsets[len(placed)]
		}
	}
	return placed
}

// ArenaPlans undoes ValuePlan: the plans of the arenas that put each of Values
// where p puts it. Of several values in one buffer the last counts: lowered with
// Placed they all agree.
func (l *Lowered) ArenaPlans(p Plan) []Plan {
	plans := make([]Plan, len(l.Arenas))
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
	return in, nil
}
