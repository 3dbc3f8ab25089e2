package hlo

import (
	"cmp"
	"fmt"
	"slices"

	"memplan/model"
	"memplan/model/internal/wire"
)

// align is the alignment of buffers on CPUs, bytes.
const align = 64

// A group is the values that share one buffer, in the order of their births.
type group struct {
	id      int64 // of the value that was allocated
	name    string
	size    int64
	members []*life
}

// A life is when a value is live: in steps, and by XLA's own clock, which ticks
// at each event.
type life struct {
	value        *value
	steps, ticks model.Interval
	freed        bool
}

// file turns the traces into arenas.
func (a *assignment) file(name string) (*File, error) {
	f := &File{}
	for k, trace := range a.traces {
		arena := name
		if len(a.traces) > 1 {
			arena = fmt.Sprintf("%s:%d", name, k)
		}
		if err := f.add(a, trace, arena); err != nil {
			return nil, fmt.Errorf("%s: %w", arena, err)
		}
	}
	return f, nil
}

// add adds the arena of one trace.
func (f *File) add(a *assignment, trace []byte, name string) error {
	r := replay{values: a.values, lives: make(map[int64]*life), groups: make(map[int64]*group)}
	n := 0
	err := wire.Each(trace, func(field wire.Field) error {
		if field.Number != 1 {
			return nil
		}
		n++
		e, err := eventOf(field)
		if err == nil {
			err = r.event(e)
		}
		if err != nil {
			return fmt.Errorf("event %d of the heap's trace, %q: %w", n, e.instruction, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	in, groups := r.instance(name)
	plan, why := planOf(in, groups)
	if why != "" {
		f.Notes = append(f.Notes, fmt.Sprintf("%s: no plan: %s", name, why))
	}
	f.Arenas = append(f.Arenas, model.Found{Instance: in, Plan: plan})
	return in.Validate()
}

// A replay goes through a trace.
type replay struct {
	values map[int64]*value
	lives  map[int64]*life
	groups map[int64]*group // by each of its values
	order  []*group
	step   int64
	tick   int64
	freed  bool // something was freed at this step
}

func (r *replay) event(e event) error {
	v := r.values[e.value]
	switch {
	case v == nil:
		return fmt.Errorf("there is no value %d", e.value)
	case e.kind != alloc && e.kind != free && e.kind != shareWith:
		return fmt.Errorf("an event of kind %d", e.kind)
	case e.kind == free:
		l := r.lives[e.value]
		if l == nil || l.freed {
			return fmt.Errorf("value %d is freed, and is not live", e.value)
		}
		l.steps.End, l.ticks.End, l.freed, r.freed = r.step+1, r.tick, true, true
	default:
		if err := r.birth(e, v); err != nil {
			return err
		}
	}
	if r.groups[e.value].size > 0 {
		r.tick++
	}
	return nil
}

// birth is an alloc or a share.
func (r *replay) birth(e event, v *value) error {
	if r.lives[e.value] != nil {
		return fmt.Errorf("value %d is allocated a second time", e.value)
	}
	g := r.groups[e.with]
	if e.kind == alloc {
		g = &group{id: e.value, name: e.instruction}
		r.order = append(r.order, g)
	} else if g == nil {
		return fmt.Errorf("value %d shares with %d, which is not allocated", e.value, e.with)
	}
	if r.freed {
		r.step++
		r.freed = false
	}
	l := &life{value: v, steps: model.Interval{Start: r.step}, ticks: model.Interval{Start: r.tick}}
	r.lives[e.value], r.groups[e.value] = l, g
	g.size = max(g.size, v.size)
	g.members = append(g.members, l)
	return nil
}

// instance is what the trace placed, and the group of each buffer.
func (r *replay) instance(name string) (*model.Instance, []*group) {
	slices.SortFunc(r.order, func(a, b *group) int { return cmp.Compare(a.id, b.id) })
	in := &model.Instance{Name: name}
	var groups []*group
	for _, g := range r.order {
		if g.size == 0 {
			continue
		}
		for _, l := range g.members { // what is never freed lives to the end
			if !l.freed {
				l.steps.End, l.ticks.End = r.step+1, r.tick
			}
		}
		in.Buffers = append(in.Buffers, g.buffer())
		groups = append(groups, g)
	}
	return in, groups
}

// buffer is the group as a buffer.
func (g *group) buffer() model.Buffer {
	first := g.members[0]
	b := model.Buffer{ID: fmt.Sprintf("%s#%d", g.name, g.id), Size: g.size, Align: align, Life: first.steps}
	end := first.ticks.End
	for _, l := range g.members[1:] { // by birth
		if l.steps.Start > b.Life.End {
			b.Gaps = append(b.Gaps, model.Interval{Start: b.Life.End, End: l.steps.Start})
		}
		b.Life.End = max(b.Life.End, l.steps.End)
		end = max(end, l.ticks.End)
	}
	b.Ticks = &model.Ticks{First: first.ticks.End - first.ticks.Start, All: end - first.ticks.Start}
	return b
}

// planOf is where XLA put the buffers, or why that is not known. It lowers the
// buffers' alignment to what the offsets keep.
func planOf(in *model.Instance, groups []*group) (*model.Plan, string) {
	p := &model.Plan{Offsets: make([]int64, len(groups))}
	step := int64(align)
	for i, g := range groups {
		p.Offsets[i] = g.members[0].value.offset
		for _, l := range g.members {
			switch v := l.value; {
			case v.size == 0:
			case v.color != 0:
				return nil, fmt.Sprintf("it is of memory space %d, where values may overlap on purpose", v.color)
			case !v.placed:
				return nil, fmt.Sprintf("no allocation holds all of %s", in.Buffers[i].ID)
			case v.offset != p.Offsets[i]:
				return nil, fmt.Sprintf("the values that share %s are not at one offset", in.Buffers[i].ID)
			}
		}
		step = model.GCD(step, p.Offsets[i])
		if _, ok := model.Add(p.Offsets[i], g.size); !ok {
			return nil, fmt.Sprintf("%s ends beyond int64", in.Buffers[i].ID)
		}
	}
	for i := range in.Buffers {
		in.Buffers[i].Align = step
	}
	return p, ""
}
