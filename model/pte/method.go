package pte

import (
	"encoding/binary"
	"fmt"
	"strings"

	"memplan/model"
	"memplan/model/internal/flat"
)

// A Method is one of a program's entry points. Its instructions run one after
// another, those of the first chain first.
type Method struct {
	Name            string
	Values          []Value
	Inputs, Outputs []int // indexes of Values
	Code            []Instruction
	Memories        []Memory // by the file's memory_id; number 0 is not used

	table     flat.Table
	chains    []chain
	delegates []delegate
	sizes     int64 // position of the first of the memories' sizes
}

// A Memory is one of a method's arenas.
type Memory struct {
	Size   int64  // bytes that the runtime is to provide
	Device string // of the memory, "" for the processor's own
}

// A Kind is the schema's number of a value's type.
type Kind uint8

const (
	kindInt        Kind = 2
	kindTensor     Kind = 5
	kindIntList    Kind = 7
	kindTensors    Kind = 10
	kindOptionals  Kind = 11
	kinds          Kind = 12
	absent              = -1
	dynamicUnbound      = 2
)

// A Value is what instructions take and give.
type Value struct {
	Kind   Kind
	Items  []int  // of a list of values, indexes; -1 is none
	Bytes  int64  // of a tensor; where its shape has bounds, at the bound
	Name   string // of a tensor, where the file has one: a parameter's or buffer's
	Memory int    // number of the arena that the tensor is planned in; 0: none
	Offset int64  // in the arena, bytes

	Initial  bool // the arena holds a value of it before the first run
	Unbound  bool // the shape has no bound
	table    flat.Table
	location flat.Table // the memory and the offset, where Memory > 0
}

// A Call says what an instruction does.
type Call uint8

const (
	Kernel   Call = 1
	Delegate Call = 2
	Move     Call = 3
	Jump     Call = 4
	Free     Call = 5
)

// An Instruction is one step of a method.
type Instruction struct {
	Call Call
	Name string // operator and overload, or the delegate's
	Args []int  // indexes of values

	inputs int // of a delegate: how many of Args it reads; -1: not known
}

// A chain is a run of instructions in the file.
type chain struct{ code, trace flat.Vector }

type delegate struct {
	name   string
	inputs int // how many; -1: not known
}

// Label is how messages name a value.
func (m *Method) Label(v int) string {
	if name := m.Values[v].Name; name != "" {
		return fmt.Sprintf("value %d (%s)", v, name)
	}
	return fmt.Sprintf("value %d", v)
}

// Step is how messages name an instruction.
func (m *Method) Step(k int) string {
	if k < 0 {
		return "the inputs"
	}
	if k >= len(m.Code) {
		return "the end"
	}
	return fmt.Sprintf("instruction %d, %s", k, m.Code[k].Name)
}

func (p *Program) readMethod(t flat.Table) *Method {
	m := &Method{Name: t.Text(planName), table: t}
	r := t.R
	where := fmt.Sprintf("method %q", m.Name)
	r.Where = where
	m.readMemories()
	v := t.Vector(planValues, 4)
	for i := 0; i < int(v.N) && r.Err == nil; i++ {
		r.Where = fmt.Sprintf("%s, value %d", where, i)
		m.Values = append(m.Values, m.readValue(v.Table(i), int(v.N)))
	}
	r.Where = where
	m.Inputs, m.Outputs = m.indexes(t, planInputs), m.indexes(t, planOutputs)
	operators := readOperators(t)
	v = t.Vector(planDelegates, 4)
	for i := 0; i < int(v.N) && r.Err == nil; i++ {
		r.Where = fmt.Sprintf("%s, delegate %d", where, i)
		m.delegates = append(m.delegates, p.readDelegate(v.Table(i)))
	}
	r.Where = where
	v = t.Vector(planChains, 4)
	for i := 0; i < int(v.N) && r.Err == nil; i++ {
		table := v.Table(i)
		c := chain{table.Vector(chainInstructions, 4), table.Vector(chainTrace, 4)}
		m.chains = append(m.chains, c)
		for k := 0; k < int(c.code.N) && r.Err == nil; k++ {
			r.Where = fmt.Sprintf("%s, instruction %d", where, len(m.Code))
			m.Code = append(m.Code, m.readInstruction(c.code.Table(k), operators))
		}
	}
	return m
}

