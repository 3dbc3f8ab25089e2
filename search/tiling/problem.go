package tiling

import (
	"slices"

	"memplan/model"
)

// A Problem is an instance in which as many bytes are live at every step, from
// the first birth to the last death, as at any other. It is read only, and may
// be shared by sweeps.
type Problem struct {
	in     *model.Instance
	events []event // forwards in time
}

// An event is a step at which buffers die and others are born, or, seen
// backwards, the other way round.
type event struct {
	dead, born []int32
}

// Prepare reads a valid instance; nil where it has free bytes at some step, or
// pins, gaps, ties, alignments that sizes do not keep by themselves, thousands of
// buffers live at once, or none at all. Buffers without bytes are left aside.
// Cost: O(n log n).
func Prepare(in *model.Instance) *Problem {
	if !plain(in) {
		return nil
	}
	p := &Problem{in: in}
	at := make(map[int64]int)
	var steps []int64
	for i := range in.Buffers {
		if b := &in.Buffers[i]; b.Size > 0 {
			steps = append(steps, b.Life.Start, b.Life.End)
		}
	}
	slices.Sort(steps)
	steps = slices.Compact(steps)
	if len(steps) == 0 {
		return nil
	}
	for k, t := range steps {
		at[t] = k
	}
	p.events = make([]event, len(steps))
	change := make([]int64, len(steps))
	for i := range in.Buffers {
		if b := &in.Buffers[i]; b.Size > 0 {
			start, end := at[b.Life.Start], at[b.Life.End]
			p.events[start].born = append(p.events[start].born, int32(i))
			p.events[end].dead = append(p.events[end].dead, int32(i))
			change[start] += b.Size
			change[end] -= b.Size
		}
	}
	live := 0
	for k, e := range p.events {
		live += len(e.born) - len(e.dead)
		if live > maxLeaves || change[k] != 0 && k > 0 && k+1 < len(change) {
			return nil
		}
	}
	return p
}

// plain reports whether buffers can be anywhere that sizes add up to.
func plain(in *model.Instance) bool {
	var grain int64
	for i := range in.Buffers {
		grain = model.GCD(grain, in.Buffers[i].Size)
	}
	return !slices.ContainsFunc(in.Buffers, func(b model.Buffer) bool {
		return b.Offset != nil || b.Tie != nil || len(b.Gaps) > 0 || grain%b.Alignment() != 0
	})
}

// seen is the events in one direction of time.
func (p *Problem) seen(backwards bool) []event {
	events := slices.Clone(p.events)
	if backwards {
		slices.Reverse(events)
		for k, e := range events {
			events[k] = event{dead: e.born, born: e.dead}
		}
	}
	return events
}
