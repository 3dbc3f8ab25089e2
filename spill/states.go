package spill

import "memplan/model/graph"

// A state's runs follow each other: what is between its last operator and the end,
// and between the start and its first, is one gap. In it the state is in fast
// memory, at one place, or in slow, and so at the end of each run it is where the next
// begins with it. In others it may be copied in and out as any value, but that it
// changes: each operator that writes it makes a version, which lasts to the next
// that does. A version that is made in fast memory has a copy in slow where the state
// is in slow memory alone at some time of it. The first operator that writes all of a
// state and reads nothing of it needs nothing before: that gap is dead, and costs
// nothing.

// fresh reports whether all of a state is written at event j, and nothing read.
func (x *value) fresh(j int) bool {
	return x.comes && x.events[j].wrote && !x.events[j].read
}

// dead reports whether nothing of a state is needed in gap j.
func (x *value) dead(j int) bool {
	if last := len(x.events) - 2; j == last {
		j = 0
	}
	return x.fresh(j + 1)
}

// comes gives a state its columns.
func (p *program) comes(v int, x *value) {
	c, last := &p.cols[v], len(x.events)-1
	c.kept = never
	around := p.column(0, true)
	for j := range x.events {
		out, back := around, never
		if j > 0 && j < last {
			out = never
			if p.k.q.Way == Pieces {
				out = p.column(p.k.q.reaching(x.events[j:j+1]), true)
			}
			if !x.fresh(j) {
				back = p.column(p.k.q.read(x.size), false)
			}
		}
		c.out, c.back = append(c.out, out), append(c.back, back)
		switch {
		case j == last:
		case j == 0 || j == last-1:
			c.left = append(c.left, around)
		default:
			c.left = append(c.left, p.column(0, true))
		}
	}
	p.bind(c)
	p.versions(x, c)
}

// withhold has results take the places of no states' copies, and copies of no operands'.
// It reports whether that changes what may be chosen.
func (p *program) withhold() bool {
	changes := !p.withheld && len(p.copies) > 0
	for _, c := range p.copies {
		p.lp.Columns[c].Upper, p.withheld = 0, true
	}
	return changes
}

// versions ties what a state costs to be stored to where it is.
func (p *program) versions(x *value, c *columns) {
	for j := range x.events {
		if !x.events[j].wrote {
			continue
		}
		kept := p.column(p.k.q.write(x.size), false)
		for _, gap := range x.version(j) {
			p.least(0, term{kept, 1}, term{c.out[j], 1}, term{c.left[gap], -1})
		}
	}
}

// version lists the gaps, but dead ones, in which a state is as it was written at
// event j.
func (x *value) version(j int) (gaps []int) {
	n := len(x.events) - 1 // gaps
	for k := range n {
		gap := (j + k) % n
		if k > 0 && x.events[gap].wrote {
			break
		}
		if !x.dead(gap) {
			gaps = append(gaps, gap)
		}
	}
	return gaps
}

// storeState adds the store of a state that is written at a step.
func (f *fitting) storeState(v int, step int64) {
	x := &f.task.values[v]
	j, there := x.find(step)
	if !there || !x.events[j].wrote || f.where[v][0][j] {
		return
	}
	for _, gap := range x.version(j) {
		if f.where[v][1][gap] {
			from := f.tensor(x.root, f.begin(v, j))
			store := graph.Op{ID: "store " + f.Graph.Tensors[from].ID, Inputs: []int{from}, Outputs: []int{f.tensor(x.root, slow)}, Layout: graph.Concat}
			f.Stores = append(f.Stores, f.add(store, step))
			return
		}
	}
}
