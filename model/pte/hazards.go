package pte

import "strings"

// hazards finds which instructions must stay in which order: those that write
// what another reads or writes, and those that do more than their operands
// show.
type hazards struct {
	f      *flow
	writer []int   // by value: the last instruction that wrote it; absent: none
	reads  [][]int // by value: those that read it since
	effect int     // the last instruction with effects of its own
}

func newHazards(f *flow) *hazards {
	n := len(f.m.Values)
	h := &hazards{f: f, writer: make([]int, n), reads: make([][]int, n), effect: absent}
	for v := range h.writer {
		h.writer[v] = absent
	}
	return h
}

// before lists the instructions that must run before instruction k, which is
// asked for in turn. What follows from those is left out.
func (h *hazards) before(k int) []int {
	var list []int
	seen := make(map[int]bool)
	after := func(o int) {
		if o != absent && o != k && !seen[o] {
			seen[o] = true
			list = append(list, o)
		}
	}
	a := &h.f.access[k]
	for i, v := range a.reads {
		for _, r := range h.resources(v, a.from[i]) {
			after(h.writer[r])
			h.reads[r] = append(h.reads[r], k)
		}
	}
	for i, v := range a.writes {
		for _, r := range h.resources(v, a.to[i]) {
			after(h.writer[r])
			for _, o := range h.reads[r] {
				after(o)
			}
			h.writer[r], h.reads[r] = k, nil
		}
	}
	if effects(&h.f.m.Code[k]) {
		after(h.effect)
		h.effect = k
	}
	return list
}

// resources are what stands for a value that names some bytes: those bytes'
// group, and itself where that is another.
func (h *hazards) resources(v, bytes int) []int {
	if r := h.f.root(bytes); r != v {
		return []int{v, r}
	}
	return []int{v}
}

// pure are the operators that do nothing but compute their results.
var pure = []string{"aten::", "dim_order_ops::", "executorch_prim::", "quantized_decomposed::", "et_copy::"}

// random are parts of the names of operators that draw numbers.
var random = []string{"rand", "bernoulli", "dropout", "multinomial", "normal", "uniform", "poisson", "exponential", "geometric", "cauchy"}

// effects reports whether an instruction may do more than its operands show.
func effects(x *Instruction) bool {
	for _, word := range random {
		if strings.Contains(x.Name, word) {
			return true
		}
	}
	for _, space := range pure {
		if x.Call == Kernel && strings.HasPrefix(x.Name, space) {
			return false
		}
	}
	return true
}
