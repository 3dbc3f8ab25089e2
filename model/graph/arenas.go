package graph

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"memplan/model"
)

// A Region is memory that is laid out apart from the arenas.
type Region struct {
	Bytes int64 // with the padding that alignment needs
	Align int64 // of its base
}

// build makes the weights' region and the arenas' instances.
func (l *lowering) build() error {
	n := len(l.g.Tensors)
	l.out.Places = make([]Place, n)
	region, err := l.weights()
	if err != nil {
		return err
	}
	names := newNames(n)
	ids := make([]string, n)
	for t := range ids {
		ids[t] = names.of(l.g.Tensors[t].ID)
	}
	l.arenas()
	l.choices()
	if err := l.assign(); err != nil {
		return err
	}
	l.place(ids)
	l.pairs()
	for t := range l.out.Places {
		root, at := l.find(t)
		switch p := &l.out.Places[t]; l.groups[root].where {
		case InArena:
			a := &l.atom[l.home[t]]
			*p = Place{InArena, a.spaces[0], a.buffer, l.within[t]}
			x := &l.g.Tensors[t]
			l.value(*p, model.Buffer{ID: ids[t], Life: l.life(t), Size: x.Bytes, Align: max(x.Align, 1), Gaps: l.dead[t]})
		case InWeights:
			*p = Place{Where: InWeights, Offset: region[root] + at}
		default:
			p.Where = l.groups[root].where
		}
	}
	l.scratch(names)
	l.reserve(names)
	for _, in := range l.out.Arenas {
		if err := in.Validate(); err != nil {
			return err
		}
	}
	return nil
}

// weights lays the weights out: the strictest alignment first, then by index,
// so that little padding is needed. The same weight is there once, however
// often it is read. Returned is where each root is.
func (l *lowering) weights() (at map[int]int64, err error) {
	at = make(map[int]int64)
	var list []int
	for t := range l.groups {
		if l.parent[t] == t && l.groups[t].where == InWeights {
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(l.groups[b].align, l.groups[a].align) })
	r := &l.out.Weights
	r.Align = 1
	for _, t := range list {
		start, ok := model.AlignUp(r.Bytes, l.groups[t].align)
		end, ok2 := model.Add(start, l.groups[t].size)
		r.Align = model.LCM(r.Align, l.groups[t].align)
		if !ok || !ok2 || r.Align == 0 {
			return nil, errors.New("the weights do not fit in int64")
		}
		at[t] = start
		r.Bytes = end
	}
	return at, nil
}

// arenas makes an empty instance for each space.
func (l *lowering) arenas() {
	spaces := l.g.Spaces
	if len(spaces) == 0 {
		spaces = []Space{{}}
	}
	for _, s := range spaces {
		name := l.g.Name
		if len(spaces) > 1 {
			name += "." + s.ID
		}
		l.out.Arenas = append(l.out.Arenas, &model.Instance{Name: name, Capacity: s.Capacity})
	}
	l.out.Values = &model.Instance{Name: l.g.Name}
}

// place gives each atom a buffer in the arena of its space.
func (l *lowering) place(ids []string) {
	for t := range l.atom {
		if a := &l.atom[t]; l.home[t] == t && l.inArena(t) {
			in := l.out.Arenas[a.spaces[0]]
			a.buffer = len(in.Buffers)
			in.Buffers = append(in.Buffers, model.Buffer{ID: ids[t], Life: a.life, Size: a.size, Align: a.align, Gaps: l.dead[t]})
		}
	}
}

// pairs gives the arenas what may be shared in them.
func (l *lowering) pairs() {
	for _, c := range l.chosen {
		over, under := &l.atom[c.over], &l.atom[c.under]
		if over.spaces[0] == under.spaces[0] {
			in := l.out.Arenas[over.spaces[0]]
			in.Pairs = append(in.Pairs, model.Pair{Over: over.buffer, Under: under.buffer, Distance: c.distance, Equal: !c.lead})
		} else if c.op >= 0 {
			l.note(Refused, "sharing between %s and %s by %s: they are in different pools", l.id(c.over), l.id(c.under), l.opID(c.op))
		}
	}
}

func (l *lowering) value(p Place, b model.Buffer) {
	l.out.Values.Buffers = append(l.out.Values.Buffers, b)
	l.out.values = append(l.out.values, p)
}

// scratch adds the operators' workspaces, to the first space.
func (l *lowering) scratch(names *names) {
	in := l.out.Arenas[0]
	for i := range l.g.Ops {
		o := &l.g.Ops[i]
		for k, bytes := range o.Scratch {
			id := o.ID + ".scratch"
			if len(o.Scratch) > 1 {
				id += strconv.Itoa(k)
			}
			b := model.Buffer{ID: names.of(id), Life: at(l.step[i]), Size: bytes, Align: 1}
			in.Buffers = append(in.Buffers, b)
			l.value(Place{Where: InArena, Buffer: len(in.Buffers) - 1}, b)
		}
	}
}

// reserve pins a buffer onto each range of addresses that is not to be used: the
// last of the arena's, by address.
func (l *lowering) reserve(names *names) {
	l.out.Reserved = make([]int, len(l.out.Arenas))
	for s, space := range l.g.Spaces {
		in := l.out.Arenas[s]
		l.out.Reserved[s] = len(space.Reserved)
		for _, r := range slices.SortedFunc(slices.Values(space.Reserved), func(a, b model.Interval) int { return cmp.Compare(a.Start, b.Start) }) {
			id := names.of(fmt.Sprintf("reserved %d-%d", r.Start, r.End))
			in.Buffers = append(in.Buffers, model.Buffer{ID: id, Life: model.Interval{End: l.steps + 1}, Size: r.End - r.Start, Align: 1, Offset: &r.Start})
		}
	}
}

// names makes ids unique: the first to ask keeps its own, later ones get a
// number; an empty one is a number.
type names struct {
	used  map[string]bool
	asked int
}

func newNames(n int) *names { return &names{used: make(map[string]bool, n)} }

func (n *names) of(id string) string {
	n.asked++
	name := id
	for k := n.asked; name == "" || n.used[name]; k++ {
		name = id + "#" + strconv.Itoa(k)
	}
	n.used[name] = true
	return name
}
