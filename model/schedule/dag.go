package schedule

import (
	"slices"

	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
)

// A DAG is the order that the values impose on the operators, or on groups of
// them that run as one: which must run before which.
type DAG struct {
	Before, After [][]int // direct, ascending, without repetition
}

// Mirror fills After, which is empty, from Before.
func (d *DAG) Mirror() {
	for o, list := range d.Before {
		for _, b := range list {
			d.After[b] = append(d.After[b], o)
		}
	}
}

// maxComponents is up to how many operators that wait in vain the cycles are
// told apart: gonum's search for components recurses, and Go ends a program
// whose stack outgrows a gigabyte, which 2.7 million operators in a ring do.
const maxComponents = 100_000

// Cycles returns the sets of operators that wait for each other, each in
// ascending order, by their first: the strongly connected components of more
// than one operator (Tarjan, Depth-first search and linear graph algorithms,
// SIAM Journal on Computing 1, 1972, doi:10.1137/0201010), and operators that
// wait for themselves. None means that the DAG is one. Beyond maxComponents
// all that lie on cycles or between them are one set. Cost: linear.
func (d *DAG) Cycles() [][]int {
	core := d.core()
	if len(core) > maxComponents {
		return [][]int{core}
	}
	waiting := simple.NewDirectedGraph()
	for _, o := range core {
		waiting.AddNode(simple.Node(o))
	}
	for _, o := range core {
		for _, b := range d.Before[o] {
			if b != o && waiting.Node(int64(b)) != nil {
				waiting.SetEdge(simple.Edge{F: simple.Node(b), T: simple.Node(o)})
			}
		}
	}
	var cycles [][]int
	for _, component := range topo.TarjanSCC(waiting) {
		set := make([]int, len(component))
		for k, node := range component {
			set[k] = int(node.ID())
		}
		slices.Sort(set)
		if len(set) > 1 || slices.Contains(d.Before[set[0]], set[0]) {
			cycles = append(cycles, set)
		}
	}
	slices.SortFunc(cycles, slices.Compare)
	return cycles
}

// core lists the operators that lie on cycles or between them: those that can
// never run, neither forwards nor backwards.
func (d *DAG) core() []int {
	forwards, backwards := d.Stuck(), (&DAG{Before: d.After, After: d.Before}).Stuck()
	var core []int
	for o := range forwards {
		if forwards[o] && backwards[o] {
			core = append(core, o)
		}
	}
	return core
}

// Run visits each operator that can run, after those it waits for, in the
// order in which they become ready.
func (d *DAG) Run(visit func(o int)) {
	waits := make([]int, len(d.Before))
	var ready []int
	for o, list := range d.Before {
		if waits[o] = len(list); waits[o] == 0 {
			ready = append(ready, o)
		}
	}
	for k := 0; k < len(ready); k++ {
		visit(ready[k])
		for _, a := range d.After[ready[k]] {
			if waits[a]--; waits[a] == 0 {
				ready = append(ready, a)
			}
		}
	}
}

// Contract is the dag of units, of which there are n: unit tells in which each
// operator is.
func (d *DAG) Contract(unit []int, n int) *DAG {
	units := &DAG{Before: make([][]int, n), After: make([][]int, n)}
	for o, list := range d.Before {
		for _, b := range list {
			if unit[b] != unit[o] {
				units.Before[unit[o]] = append(units.Before[unit[o]], unit[b])
			}
		}
	}
	for u := range units.Before {
		slices.Sort(units.Before[u])
		units.Before[u] = slices.Compact(units.Before[u])
	}
	units.Mirror()
	return units
}

// Stuck tells which can never run, because they wait for each other or for
// those that do.
func (d *DAG) Stuck() []bool {
	stuck := make([]bool, len(d.Before))
	for o := range stuck {
		stuck[o] = true
	}
	d.Run(func(o int) { stuck[o] = false })
	return stuck
}
