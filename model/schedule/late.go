package schedule

import "slices"

// late finds units that need run no earlier than right before the one that needs
// them: all that they touch is what they make for that one alone. There they have
// live what it has, besides its own results; so they add nothing where it saves no
// more than those. Of the rest it is -1. Where bytes are live at the first step alone,
// nothing is late: a light unit may be wanted there.
func (c *Problem) late() (before []int, any bool) {
	before = make([]int, len(c.touched))
	for u := range before {
		before[u] = -1
		if c.atStart > 0 || len(c.DAG.After[u]) != 1 || c.Scratch[u] > 0 || len(c.touched[u]) == 0 || len(c.Pairs[u])+len(c.Leads[u])+len(c.Lays[u]) > 0 {
			continue
		}
		v := c.DAG.After[u][0]
		made := func(i int) bool {
			it := &c.Items[i]
			return len(it.Firsts) == 1 && it.Firsts[0] == u && len(it.Laid) == 0 && slices.Equal(it.Users, sorted(u, v))
		}
		if c.frugal(v) && !slices.ContainsFunc(c.touched[u], func(i int) bool { return !made(i) }) {
			before[u], any = v, true // which is not late itself: it touches what u makes
		}
	}
	return before, any
}

func sorted(a, b int) []int { return []int{min(a, b), max(a, b)} }

// frugal reports whether a unit saves no more bytes than it makes.
func (c *Problem) frugal(u int) bool {
	makes := int64(0)
	for _, i := range c.born[u] {
		if len(c.Items[i].Firsts) == 1 {
			makes += c.Items[i].Bytes
		}
	}
	for _, p := range slices.Concat(c.Pairs[u], c.Leads[u]) {
		makes -= p.Bytes
	}
	return makes >= 0 && len(c.Lays[u]) == 0
}

// joined is the problem in which late units are part of those that they run before:
// the units of each of its own, the last of which is the one that was not late.
func (c *Problem) joined(before []int) (j *Problem, units [][]int) {
	number := make([]int, len(before))
	for u, v := range before {
		if v < 0 {
			number[u] = len(units)
			units = append(units, nil)
		}
	}
	for u, v := range before {
		if v >= 0 {
			number[u] = number[v]
			units[number[u]] = append(units[number[u]], u)
		}
	}
	for u, v := range before {
		if v < 0 {
			units[number[u]] = append(units[number[u]], u)
		}
	}
	to := func(list []int) []int {
		out := make([]int, len(list))
		for k, u := range list {
			out[k] = number[u]
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	j = New(len(units))
	j.Items = slices.Clone(c.Items)
	for i := range j.Items {
		it := &j.Items[i]
		it.Firsts, it.Users, it.Laid = to(it.Firsts), to(it.Users), to(it.Laid)
	}
	for n, list := range units {
		v := list[len(list)-1]
		j.Scratch[n], j.Pairs[n], j.Leads[n], j.Lays[n], j.Result[n] = c.Scratch[v], c.Pairs[v], c.Leads[v], c.Lays[v], c.Result[v]
		for _, u := range list {
			j.DAG.Before[n] = append(j.DAG.Before[n], to(c.DAG.Before[u])...)
			j.DAG.After[n] = append(j.DAG.After[n], to(c.DAG.After[u])...)
		}
		for _, side := range []*[]int{&j.DAG.Before[n], &j.DAG.After[n]} {
			slices.Sort(*side)
			*side = slices.DeleteFunc(slices.Compact(*side), func(m int) bool { return m == n })
		}
	}
	j.Finish()
	return j, units
}
