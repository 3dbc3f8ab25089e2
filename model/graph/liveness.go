package graph

import "memplan/model"

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
	l.unread()
}

// throughout reports whether a tensor is live at every step.
func (l *lowering) throughout(t int) bool {
	return l.g.Tensors[t].Kind == Variable || l.kept(t)
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
		if l.writer[t] >= 0 || l.given[t] || l.wanted[t] || len(l.readers[t]) > 0 || l.g.Tensors[t].Kind == Variable || len(l.makers.slices[t]) > 0 {
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
