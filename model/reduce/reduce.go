// Package reduce makes instances smaller for exact methods, without losing an
// optimum: it leaves independent parts, in small numbers, and maps their plans
// back. It also finds what is forced: interchangeable buffers, orders, rooms.
//
// Every step says what it does, why it loses nothing, and under which features
// (alignment, pins, gaps, ties) it declines; each has a switch.
package reduce

import (
	"fmt"
	"slices"

	"memplan/model"
)

// A Step is one of the reductions, or a set of them.
type Step uint

const (
	Scale     Step = 1 << iota // divide by the greatest common divisor
	Compress                   // one step for each maximal clique
	Cut                        // independent parts
	Universal                  // buffers that are live whenever anything is
	Last                       // buffers that fit wherever the others are
)

// A Reduction is an instance cut into independent parts. For every instance
//
//	optimum = max(Floor, the greatest of part.Bytes(optimum of part.Instance))
//
// and plans of the parts, whatever their peaks, lift to a plan of the instance
// whose peak is the same maximum of theirs.
type Reduction struct {
	Parts []Part
	Floor int64 // bytes: the load, and the end of every pinned buffer that has bytes

	in    *model.Instance
	fixed []int64 // offsets of what is in no part
	last  []late  // what is placed after the parts, in order
}

// A Part is an instance of its own, in units of Unit bytes, that lies Base
// bytes up. Step t of Instance stands for the original's Steps[t], or for
// itself when Steps is nil; the buffers that lie below the part are live then.
type Part struct {
	Instance   *model.Instance
	Index      []int // the original's buffers, in the order of Instance.Buffers
	Steps      []model.Interval
	Unit, Base int64
}

// late is a buffer that is placed last, at base or above.
type late struct {
	buf  int
	base int64
}

// Bytes is the peak of the instance that a peak of the part amounts to, or
// MaxBytes when that does not fit.
func (p *Part) Bytes(height int64) int64 {
	up, ok := model.Mul(p.Unit, height)
	if sum, fits := model.Add(p.Base, up); ok && fits {
		return sum
	}
	return model.MaxBytes
}

// Height is the greatest peak of the part within that many bytes; -1 when not
// even an empty part fits.
func (p *Part) Height(bytes int64) int64 {
	if bytes < p.Base {
		return -1
	}
	return (bytes - p.Base) / p.Unit
}

// Reduce applies every step but those in off, again and again, until none
// changes anything. in is valid, and not changed. Cost: O(n log n) a level,
// where a level is a universal buffer that a cut laid bare, and the conflicts
// where Last looks at them.
func Reduce(in *model.Instance, off Step) *Reduction {
	r := &Reduction{Floor: in.Load(), in: in, fixed: make([]int64, len(in.Buffers))}
	open := []Part{r.whole(in)}
	for len(open) > 0 {
		p := open[len(open)-1]
		open = open[:len(open)-1]
		if off&Compress == 0 {
			p = compress(p)
		}
		if off&Scale == 0 {
			p = scale(p)
		}
		before := len(p.Index)
		if off&Last == 0 {
			p = r.placeLast(p)
		}
		if off&Compress == 0 && len(p.Index) < before { // universal goes by the cliques that are left
			p = compress(p)
		}
		if off&Universal == 0 {
			p = r.universal(p)
		}
		if p.pinned() {
			continue
		}
		parts := []Part{p}
		if off&Cut == 0 {
			parts = cut(p)
		}
		if len(parts) == 1 && len(parts[0].Index) == before {
			r.Parts = append(r.Parts, p)
			continue
		}
		slices.Reverse(parts) // the first is on top of the stack
		open = append(open, parts...)
	}
	return r
}

// whole is the instance as one part, without the buffers that have no bytes: they
// take no room. One that others are tied to stays. What is tied to a pinned buffer
// is pinned itself, and the end of whatever is pinned is part of every peak.
func (r *Reduction) whole(in *model.Instance) Part {
	p := Part{Instance: &model.Instance{Name: in.Name, Buffers: append([]model.Buffer(nil), in.Buffers...)}, Unit: 1}
	var keep []int
	for _, body := range in.Bodies() {
		pin := in.Buffers[body[0]].Offset
		var bytes int64
		for _, i := range body {
			b := &p.Instance.Buffers[i]
			bytes |= b.Size
			if b.Tie != nil {
				r.fixed[i] = b.Tie.Delta
			}
			if pin != nil {
				off := *pin + r.fixed[i]
				b.Offset, b.Tie, r.fixed[i] = &off, nil, off
			}
		}
		for _, i := range body {
			b := &p.Instance.Buffers[i]
			if pin != nil && b.Size > 0 {
				r.Floor = max(r.Floor, r.fixed[i]+b.Size)
			}
			if b.Size > 0 || bytes > 0 && pin == nil && b.Tie == nil {
				keep = append(keep, i)
			}
		}
	}
	slices.Sort(keep)
	p.Index = model.Identity(len(in.Buffers))
	return p.only(keep)
}

// Lift maps plans of the parts, in order, to a plan of the instance.
func (r *Reduction) Lift(plans []model.Plan) (model.Plan, error) {
	at := append([]int64(nil), r.fixed...)
	for k, plan := range plans {
		p := &r.Parts[k]
		if len(plan.Offsets) != len(p.Index) {
			return model.Plan{}, fmt.Errorf("reduce: part %d has %d buffers, its plan %d", k, len(p.Index), len(plan.Offsets))
		}
		for i, off := range plan.Offsets {
			at[p.Index[i]] = p.Bytes(off)
		}
	}
	if err := r.liftLast(at); err != nil {
		return model.Plan{}, err
	}
	for i := range r.in.Buffers {
		if b := &r.in.Buffers[i]; b.Size == 0 && b.Tie != nil {
			at[i] = at[b.Tie.To] + b.Tie.Delta
		}
	}
	if err := r.in.Check(model.Plan{Offsets: at}); err != nil {
		return model.Plan{}, fmt.Errorf("reduce: the lifted plan is wrong: %w", err)
	}
	return model.Plan{Offsets: at}, nil
}

// Bound is what lower bounds on the parts' peaks, in order, prove of the
// instance.
func (r *Reduction) Bound(heights []int64) int64 {
	bound := r.Floor
	for k, h := range heights {
		bound = max(bound, r.Parts[k].Bytes(h))
	}
	return bound
}

// pinned reports whether nothing is left to place.
func (p *Part) pinned() bool {
	return !slices.ContainsFunc(p.Instance.Buffers, func(b model.Buffer) bool { return b.Offset == nil })
}

// only is the part restricted to some of its buffers, in ascending order. Ties
// to buffers left out are dropped.
func (p Part) only(keep []int) Part {
	in := &model.Instance{Name: p.Instance.Name, Buffers: make([]model.Buffer, len(keep))}
	place := make([]int, len(p.Instance.Buffers))
	for k := range place {
		place[k] = -1
	}
	index := make([]int, len(keep))
	for k, i := range keep {
		place[i], index[k] = k, p.Index[i]
		in.Buffers[k] = p.Instance.Buffers[i]
	}
	for k := range in.Buffers {
		b := &in.Buffers[k]
		if b.Tie == nil {
			continue
		}
		if to := place[b.Tie.To]; to >= 0 {
			b.Tie = &model.Tie{To: to, Delta: b.Tie.Delta}
		} else {
			b.Tie = nil
		}
	}
	p.Instance, p.Index = in, index
	return p
}
