package model

import (
	"cmp"
	"slices"
)

// Merged is an instance of which equal pairs are taken: what two buffers may
// share they do. Its plans are plans of the instance that it was made of, by way of
// Lift; its optimum may be higher, since what is merged no longer moves. It has no
// pairs: leads are not used.
type Merged struct {
	Instance *Instance
	Parts    []Part // of each buffer before
	Taken    int    // pairs
}

// A Part is where in a buffer another lies.
type Part struct {
	Buffer int
	Offset int64 // bytes
}

// TakeAll wants every pair.
func TakeAll(Pair, int64, int64) bool { return true }

// Merge takes equal pairs, one after another, that are wanted, given the bytes that
// the two take with what they are merged with already, and that can be taken, given
// those before. Buffers that are one have the id, and by the order of the others the
// place, of the one that the others lie over; one that is born before what it lies in,
// as a concat's operand, is tied to that and ends as it begins. Of pinned and tied
// buffers none are taken. It ends with a number of looks at two buffers: those of a
// body are looked at two by two, which of a chain of n pairs is n²/2; the pairs that
// are left are not taken.
func (in *Instance) Merge(want func(p Pair, over, under int64) bool) *Merged {
	m := merge(in, want)
	out := &Merged{in.Apart(), make([]Part, len(in.Buffers)), m.merged}
	number, n := make([]int, len(in.Buffers)), 0 // of each group among those that are left
	for k := range number {
		if number[k] = n; m.group[k] == k {
			n++
		}
	}
	for i, k := range m.group {
		out.Parts[i] = Part{number[k], m.at[i] - m.at[k]}
	}
	if m.merged > 0 {
		out.Instance.Buffers = m.buffers(number)
	}
	return out
}

// Lift is the plan of the parts.
func (m *Merged) Lift(p Plan) Plan {
	out := Plan{Offsets: make([]int64, len(m.Parts))}
	for i, part := range m.Parts {
		out.Offsets[i] = p.Offsets[part.Buffer] + part.Offset
	}
	return out
}

// A merging puts buffers of an instance together: into groups that are placed as
// one, each as large as all of its members need and live while any of them is;
// and into bodies, where a group that is born before what it becomes a part of,
// as an operand before its concat's result, is tied to that and ends as it
// begins.
type merging struct {
	in     *Instance
	group  []int   // of each buffer: the index of its group, that of its first member
	groups []group // by that index
	body   []int   // of each buffer: the group at the root of its body, to which the other groups there are tied
	at     []int64 // where in the body
	bodies [][]int // the members of each, by root
	fixed  []bool  // pinned, tied, or tied to: those stay as they are
	merged int
	work   int // looks at two members and at lives so far
}

// maxWork is how much a merging looks at; pairs that are left then stay apart.
const maxWork = 1 << 24

// A group is what its members take.
type group struct {
	size, align int64
	live        []Interval
}

func merge(in *Instance, want func(p Pair, over, under int64) bool) *merging {
	n := len(in.Buffers)
	m := &merging{in: in, group: Identity(n), body: Identity(n), at: make([]int64, n), fixed: make([]bool, n)}
	for i := range in.Buffers {
		b := &in.Buffers[i]
		m.groups = append(m.groups, group{b.Size, b.Alignment(), slices.Collect(b.Live())})
		m.bodies = append(m.bodies, []int{i})
		m.fixed[i] = m.fixed[i] || b.Offset != nil || b.Tie != nil
		if b.Tie != nil {
			m.fixed[b.Tie.To] = true
		}
	}
	allowed := make(map[Pair]bool, len(in.Pairs))
	for _, p := range in.Pairs {
		if p.Equal {
			allowed[p] = true
		}
	}
	for _, p := range in.Pairs {
		if p.Equal && want(p, m.groups[m.group[p.Over]].size, m.groups[m.group[p.Under]].size) && m.put(p, allowed) {
			m.merged++
		}
	}
	return m
}

