package pairs

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"memplan/model"
)

// A Planner asks a planner that knows nothing of pairs. Equal pairs are merged
// first: all that can be together, those that cost no byte, or none; leads are
// not used. Of the plans the best counts, the first of equals. Its bounds are of
// no use where something was merged, and are left out.
type Planner struct{ Of model.Planner }

// Name is that of the planner asked.
func (p Planner) Name() string { return p.Of.Name() }

// Plan implements model.Planner.
func (p Planner) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	if len(in.Pairs) == 0 {
		return p.Of.Plan(ctx, in)
	}
	var best model.Result
	var failed error
	tried := map[int]bool{} // by how many pairs were merged
	for _, which := range []func(*merging, model.Pair) bool{always, free, never} {
		m := merge(in, which)
		if tried[m.merged] {
			continue
		}
		tried[m.merged] = true
		res, err := p.Of.Plan(ctx, m.plain())
		failed = errors.Join(failed, err)
		best.Stats.Nodes += res.Stats.Nodes
		best.Stats.Placements += res.Stats.Placements
		if res.Plan == nil {
			continue
		}
		plan := m.lift(*res.Plan)
		if best.Plan == nil || plan.Peak(in) < best.Plan.Peak(in) {
			best.Plan = &plan
			best.Stats.Trace = res.Stats.Trace
		}
	}
	if best.Plan != nil {
		failed = nil
	}
	return best, failed
}

func always(*merging, model.Pair) bool { return true }
func never(*merging, model.Pair) bool  { return false }

// free reports whether the two of a pair take as many bytes merged as the
// larger of them, at every step at which either is live.
func free(m *merging, p model.Pair) bool {
	return p.Distance == 0 && m.groups[m.group[p.Over]].size == m.groups[m.group[p.Under]].size
}

// A merging puts buffers of an instance together: into groups that are placed as
// one, each as large as all of its members need and live while any of them is;
// and into bodies, where a group that is born before what it becomes a part of,
// as an operand before its concat's result, is tied to that and ends as it
// begins.
type merging struct {
	in     *model.Instance
	group  []int // of each buffer: the index of its group, that of its first member
	above  []int64
	groups []group
	body   []int   // of each buffer: the group at the root of its body
	at     []int64 // where in the body
	bodies [][]int // the members of each, by root
	fixed  []bool  // pinned, tied, or tied to: those stay as they are
	merged int
	work   int // looks at two members and at lives so far
}

// mostWork is how much a merging looks at; pairs that are left then stay apart.
const mostWork = 1 << 24

// A group is what its members take.
type group struct {
	members     []int
	size, align int64
	live        []model.Interval
	into        int // the group at the root of its body, if that is another; else -1
	delta       int64
}

// merge merges the pairs, one after another, that are wanted and can be, as far as
// its work goes: the members of bodies are looked at two by two, which of a chain of
// n pairs is n²/2.
func merge(in *model.Instance, want func(*merging, model.Pair) bool) *merging {
	n := len(in.Buffers)
	m := &merging{in: in, group: model.Identity(n), above: make([]int64, n), body: model.Identity(n), at: make([]int64, n), fixed: make([]bool, n)}
	for i := range in.Buffers {
		b := &in.Buffers[i]
		m.groups = append(m.groups, group{members: []int{i}, size: b.Size, align: b.Alignment(), live: slices.Collect(b.Live()), into: -1})
		m.bodies = append(m.bodies, []int{i})
		m.fixed[i] = m.fixed[i] || b.Offset != nil || b.Tie != nil
		if b.Tie != nil {
			m.fixed[b.Tie.To] = true
		}
	}
	allowed := make(map[model.Pair]bool, len(in.Pairs))
	for _, p := range in.Pairs {
		if p.Equal {
			allowed[p] = true
		}
	}
	for _, p := range in.Pairs {
		if p.Equal && want(m, p) && m.put(p, allowed) {
			m.merged++
		}
	}
	return m
}

