package heuristics

import (
	"context"

	"memplan/model"
)

// A group is bodies that share the same bytes: no two are live at once.
type group []int // indexes in draft.bodies

// stack places groups one above the other. A group's base is the lowest
// multiple of its largest alignment above the group before; a member starts
// there, or at the lowest offset above it at which it meets no pinned body. It
// gives no plan when ctx ends before.
func (t *draft) stack(ctx context.Context, groups []group) (model.Result, error) {
	var top int64
	for n, g := range groups {
		if n%1024 == 0 && ctx.Err() != nil {
			return model.Result{Stats: model.Stats{Placements: t.count}}, nil
		}
		base, ok := model.AlignUp(top, t.alignment(g))
		if !ok {
			return model.Result{}, overflow(&t.in.Buffers[t.bodies[g[0]][0]])
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

// alignment is the largest of the group's.
func (t *draft) alignment(g group) int64 {
	align := int64(1)
	for _, k := range g {
		align = max(align, t.in.Buffers[t.bodies[k][0]].Alignment())
	}
	return align
}

// singles makes a group of each item, and puts the items without bytes at 0.
func (t *draft) singles(items []item) []group {
	groups := make([]group, 0, len(items))
	for _, it := range t.withBytes(items) {
		groups = append(groups, group{it.body})
	}
	return groups
}

// withBytes puts the items without bytes at offset 0 and returns the others.
func (t *draft) withBytes(items []item) []item {
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
