package model

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