// put merges the groups of a pair, or ties one to the other, if that is right for
// all that is at a fixed distance from either.
func (m *merging) put(p Pair, allowed map[Pair]bool) bool {
	over, under := m.group[p.Over], m.group[p.Under]
	delta := m.at[p.Under] + p.Distance - m.at[p.Over] // of the one body in the other
	if m.body[p.Over] == m.body[p.Under] {
		return delta == 0
	}
	if delta < 0 {
		over, under, delta = under, over, -delta
	}
	a, b := &m.groups[over], &m.groups[under]
	if m.body[over] != over || m.body[under] != under || m.fixed[p.Over] || m.fixed[p.Under] {
		return false
	}
	if m.work += len(m.bodies[over])*len(m.bodies[under]) + len(b.live); m.work > maxWork {
		return false
	}
	for _, i := range m.bodies[over] {
		for _, j := range m.bodies[under] {
			above := m.at[i] + delta - m.at[j]
			if !m.agree(i, j, above, allowed) || (i != over || j != under) && !m.apart(i, j, above) {
				return false
			}
		}
	}
	end, fits := Add(delta, a.size)
	align := LCM(a.align, b.align)
	if delta%a.align != 0 || align == 0 || !fits {
		return false
	}
	first, begins := begin(a.live), begin(b.live)
	tied := first < begins && end <= b.size
	if !tied && (first < begins && m.holds(under) || begins < first && m.holds(over)) {
		return false // it would be born before what is tied to it ends
	}
	b.align = align
	if tied {
		a.tie(begins, b)
	} else {
		b.size = max(b.size, end)
		b.live = append(b.live, a.live...)
	}
	m.move(over, under, delta, tied)
	return true
}

func begin(live []Interval) int64 {
	return slices.MinFunc(live, func(a, b Interval) int { return cmp.Compare(a.Start, b.Start) }).Start
}

// holds reports whether others are tied to a group.
func (m *merging) holds(k int) bool {
	return slices.ContainsFunc(m.bodies[k], func(i int) bool { return m.group[i] != k })
}

// tie makes a group a part of another from the step at which that begins.
func (g *group) tie(begins int64, other *group) {
	var before []Interval
	for _, part := range g.live {
		if part.End > begins {
			other.live = append(other.live, Interval{Start: max(part.Start, begins), End: part.End})
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
		if !tied && m.group[i] == over {
			m.group[i] = under
		}
	}
	m.bodies[under] = append(m.bodies[under], m.bodies[over]...)
	m.bodies[over] = nil
}

// agree reports whether i may lie so far above j.
func (m *merging) agree(i, j int, above int64, allowed map[Pair]bool) bool {
	a, b := &m.in.Buffers[i], &m.in.Buffers[j]
	return above >= b.Size || above <= -a.Size || !a.Conflicts(b) ||
		above >= 0 && allowed[Pair{Over: i, Under: j, Distance: above, Equal: true}] ||
		above <= 0 && allowed[Pair{Over: j, Under: i, Distance: -above, Equal: true}]
}

// apart reports whether the groups whose first members are i and j never overlap
// where i lies so far above j. Two that are tied to one root are placed each by
// itself, and must not, even if their members may share bytes.
func (m *merging) apart(i, j int, above int64) bool {
	a, b := &m.groups[i], &m.groups[j]
	if m.group[i] != i || m.group[j] != j || above >= b.size || above <= -a.size {
		return true
	}
	for _, v := range a.live {
		for _, w := range b.live {
			if v.Meets(w) {
				return false
			}
		}
	}
	return true
}

// buffers are the groups as the planner sees them, by their numbers.
func (m *merging) buffers(number []int) (list []Buffer) {
	for k, b := range m.in.Buffers {
		if m.group[k] != k {
			continue
		}
		g := &m.groups[k]
		b.Size, b.Align = g.size, g.align
		b.SetLive(g.live)
		if root := m.body[k]; root != k {
			b.Tie = &Tie{To: number[root], Delta: m.at[k]}
		} else if b.Tie != nil {
			b.Tie = &Tie{To: number[b.Tie.To], Delta: b.Tie.Delta}
		}
		list = append(list, b)
	}
	return list
}
