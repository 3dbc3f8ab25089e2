package schedule

import "container/heap"

// Kahn is the order that always runs what has the least key of those that
// are ready (Kahn, Topological sorting of large networks, Communications of the
// ACM 5, 1962, doi:10.1145/368996.369025). Keys differ. Cost: O((units +
// dependences) log units).
//
// By hand, because of the order and of speed: gonum's topo.SortStabilized goes
// depth first, so that the order given is kept only where the dependences leave
// no choice, and for 100,000 units it takes 1.5 s and 145 MB, of which 0.8 s are
// for making its graph, where this takes 0.009 s and 4 MB (BenchmarkOrder100k).
func (d *DAG) Kahn(key []int) []int {
	waits := make([]int, len(d.Before))
	ready := &byKey{key: key}
	for o, list := range d.Before {
		if waits[o] = len(list); waits[o] == 0 {
			ready.list = append(ready.list, o)
		}
	}
	heap.Init(ready)
	order := make([]int, 0, len(d.Before))
	for len(ready.list) > 0 {
		o := heap.Pop(ready).(int)
		order = append(order, o)
		for _, a := range d.After[o] {
			if waits[a]--; waits[a] == 0 {
				heap.Push(ready, a)
			}
		}
	}
	return order
}

// byKey is a heap: the root has the least key.
type byKey struct {
	key  []int
	list []int
}

func (h *byKey) Len() int           { return len(h.list) }
func (h *byKey) Less(a, b int) bool { return h.key[h.list[a]] < h.key[h.list[b]] }
func (h *byKey) Swap(a, b int)      { h.list[a], h.list[b] = h.list[b], h.list[a] }
func (h *byKey) Push(x any)         { h.list = append(h.list, x.(int)) }
func (h *byKey) Pop() any {
	x := h.list[len(h.list)-1]
	h.list = h.list[:len(h.list)-1]
	return x
}
