package graph

import (
	"slices"

	"memplan/model"
)

// live works out each tensor's first step and the last that reads it. A view
// that no operator makes is born with its base.
func (l *lowering) live() {
	n := len(l.g.Tensors)
	l.birth, l.last = make([]int64, n), make([]int64, n)
	for t := range n {
		l.last[t] = -1
		first := true
		l.makers.each(t, func(o int) {
			if first || l.step[o] < l.birth[t] {
				l.birth[t], first = l.step[o], false
			}
		})
		for _, o := range l.readers[t] {
			l.last[t] = max(l.last[t], l.step[o])
		}
		if l.wanted[t] {
			l.last[t] = l.steps
		}
		if l.throughout(t) {
			l.birth[t], l.last[t] = 0, l.steps
		}
	}
	l.mutable()
	l.unread()
}

// throughout reports whether a tensor is live at every step.
func (l *lowering) throughout(t int) bool {
	return l.g.Tensors[t].Kind == Variable || l.kept(t)
}

// mutable works out when what is mutable is live, and when it is dead in between:
// from the step that touches it last until one that writes all of it and reads
// nothing of it. One with views, or of the caller's, is dead at no step; one that
// a split takes apart, at none in between.
func (l *lowering) mutable() {
	l.dead = make(map[int][]model.Interval)
	touches := make(map[int][]touch)
	for _, ops := range l.out.Steps {
		for _, o := range ops {
			for _, t := range slices.Concat(l.g.Ops[o].Inputs, l.g.Ops[o].Outputs) {
				if l.g.Tensors[t].Kind == Mutable {
					fresh := len(ops) == 1 && !slices.Contains(l.g.Ops[o].Inputs, t)
					touches[t] = append(touches[t], touch{l.step[o], fresh})
				}
			}
		}
	}
	viewed := make(map[int]bool)
	for t := range l.g.Tensors {
		if v := l.g.Tensors[t].View; v != nil {
			viewed[t], viewed[v.Of] = true, true
		}
	}
	for t := range l.g.Tensors {
		if l.g.Tensors[t].Kind != Mutable {
			continue
		}
		list := touches[t]
		l.birth[t], l.last[t] = 0, l.steps
		if viewed[t] || l.given[t] || l.wanted[t] || len(list) == 0 {
			continue
		}
		if list[0].fresh {
			l.birth[t], l.last[t] = list[0].step, list[len(list)-1].step
		}
		for k := 1; k < len(list) && l.lone(t); k++ {
			if from := list[k-1].step + 1; list[k].fresh && from < list[k].step {
				l.dead[t] = append(l.dead[t], model.Interval{Start: from, End: list[k].step})
			}
		}
	}
}

// A touch is a step at which an operator reads or writes what is mutable; fresh, all
// of it without reading.
type touch struct {
	step  int64
	fresh bool
}

// kept reports whether the caller may look at a tensor at any time.
func (l *lowering) kept(t int) bool {
	return l.given[t] && l.o.Inputs == Kept || l.wanted[t] && l.o.Outputs == Kept
}

// life is a tensor's own lifetime, never empty.
func (l *lowering) life(t int) model.Interval {
	return model.Interval{Start: l.birth[t], End: max(l.birth[t], l.last[t]) + 1}
}

// at is the lifetime of what is live at one step alone.
func at(step int64) model.Interval { return model.Interval{Start: step, End: step + 1} }

// touched reports whether a tensor has a value at all, or holds a view that has
// one without an operator that makes it.
func (l *lowering) touched(t int) bool { return l.valued[t] }

// touch finds what is touched.
func (l *lowering) touch() {
	l.valued = make([]bool, len(l.g.Tensors))
	for t := range l.valued {
		if l.writer[t] >= 0 || l.given[t] || l.wanted[t] || len(l.readers[t]) > 0 || l.g.Tensors[t].Kind.Rewritten() || len(l.makers.slices[t]) > 0 {
			l.valued[t] = true
			for l.writer[t] < 0 && l.g.Tensors[t].View != nil && !l.valued[l.g.Tensors[t].View.Of] {
				t = l.g.Tensors[t].View.Of
				l.valued[t] = true
			}
		}
	}
}

func (l *lowering) unread() {
	viewed := make([]bool, len(l.g.Tensors)) // by a view that no operator makes
	for t := range l.g.Tensors {
		if v := l.g.Tensors[t].View; v != nil && l.writer[t] < 0 {
			viewed[v.Of] = true
		}
	}
	for t := range l.g.Tensors {
		sliced := len(l.makers.slices[t]) > 0
		if sliced && l.last[t] >= 0 {
			for _, bytes := range l.makers.unwritten(t) {
				l.note(Unwritten, "tensor %s: no operator writes its bytes %v", l.id(t), bytes)
			}
		}
		if l.last[t] >= 0 || viewed[t] || sliced || l.makers.sliced[t] {
			continue
		}
		switch {
		case l.g.Tensors[t].Kind == Weight:
			l.note(Unread, "weight %s: no operator reads it", l.id(t))
		case l.writer[t] >= 0:
			l.note(Unread, "tensor %s: nobody reads it; it occupies the step of %s", l.id(t), l.opID(l.writer[t]))
		case l.given[t]:
			l.note(Unread, "input %s: nobody reads it; it occupies step 0", l.id(t))
		default:
			l.note(Unused, "tensor %s: nothing writes or reads it", l.id(t))
		}
	}
}
