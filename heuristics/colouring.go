package heuristics

import (
	"container/heap"
	"context"

	"memplan/model"
)

// GreedyColouring is approximate, exact where all sizes are equal. Order:
// birth, then index. Rule: the first object whose last tenant is dead, else a new
// object; a object is as large as its largest tenant; objects are stacked in the
// order of their first use.
// Cost: O(n log n). Guarantee: the fewest objects, k of them; so at most k times
// the largest size, the load where all sizes are equal and no offset is
// aligned, tied or pinned.
// Source: the left-edge algorithm, Hashimoto and Stevens 1971; as memory pools in
// graph compilers.
type GreedyColouring struct{}

func (GreedyColouring) Name() string { return "greedy-colouring" }
func (GreedyColouring) Definition() string {
	return "objects in birth order: the first whose last tenant is dead, as large as its largest tenant; stacked"
}

func (GreedyColouring) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	t := newDraft(in)
	items := t.withBytes(t.items())
	byBirth(t, items)
	return t.stack(ctx, colour(items))
}

// colour shares out items, which are in birth order, over the fewest objects.
func colour(items []item) []group {
	var objects []group
	var free vacancies
	var busy tenancies
	for _, it := range items {
		for len(busy) > 0 && busy[0].end <= it.life.Start {
			heap.Push(&free, heap.Pop(&busy).(tenancy).object)
		}
		object := len(objects)
		if len(free) > 0 {
			object = heap.Pop(&free).(int)
		} else {
			objects = append(objects, nil)
		}
		objects[object] = append(objects[object], it.body)
		heap.Push(&busy, tenancy{it.life.End, object})
	}
	return objects
}

// vacancies is a heap of the free objects, the first at the root.
type vacancies []int

func (h vacancies) Len() int           { return len(h) }
func (h vacancies) Less(i, j int) bool { return h[i] < h[j] }
func (h vacancies) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *vacancies) Push(x any)        { *h = append(*h, x.(int)) }
func (h *vacancies) Pop() any          { return pop((*[]int)(h)) }

// A tenancy is a object in use until end.
type tenancy struct {
	end    int64
	object int
}

// tenancies is a heap of the objects in use, the first to end at the root.
type tenancies []tenancy

func (h tenancies) Len() int           { return len(h) }
func (h tenancies) Less(i, j int) bool { return h[i].end < h[j].end }
func (h tenancies) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *tenancies) Push(x any)        { *h = append(*h, x.(tenancy)) }
func (h *tenancies) Pop() any          { return pop((*[]tenancy)(h)) }

func pop[T any](h *[]T) T {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