// readMemories reads the arenas' sizes, and on which device they are.
func (m *Method) readMemories() {
	v := m.table.Vector(planSizes, 8)
	m.sizes = v.Pos
	v.R.Charge(v.Pos, 24*v.N)
	data := v.Data()
	for i := range len(data) / 8 {
		size := binary.LittleEndian.Uint64(data[8*i:])
		if size > maxBytes {
			v.R.Fail(v.Pos+8*int64(i), "memory %d of %d bytes", i, size)
		}
		m.Memories = append(m.Memories, Memory{Size: int64(size)})
	}
	v = m.table.Vector(planDevices, 4)
	for i := 0; i < int(v.N) && v.R.Err == nil; i++ {
		t := v.Table(i)
		k, kind := t.I32(deviceMemory), t.U8(deviceType)
		if k < 0 || int(k) >= len(m.Memories) {
			v.R.Fail(t.Pos, "a device for memory %d, there are %d", k, len(m.Memories))
			return
		}
		if kind != 0 {
			m.Memories[k].Device = fmt.Sprintf("device %d of type %d", t.U8(deviceNumber), kind)
		}
	}
}

// indexes reads a vector of indexes of values.
func (m *Method) indexes(t flat.Table, field int) []int {
	v := t.Vector(field, 4)
	v.R.Charge(v.Pos, 4*v.N)
	return checked(v, v.Ints(), 0, len(m.Values))
}

// checked is a list of numbers from least to n-1.
func checked(v flat.Vector, list []int32, least, n int) []int {
	out := make([]int, len(list))
	for k, i := range list {
		if out[k] = int(i); int(i) < least || int(i) >= n {
			v.R.Fail(v.Pos+4*int64(k), "value %d, there are %d", i, n)
			return nil
		}
	}
	return out
}

func (m *Method) readValue(t flat.Table, n int) Value {
	x := Value{Kind: Kind(t.U8(valueType))}
	of, there := t.Table(valueOf)
	if x.Kind >= kinds {
		t.R.Fail(t.Pos, "a value of type %d", x.Kind)
	}
	if !there {
		return x
	}
	switch x.Kind {
	case kindTensor:
		m.readTensor(&x, of)
	case kindTensors, kindOptionals:
		v := of.Vector(valueItems, 4)
		v.R.Charge(v.Pos, 4*v.N)
		x.Items = checked(v, v.Ints(), absent, n)
	case kindIntList:
		v := of.Vector(valueItems, 8)
		v.R.Charge(v.Pos, v.N*8)
		data := v.Data()
		for i := range len(data) / 8 {
			item := int64(binary.LittleEndian.Uint64(data[8*i:]))
			if item < 0 || item >= int64(n) {
				v.R.Fail(v.Pos+8*int64(i), "value %d, there are %d", item, n)
				break
			}
			x.Items = append(x.Items, int(item))
		}
	}
	return x
}

// widths are the bytes of an element, by the schema's number of its type; 0
// where it has no fixed number.
var widths = [...]int64{1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 1, 1, 4, 2, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 4, 8}

func (m *Method) readTensor(x *Value, t flat.Table) {
	x.table = t
	x.Initial = t.U32(tensorData) > 0
	x.Unbound = t.U8(tensorDynamism) == dynamicUnbound
	if extra, ok := t.Table(tensorExtra); ok {
		x.Name = extra.Text(extraName)
	}
	x.Bytes = m.bytes(t)
	var planned bool
	if x.location, planned = t.Table(tensorAllocation); !planned || t.R.Err != nil {
		return
	}
	a := x.location
	offset := uint64(a.U32(allocationHigh))<<32 | uint64(a.U32(allocationLow))
	memory := a.U32(allocationMemory)
	switch {
	case memory == 0 || int64(memory) >= int64(len(m.Memories)):
		t.R.Fail(a.Pos, "memory %d, there are 1 to %d", memory, len(m.Memories)-1)
	case offset > maxBytes:
		t.R.Fail(a.Pos, "the offset %d", offset)
	}
	x.Memory, x.Offset = int(memory), int64(offset)
}

