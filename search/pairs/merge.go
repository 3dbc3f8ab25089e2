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

// A merging puts buffers of an instance together into groups that are placed as
// one, each as large and as long as all of its members need.
type merging struct {
	in     *model.Instance
	group  []int   // of each buffer: the index of its group
	above  []int64 // where in the group
	groups []group
	merged int
}

// A group is what its members take.
type group struct {
	members     []int
	size, align int64
}

// merge merges the pairs, one after another, that are wanted and can be.
func merge(in *model.Instance, want func(*merging, model.Pair) bool) *merging {
	m := &merging{in: in, above: make([]int64, len(in.Buffers))}
	for i := range in.Buffers {
		m.group = append(m.group, i)
		m.groups = append(m.groups, group{members: []int{i}, size: in.Buffers[i].Size, align: in.Buffers[i].Alignment()})
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

// put merges the groups of a pair, if that is right for all of their members.
func (m *merging) put(p model.Pair, allowed map[model.Pair]bool) bool {
	over, under := m.group[p.Over], m.group[p.Under]
	delta := m.above[p.Under] + p.Distance - m.above[p.Over] // of the group over in the group under
	if over == under {
		return delta == 0
	}
	if delta < 0 {
		over, under, delta = under, over, -delta
	}
	a, b := &m.groups[over], &m.groups[under]
	for _, i := range a.members {
		for _, j := range b.members {
			if !m.agree(i, j, m.above[i]+delta-m.above[j], allowed) {
				return false
			}
		}
	}
	align := model.LCM(a.align, b.align)
	end, fits := model.Add(delta, a.size)
	if delta%a.align != 0 || align == 0 || !fits || !m.pinnable(a, b) {
		return false
	}
	for _, i := range a.members {
		m.group[i] = under
		m.above[i] += delta
	}
	b.members = append(b.members, a.members...)
	b.size, b.align = max(b.size, end), align
	a.members = nil
	return true
}

// agree reports whether i may lie so far above j.
func (m *merging) agree(i, j int, above int64, allowed map[model.Pair]bool) bool {
	a, b := &m.in.Buffers[i], &m.in.Buffers[j]
	return above >= b.Size || above <= -a.Size || !a.Conflicts(b) ||
		above >= 0 && allowed[model.Pair{Over: i, Under: j, Distance: above, Equal: true}] ||
		above <= 0 && allowed[model.Pair{Over: j, Under: i, Distance: -above, Equal: true}]
}

// pinnable reports whether none of the members is pinned or tied: those stay as
// they are.
func (m *merging) pinnable(a, b *group) bool {
	return !slices.ContainsFunc(slices.Concat(a.members, b.members), func(i int) bool {
		return m.in.Buffers[i].Offset != nil || m.in.Buffers[i].Tie != nil || m.root(i)
	})
}

// root reports whether something is tied to a buffer.
func (m *merging) root(i int) bool {
	return slices.ContainsFunc(m.in.Buffers, func(b model.Buffer) bool { return b.Tie != nil && b.Tie.To == i })
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
		if g := &m.groups[k]; len(g.members) > 0 {
			at[k] = len(out.Buffers)
			b := m.in.Buffers[k]
			if len(g.members) > 1 {
				b.Size, b.Align = g.size, g.align
				b.Life, b.Gaps = m.lives(g.members)
			}
			out.Buffers = append(out.Buffers, b)
		}
	}
	for i := range out.Buffers {
		if t := out.Buffers[i].Tie; t != nil {
			out.Buffers[i].Tie = &model.Tie{To: at[m.group[t.To]], Delta: t.Delta}
		}
	}
	return out
}

// lives is when any of the members is live.
func (m *merging) lives(members []int) (life model.Interval, gaps []model.Interval) {
	var parts []model.Interval
	for _, i := range members {
		for part := range m.in.Buffers[i].Live() {
			parts = append(parts, part)
		}
	}
	slices.SortFunc(parts, func(a, b model.Interval) int { return cmp.Compare(a.Start, b.Start) })
	life = parts[0]
	for _, p := range parts[1:] {
		if p.Start > life.End {
			gaps = append(gaps, model.Interval{Start: life.End, End: p.Start})
		}
		life.End = max(life.End, p.End)
	}
	return life, gaps
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
