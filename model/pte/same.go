package pte

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// Same checks that p is the old program but for where tensors lie, how large
// memories are and, where the placement says so, in which memories tensors lie and
// in which order instructions run: every byte that means anything else is as it was, and every instruction, the
// caller and the next run read what the same instructions wrote. It replays
// both programs, and knows nothing of lifetimes or plans.
func (p *Program) Same(old *Program, to Placement) error {
	if err := p.alike(old, to); err != nil {
		return err
	}
	var faults []error
	for i, m := range p.Methods {
		if err := m.same(old.Methods[i], orderOf(to.Order, i)); err != nil {
			faults = append(faults, fmt.Errorf("method %q: %w", m.Name, err))
		}
	}
	return errors.Join(faults...)
}

func orderOf(order [][]int, method int) []int {
	if order == nil {
		return nil
	}
	return order[method]
}

// alike is Same without looking at who reads what.
func (p *Program) alike(old *Program, to Placement) error {
	if err := p.unchanged(old, to); err != nil {
		return err
	}
	for i, m := range p.Methods {
		was := *old.Methods[i]
		was.Values = slices.Clone(was.Values)
		for v := range was.Values {
			was.Values[v].Memory = to.memory(i, old.Methods[i], v)
		}
		if err := m.alike(&was, orderOf(to.Order, i)); err != nil {
			return fmt.Errorf("method %q: %w", m.Name, err)
		}
	}
	return nil
}

// unchanged checks the bytes.
func (p *Program) unchanged(old *Program, to Placement) error {
	if p.flat < old.flat || len(p.Methods) != len(old.Methods) || !bytes.Equal(p.behind(), old.behind()) {
		return errors.New("the program is another one")
	}
	a, b := slices.Clone(old.data[:old.flat]), slices.Clone(p.data[:old.flat])
	for _, at := range old.places(to) {
		clear(a[at.start:at.end])
		clear(b[at.start:at.end])
	}
	for i := range a {
		if a[i] != b[i] {
			return fmt.Errorf("byte %d, which is no part of a plan, has changed", i)
		}
	}
	return nil
}

// behind is what follows the FlatBuffer, without the gap before it.
func (p *Program) behind() []byte {
	if p.base > 0 {
		return p.data[p.base:]
	}
	return p.data[p.flat:]
}

type extent struct{ start, end int64 }

// places are the bytes of the FlatBuffer that a placement may change.
func (p *Program) places(to Placement) []extent {
	var list []extent
	if p.header {
		list = append(list, extent{sizePos, basePos + 8})
	}
	add := func(at, width int64) {
		if width > 0 {
			list = append(list, extent{at, at + width})
		}
	}
	for i, m := range p.Methods {
		add(m.sizes, 8*int64(len(m.Memories)))
		fields := []int{allocationLow, allocationHigh}
		if to.Memories[i] != nil {
			fields = append(fields, allocationMemory)
		}
		if len(to.Sizes[i]) > len(m.Memories) {
			field, _ := m.table.At(planSizes, 4)
			add(field, 4)
		}
		for v := range m.Values {
			if x := &m.Values[v]; x.Memory > 0 {
				field, _ := x.table.At(tensorAllocation, 4)
				add(field, 4)
				for _, f := range fields {
					if at, ok := x.location.At(f, 4); ok {
						add(at, 4)
					}
				}
			}
		}
		for _, c := range m.chains {
			add(c.code.Pos, 4*c.code.N)
			add(c.trace.Pos, 4*c.trace.N)
		}
	}
	return list
}

// alike compares the values and the instructions of methods.
func (m *Method) alike(old *Method, order []int) error {
	if order == nil {
		order = make([]int, len(m.Code))
		for k := range order {
			order[k] = k
		}
	}
	if len(m.Code) != len(old.Code) || len(order) != len(m.Code) || len(m.Values) != len(old.Values) || !slices.Equal(m.Inputs, old.Inputs) || !slices.Equal(m.Outputs, old.Outputs) {
		return errors.New("it is another one")
	}
	for v := range m.Values {
		if a, b := &m.Values[v], &old.Values[v]; a.Kind != b.Kind || a.Bytes != b.Bytes || a.Memory != b.Memory || a.Initial != b.Initial || !slices.Equal(a.Items, b.Items) {
			return fmt.Errorf("%s is another one", m.Label(v))
		}
	}
	ran := make([]bool, len(order))
	for k, from := range order {
		a, b := &m.Code[k], &old.Code[from]
		if ran[from] || a.Call != b.Call || a.Name != b.Name || !slices.Equal(a.Args, b.Args) {
			return fmt.Errorf("%s is not instruction %d of before", m.Step(k), from)
		}
		ran[from] = true
	}
	return nil
}

// same compares who reads what in methods that are alike.
func (m *Method) same(old *Method, order []int) error {
	then, f, err := old.sources(nil)
	if m.straight() != nil || err != nil { // left alone
		return m.unmoved(old)
	}
	now, _, err := m.sources(order)
	if err != nil {
		return err
	}
	workspace := func(s source) bool { return f.spent[s.value] } // holds whatever was there
	for k := range then {
		if !slices.Equal(slices.DeleteFunc(now[k], workspace), slices.DeleteFunc(then[k], workspace)) {
			return fmt.Errorf("%s reads other bytes than before", old.Step(k))
		}
	}
	return nil
}

// unmoved checks that all tensors lie where they lay.
func (m *Method) unmoved(old *Method) error {
	for v := range m.Values {
		if m.Values[v].Offset != old.Values[v].Offset {
			return fmt.Errorf("%s has moved, though nothing is known of the method", m.Label(v))
		}
	}
	if !slices.Equal(m.Memories, old.Memories) {
		return errors.New("its memories have other sizes, though nothing is known of the method")
	}
	return nil
}

// A source says that bytes of a value that an instruction reads are bytes of
// another, which some instruction wrote.
type source struct {
	value      int
	start, end int64 // of value
	from       int   // the value written
	at         int64 // where in that
	step       int   // the instruction that wrote it
}

// sources lists what each instruction reads, by the instructions' places in
// order; the last are the caller's and the next run's reads.
func (m *Method) sources(order []int) ([][]source, *flow, error) {
	number := func(k int) int {
		if order == nil || k < 0 || k >= len(order) {
			return k
		}
		return order[k]
	}
	list := make([][]source, len(m.Code)+1)
	f, err := m.replay(func(k, v int, from []piece) {
		base := m.Values[v].Offset
		to := &list[number(k)]
		for _, p := range from {
			s := source{v, p.start - base, p.end - base, p.value, p.start - m.Values[p.value].Offset, number(p.step)}
			*to = append(*to, s)
		}
	})
	return list, f, err
}