// bytes is the size of a tensor.
func (m *Method) bytes(t flat.Table) int64 {
	kind := t.U8(tensorType)
	if int(kind) >= len(widths) || widths[kind] == 0 {
		t.R.Fail(t.Pos, "elements of type %d have no fixed size", kind)
		return 0
	}
	n, ok, empty := widths[kind], true, false
	for _, d := range t.Vector(tensorSizes, 4).Ints() {
		if d < 0 {
			t.R.Fail(t.Pos, "the dimension %d", d)
		}
		empty = empty || d == 0
		if ok {
			n, ok = model.Mul(n, int64(max(d, 1)))
		}
	}
	switch {
	case empty:
		return 0
	case !ok || n > maxBytes:
		t.R.Fail(t.Pos, "its size does not fit in int64")
		return 0
	}
	return n
}

// readOperators lists the names of a method's operators.
func readOperators(plan flat.Table) []string {
	v := plan.Vector(planOperators, 4)
	var names []string
	for i := 0; i < int(v.N) && v.R.Err == nil; i++ {
		t := v.Table(i)
		name := t.Text(operatorName)
		if overload := t.Text(operatorOverload); overload != "" {
			name += "." + overload
		}
		names = append(names, name)
	}
	return names
}

func (m *Method) readInstruction(t flat.Table, operators []string) Instruction {
	x := Instruction{Call: Call(t.U8(instructionType)), inputs: absent}
	of, ok := t.Table(instructionOf)
	if !ok {
		t.R.Fail(t.Pos, "an instruction without arguments")
		return x
	}
	n := len(operators)
	switch x.Call {
	case Kernel, Delegate:
		if x.Call == Delegate {
			n = len(m.delegates)
		}
		i := of.I32(callIndex)
		if i < 0 || int(i) >= n {
			t.R.Fail(of.Pos, "operator or delegate %d, there are %d", i, n)
			return x
		}
		if x.Args = m.indexes(of, callArgs); x.Call == Delegate {
			x.Name, x.inputs = m.delegates[i].name, m.delegates[i].inputs
		} else {
			x.Name = operators[i]
		}
	case Move:
		x.Name, x.Args = "move", m.words(of, moveFrom, moveTo)
	case Jump:
		x.Name, x.Args = "jump", m.words(of, jumpCondition)
	case Free:
		x.Name, x.Args = "free", m.words(of, freeValue)
	default:
		t.R.Fail(t.Pos, "an instruction of type %d", x.Call)
	}
	for _, a := range x.Args {
		t.R.Charge(of.Pos, 8*int64(len(m.Values[a].Items)))
	}
	return x
}

// words are the values that fields of a table name.
func (m *Method) words(t flat.Table, fields ...int) []int {
	var list []int
	for _, f := range fields {
		i := t.I32(f)
		if i < 0 || int(i) >= len(m.Values) {
			t.R.Fail(t.Pos, "value %d, there are %d", i, len(m.Values))
			return nil
		}
		list = append(list, int(i))
	}
	return list
}

// expand lists values, those in lists one by one.
func (m *Method) expand(values ...int) []int {
	var list []int
	for _, v := range values {
		list = append(list, v)
		for _, item := range m.Values[v].Items {
			if item != absent {
				list = append(list, item)
			}
		}
	}
	return list
}

// operator is the name without the overload.
func (x *Instruction) operator() string {
	name, _, _ := strings.Cut(x.Name, ".")
	return name
}

// planned reports whether a value is a tensor with a place in an arena.
func (m *Method) planned(v int) bool { return m.Values[v].Memory > 0 }
