package schedule

import "slices"

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

// Cycle returns operators that wait for each other, each for the next one's
// result and the last for the first's; nil when there are none.
func (d *DAG) Cycle() []int {
	done := make([]bool, len(d.Before))
	ran := 0
	d.Run(func(o int) { done[o] = true; ran++ })
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
		for _, b := range d.Before[o] {
			if !done[b] {
				o = b
				break
			}
		}
	}
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