// put merges the groups of a pair, or ties one to the other, if that is right for
// all that is at a fixed distance from either.
func (m *merging) put(p model.Pair, allowed map[model.Pair]bool) bool {
	over, under := m.group[p.Over], m.group[p.Under]
	delta := m.at[p.Under] + p.Distance - m.at[p.Over] // of the one body in the other
	if m.body[p.Over] == m.body[p.Under] {
		return delta == 0
	}
	if delta < 0 {
		over, under, delta = under, over, -delta
	}
	a, b := &m.groups[over], &m.groups[under]
	if a.into >= 0 || b.into >= 0 || m.fixed[p.Over] || m.fixed[p.Under] {
		return false
	}
	if m.work += len(m.bodies[over])*len(m.bodies[under]) + len(b.live); m.work > mostWork {
		return false
	}
	for _, i := range m.bodies[over] {
		for _, j := range m.bodies[under] {
			if !m.agree(i, j, m.at[i]+delta-m.at[j], allowed) {
				return false
			}
		}
	}
	end, fits := model.Add(delta, a.size)
	align := model.LCM(a.align, b.align)
	if delta%a.align != 0 || align == 0 || !fits {
		return false
	}
	b.align = align
	begins, tied := begin(b.live), false
	if begin(a.live) < begins && end <= b.size {
		tied = true
		a.tie(under, delta, begins, b)
	} else {
		b.size = max(b.size, end)
		b.live = append(b.live, a.live...)
	}
	m.move(over, under, delta, tied)
	return true
}

func begin(live []model.Interval) int64 {
	return slices.MinFunc(live, func(a, b model.Interval) int { return cmp.Compare(a.Start, b.Start) }).Start
}

// tie makes a group a part of another from the step at which that begins.
func (g *group) tie(into int, delta, begins int64, other *group) {
	g.into, g.delta = into, delta
	var before []model.Interval
	for _, part := range g.live {
		if part.End > begins {
			other.live = append(other.live, model.Interval{Start: max(part.Start, begins), End: part.End})
			part.End = begins
		}
		if !part.Empty() {
			before = append(before, part)
		}
	}
	g.live = before
}

// move puts the body of one group into that of another, and, unless it is tied,
// the group's members into the other group.
func (m *merging) move(over, under int, delta int64, tied bool) {
	for _, i := range m.bodies[over] {
		m.body[i] = under
		m.at[i] += delta
		if g := &m.groups[m.group[i]]; m.group[i] != over && i == m.group[i] {
			g.into, g.delta = under, g.delta+delta
		}
	}
	m.bodies[under] = append(m.bodies[under], m.bodies[over]...)
	m.bodies[over] = nil
	if tied {
		return
	}
	a, b := &m.groups[over], &m.groups[under]
	for _, i := range a.members {
		m.group[i] = under
		m.above[i] += delta
	}
	b.members = append(b.members, a.members...)
	a.members = nil
}

// agree reports whether i may lie so far above j.
func (m *merging) agree(i, j int, above int64, allowed map[model.Pair]bool) bool {
	a, b := &m.in.Buffers[i], &m.in.Buffers[j]
	return above >= b.Size || above <= -a.Size || !a.Conflicts(b) ||
		above >= 0 && allowed[model.Pair{Over: i, Under: j, Distance: above, Equal: true}] ||
		above <= 0 && allowed[model.Pair{Over: j, Under: i, Distance: -above, Equal: true}]
}

// plain is the instance of the groups, each at the index of its first member
// among the groups.
func (m *merging) plain() *model.Instance {
	out := m.in.Apart()
	if m.merged == 0 {
		return out
	}
	out.Buffers = nil
	at := make([]int, len(m.groups))
	for k := range m.groups {
		if len(m.groups[k].members) > 0 {
			at[k] = len(out.Buffers)
			out.Buffers = append(out.Buffers, m.buffer(k))
		}
	}
	for k := range m.groups {
		g := &m.groups[k]
		switch t := m.in.Buffers[k].Tie; {
		case len(g.members) == 0:
		case g.into >= 0:
			out.Buffers[at[k]].Tie = &model.Tie{To: at[g.into], Delta: g.delta}
		case t != nil:
			out.Buffers[at[k]].Tie = &model.Tie{To: at[t.To], Delta: t.Delta}
		}
	}
	return out
}

// buffer is a group as the planner sees it.
func (m *merging) buffer(k int) model.Buffer {
	b, g := m.in.Buffers[k], &m.groups[k]
	if g.into >= 0 || len(g.members) > 1 || len(g.live) > 1 || b.Align != g.align {
		b.Size, b.Align = g.size, g.align
		b.SetLive(g.live)
	}
	return b
}

// lift is the plan of the members of the groups' plan.
func (m *merging) lift(p model.Plan) model.Plan {
	if m.merged == 0 {
		return p
	}
	at := make([]int64, len(m.groups))
	k := 0
	for g := range m.groups {
		if len(m.groups[g].members) > 0 {
			at[g] = p.Offsets[k]
			k++
		}
	}
	out := model.Plan{Offsets: make([]int64, len(m.in.Buffers))}
	for i := range out.Offsets {
		out.Offsets[i] = at[m.group[i]] + m.above[i]
	}
	return out
}
