package model

import "slices"

// A dag is the order that the values impose on the operators, or on groups of
// them that run as one: which must run before which.
type dag struct {
	before, after [][]int // direct, ascending, without repetition
}

// newDAG finds the dependences of a graph whose references are valid: what an
// operator reads, what it must come after, and, for those that read one
// variable and may change it, the order given. Cost: linear, but for the
// sorting of each operator's predecessors.
func newDAG(g *Graph) *dag {
	d := newFlow(g)
	place := make([]int, len(g.Ops))
	order := g.Schedule
	if len(order) != len(g.Ops) {
		order = d.smallest(identity(len(g.Ops)))
	}
	for k, o := range order {
		place[o] = k
	}
	if !d.chainVariables(g, place) {
		return d
	}
	d.after = make([][]int, len(g.Ops))
	d.mirror()
	return d
}

// chainVariables has the operators that read a variable run in the order of
// their places. It reports whether there are any.
func (d *dag) chainVariables(g *Graph, place []int) bool {
	root := g.roots()
	readers := make(map[int][]int)
	for o := range g.Ops {
		for _, t := range g.Ops[o].Inputs {
			if r := root[t]; g.Tensors[r].Kind == Variable {
				readers[r] = append(readers[r], o)
			}
		}
	}
	for _, list := range readers {
		slices.SortFunc(list, func(a, b int) int { return place[a] - place[b] })
		for k, o := range slices.Compact(list)[1:] {
			d.before[o] = append(d.before[o], list[k])
		}
	}
	for o := range d.before {
		slices.Sort(d.before[o])
		d.before[o] = slices.Compact(d.before[o])
	}
	return len(readers) > 0
}

// newFlow finds the dependences by values and by After.
func newFlow(g *Graph) *dag {
	writer := g.writers()
	d := &dag{before: make([][]int, len(g.Ops)), after: make([][]int, len(g.Ops))}
	for o := range g.Ops {
		list := slices.Clone(g.Ops[o].After)
		for _, t := range g.Ops[o].Inputs {
			if w := writer[t]; w >= 0 {
				list = append(list, w)
			}
		}
		slices.Sort(list)
		d.before[o] = slices.Compact(list)
	}
	d.mirror()
	return d
}

// mirror fills after from before.
func (d *dag) mirror() {
	for o, list := range d.before {
		for _, b := range list {
			d.after[b] = append(d.after[b], o)
		}
	}
}

// writers gives each tensor's producer; -1 where there is none. A view that no
// operator writes has its base's.
func (g *Graph) writers() []int {
	writer := make([]int, len(g.Tensors))
	for t := range writer {
		writer[t] = -1
	}
	for o := range g.Ops {
		for _, t := range g.Ops[o].Outputs {
			writer[t] = o
		}
	}
	given := make([]bool, len(g.Tensors))
	for _, t := range g.Inputs {
		given[t] = true
	}
	resolved := make([]bool, len(g.Tensors))
	var chain []int
	for t := range g.Tensors {
		chain = chain[:0]
		for !resolved[t] && writer[t] < 0 && !given[t] && g.Tensors[t].View != nil {
			chain = append(chain, t)
			resolved[t] = true // also ends a chain that closes
			t = g.Tensors[t].View.Of
		}
		for _, c := range chain {
			writer[c] = writer[t]
		}
	}
	return writer
}

// cycle returns operators that wait for each other, each for the next one's
// result and the last for the first's; nil when there are none.
func (d *dag) cycle() []int {
	done := make([]bool, len(d.before))
	ran := 0
	d.run(func(o int) { done[o] = true; ran++ })
	if ran == len(done) {
		return nil
	}
	o := slices.Index(done, false)
	at := make(map[int]int)
	var path []int
	for {
		if k, seen := at[o]; seen {
			return path[k:]
		}
		at[o] = len(path)
		path = append(path, o)
		for _, b := range d.before[o] {
			if !done[b] {
				o = b
				break
			}
		}
	}
}

// run visits each operator that can run, after those it waits for, in the
// order in which they become ready.
func (d *dag) run(visit func(o int)) {
	waits := make([]int, len(d.before))
	var ready []int
	for o, list := range d.before {
		if waits[o] = len(list); waits[o] == 0 {
			ready = append(ready, o)
		}
	}
	for k := 0; k < len(ready); k++ {
		visit(ready[k])
		for _, a := range d.after[ready[k]] {
			if waits[a]--; waits[a] == 0 {
				ready = append(ready, a)
			}
		}
	}
}
