package pte

import (
	"slices"
	"strings"
)

// What an instruction does to the values it names.
type access struct {
	reads  []int // before it writes
	writes []int
	view   bool // the value written becomes a name for the bytes of the one read first

	from, to []int // whose bytes reads and writes name at that step; set by the replay
}

const (
	viewOf    = "executorch_prim::et_view"
	copyIndex = "executorch_prim::et_copy_index"
)

// accesses says which values an instruction reads and which it writes. Of a
// kernel the last argument is the result, a list where there are several; the
// arguments before it that are results too are out parameters, which are
// written only. An operator whose name ends in "_" changes its operand, so that
// its result is read as well. Of a delegate whose inputs are not known an
// argument may be both: which, the flow decides.
func (m *Method) accesses(x *Instruction) access {
	n := len(x.Args)
	if n == 0 {
		return access{}
	}
	name := x.operator()
	switch {
	case x.Call == Delegate && x.inputs >= 0 && x.inputs <= n:
		return access{reads: m.expand(x.Args[:x.inputs]...), writes: m.expand(x.Args[x.inputs:]...)}
	case x.Call != Kernel:
		all := m.expand(x.Args...)
		return access{reads: all, writes: all}
	case name == viewOf:
		return access{reads: m.expand(x.Args[:n-1]...), writes: x.Args[n-1:], view: true}
	case name == copyIndex:
		return access{reads: m.expand(x.Args[1:]...), writes: x.Args[:1]}
	}
	results := m.expand(x.Args[n-1])
	operands := n - 1
	if !changes(name) {
		operands = m.operands(x.Args, results)
	}
	return access{reads: m.expand(x.Args[:operands]...), writes: results}
}

// changes reports whether an operator of that name changes its operand.
func changes(name string) bool { return strings.HasSuffix(name, "_") }

// operands is the number of arguments before those that are results.
func (m *Method) operands(args, results []int) int {
	among := make(map[int]bool, len(results))
	for _, v := range results {
		among[v] = true
	}
	k := len(args) - 1
	for ; k > 0; k-- {
		list := m.expand(args[k-1])
		if len(list) > 1 {
			list = list[1:] // a list of results may be another than the result
		}
		if slices.ContainsFunc(list, func(v int) bool { return !among[v] }) {
			break
		}
	}
	return k
}
