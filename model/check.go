package model

import (
	"cmp"
	"fmt"
	"slices"
)

// Check says what is wrong with a plan: a planner's guard against its own
// mistakes. Whoever judges planners uses verify instead. Cost: O(n log n),
// and the number of live buffers for each birth; with pairs, that of conflicts.
func (in *Instance) Check(plan Plan) error {
	if len(plan.Offsets) != len(in.Buffers) {
		return fmt.Errorf("%d offsets for %d buffers", len(plan.Offsets), len(in.Buffers))
	}
	at := plan.Offsets
	for i := range in.Buffers {
		b := &in.Buffers[i]
		if err := inPlace(in, at, i); err != nil {
			return fmt.Errorf("buffer %q at %d: %w", b.ID, at[i], err)
		}
	}
	if len(in.Pairs) > 0 {
		return in.sharesWell(at)
	}
	var live []int32 // by address
	above := func(i int32, off int64) int { return cmp.Compare(at[i], off) }
	for s := range in.Sections() {
		if len(s.Died) > 0 {
			live = without(live, s.Died)
		}
		for _, i := range s.Born {
			k, _ := slices.BinarySearchFunc(live, at[i], above)
			for _, j := range live[max(0, k-1):min(k+1, len(live))] {
				if at[i] < at[j]+in.Buffers[j].Size && at[j] < at[i]+in.Buffers[i].Size {
					return fmt.Errorf("buffer %q at %d and buffer %q at %d overlap at step %d",
						in.Buffers[i].ID, at[i], in.Buffers[j].ID, at[j], s.Steps.Start)
				}
			}
			live = slices.Insert(live, k, i)
		}
	}
	return nil
}

// inPlace checks range, alignment, pin and tie of one buffer.
func inPlace(in *Instance, at []int64, i int) error {
	b := &in.Buffers[i]
	if at[i] < 0 || at[i] > MaxBytes-b.Size {
		return fmt.Errorf("outside int64")
	}
	if at[i]%b.Alignment() != 0 {
		return fmt.Errorf("not a multiple of %d", b.Alignment())
	}
	if b.Offset != nil && at[i] != *b.Offset {
		return fmt.Errorf("pinned to %d", *b.Offset)
	}
	if b.Tie != nil && at[i] != at[b.Tie.To]+b.Tie.Delta {
		return fmt.Errorf("tied %d above %q", b.Tie.Delta, in.Buffers[b.Tie.To].ID)
	}
	return nil
}

// without takes the dead out of a live set, keeping its order.
func without(live, died []int32) []int32 {
	slices.Sort(died)
	return slices.DeleteFunc(live, func(i int32) bool { _, dead := slices.BinarySearch(died, i); return dead })
}

// sharesWell checks that buffers that share bytes while both are live do so as a
// pair lets them.
func (in *Instance) sharesWell(at []int64) error {
	may := make(map[[2]int][]Pair)
	for _, p := range in.Pairs {
		key := [2]int{min(p.Over, p.Under), max(p.Over, p.Under)}
		may[key] = append(may[key], p)
	}
	for i, j := range in.Conflicting() {
		if at[i]+in.Buffers[i].Size <= at[j] || at[j]+in.Buffers[j].Size <= at[i] {
			continue
		}
		if !slices.ContainsFunc(may[[2]int{min(i, j), max(i, j)}], func(p Pair) bool { return p.Allows(at[p.Over], at[p.Under]) }) {
			return fmt.Errorf("buffer %q at %d and buffer %q at %d overlap", in.Buffers[i].ID, at[i], in.Buffers[j].ID, at[j])
		}
	}
	return nil
}
