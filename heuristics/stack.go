package heuristics

import (
	"context"

	"memplan/model"
)

// A group is bodies that share the same bytes: no two are live at once.
type group []int // indexes in task.bodies

// stack places groups one above the other. A group starts at the lowest base,
// above the group before, at which none of its members meets a pinned body.
// Bodies without bytes go to offset 0. It gives no plan when ctx ends before.
func (t *task) stack(ctx context.Context, groups []group) (model.Result, error) {
	var top int64
	for n, g := range groups {
		if n%1024 == 0 && ctx.Err() != nil {
			return model.Result{Stats: model.Stats{Placements: t.count}}, nil
		}
		base, err := t.base(g, top)
		if err != nil {
			return model.Result{}, err
		}
		for _, k := range g {
			b := t.bodies[k]
			off, err := t.arena.find(t.in, b, FirstFit, base)
			if err != nil {
				return model.Result{}, err
			}
			top = max(top, off+t.set(b, off))
		}
	}
	return t.result(), nil
}

// base is the lowest multiple of the group's largest alignment, at least top,
// at which every member can start without meeting a pinned body.
func (t *task) base(g group, top int64) (int64, error) {
	align := int64(1)
	for _, k := range g {
		align = max(align, t.in.Buffers[t.bodies[k][0]].Alignment())
	}
	for {
		base, ok := model.AlignUp(top, align)
		if !ok {
			return 0, overflow(&t.in.Buffers[t.bodies[g[0]][0]])
		}
		top = base
		for _, k := range g {
			b := t.bodies[k]
			off, err := t.arena.find(t.in, b, FirstFit, base)
			if err != nil {
				return 0, err
			}
			if least, _ := model.AlignUp(base, t.in.Buffers[b[0]].Alignment()); off > least {
				top = max(top, off)
			}
		}
		if top == base {
			return base, nil
		}
	}
}

// singles makes a group of each item, and puts the items without bytes at 0.
func (t *task) singles(items []item) []group {
	groups := make([]group, 0, len(items))
	for _, it := range t.withBytes(items) {
		groups = append(groups, group{it.body})
	}
	return groups
}

// withBytes puts the items without bytes at offset 0 and returns the others.
func (t *task) withBytes(items []item) []item {
	var rest []item
	for _, it := range items {
		if it.size == 0 {
			t.put(t.bodies[it.body], 0)
		} else {
			rest = append(rest, it)
		}
	}
	return rest
}
