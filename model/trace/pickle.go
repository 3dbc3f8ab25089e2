package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"memplan/model"
)

// A value is what a pickle builds, as far as a snapshot needs it.
type value struct {
	kind valueKind
	n    int64 // a number; of a text, where it begins in the file, and its length
	node *node // of a list or a dictionary
}

type valueKind uint8

const (
	other  valueKind = iota // nothing that is looked at
	number                  // an integer
	text
	list // or a tuple
	dict
	event // a dictionary with an action; n is its index in machine.events
)

// A node is a list's items, or a dictionary's values by those keys that matter.
type node struct {
	items  []value
	keys   []key
	events model.Interval // of machine.events: a list's items instead, where they are these
}

// An entry is a dictionary that has an action: there are millions of them, so
// they are kept small.
type entry struct {
	action     happening
	addr, size int64 // below 0 where there is none
}

// A happening is what an event was, as far as that matters.
type happening uint8

const (
	ignored happening = iota
	allocated
	freed
	segmented // a segment came or went
)

var actions = map[string]happening{"alloc": allocated, "free_completed": freed,
	"segment_alloc": segmented, "segment_free": segmented, "segment_map": segmented, "segment_unmap": segmented}

// A key is one of a dictionary that is looked at.
type key uint8

// keys are the texts that are keys; what stands under others is forgotten.
var keys = map[string]key{
	"segments": 0, "device_traces": 1, "action": 2, "addr": 3, "size": 4, "address": 5,
	"total_size": 6, "blocks": 7, "state": 8, "device": 9,
}

// Opcodes of Python's pickle, protocols 2 to 5, that build plain containers.
const (
	opProto, opFrame, opStop, opMark           = 0x80, 0x95, '.', '('
	opMemoize, opBinPut, opLongBinPut          = 0x94, 'q', 'r'
	opBinGet, opLongBinGet                     = 'h', 'j'
	opEmptyDict, opEmptyList, opEmptyTuple     = '}', ']', ')'
	opAppend, opAppends, opSetItem, opSetItems = 'a', 'e', 's', 'u'
	opTuple, opTuple1, opTuple2, opTuple3      = 't', 0x85, 0x86, 0x87
	opBinInt, opBinInt1, opBinInt2             = 'J', 'K', 'M'
	opLong1, opLong4, opBinFloat               = 0x8a, 0x8b, 'G'
	opShortText, opBinText, opBinText8         = 0x8c, 'X', 0x8d
	opNone, opTrue, opFalse                    = 'N', 0x88, 0x89
)

// runs are the opcodes that look something up or call it.
var runs = map[byte]string{
	'c': "GLOBAL", 0x93: "STACK_GLOBAL", 'R': "REDUCE", 'b': "BUILD", 'i': "INST", 'o': "OBJ", 0x81: "NEWOBJ", 0x92: "NEWOBJ_EX",
	0x82: "EXT1", 0x83: "EXT2", 0x84: "EXT4", 'P': "PERSID", 'Q': "BINPERSID",
}

const (
	maxStack  = 1 << 20 // values at once; Python's own pickler has some thousand
	nodeBytes = 56      // that a container takes
	itemBytes = 32      // that an item in it takes
	spare     = 1 << 20 // bytes that may be built, whatever the file's length
	most      = 16      // times the file's length that may be built besides
)

// A machine builds what a pickle describes.
type machine struct {
	data     []byte
	pos      int
	stack    []value
	marks    []int
	memo     map[uint32]value // of what is asked for again
	wanted   map[uint32]bool
	memoized uint32
	put      bool // the other way to memoize was used
	left     int  // bytes that may still be built
	events   []entry
}

// unpickle builds a pickle's value. Cost: O(n) for n bytes; what it holds is at
// most some sixteen times as much.
func unpickle(data []byte) (value, *machine, error) {
	m := &machine{data: data, memo: make(map[uint32]value), wanted: make(map[uint32]bool), left: spare + most*len(data)}
	for _, pass := range []func(op byte, arg []byte) error{m.look, m.build} {
		if err := m.run(pass); err != nil {
			return value{}, nil, fmt.Errorf("byte %d of the pickle: %w", m.pos, err)
		}
	}
	if m.pos != len(data) {
		return value{}, nil, fmt.Errorf("%d bytes behind the pickle's end", len(data)-m.pos)
	}
	if len(m.stack) != 1 {
		return value{}, nil, fmt.Errorf("the pickle leaves %d values", len(m.stack))
	}
	return m.stack[0], m, nil
}

var errShort = errors.New("the pickle ends within an opcode")

// run goes through the opcodes up to STOP.
func (m *machine) run(do func(op byte, arg []byte) error) error {
	m.pos = 0
	for {
		if m.pos == len(m.data) {
			return errors.New("the pickle has no end")
		}
		op := m.data[m.pos]
		arg, size, err := m.argument(op)
		if err != nil {
			return err
		}
		if err := do(op, arg); err != nil {
			return err
		}
		if m.pos += size; op == opStop {
			return nil
		}
	}
}

// argument is an opcode's argument, and the length of both. The opcodes that
// are not known end here.
func (m *machine) argument(op byte) (arg []byte, size int, err error) {
	fixed, counted := 0, 0 // bytes, and bytes of a length that precedes
	switch op {
	case opStop, opMark, opMemoize, opEmptyDict, opEmptyList, opEmptyTuple, opAppend, opAppends, opSetItem, opSetItems,
		opTuple, opTuple1, opTuple2, opTuple3, opNone, opTrue, opFalse:
	case opProto, opBinPut, opBinGet, opBinInt1:
		fixed = 1
	case opBinInt2:
		fixed = 2
	case opLongBinPut, opLongBinGet, opBinInt:
		fixed = 4
	case opFrame, opBinFloat:
		fixed = 8
	case opShortText, opLong1:
		counted = 1
	case opBinText, opLong4:
		counted = 4
	case opBinText8:
		counted = 8
	default:
		if name, ok := runs[op]; ok {
			return nil, 0, fmt.Errorf("opcode %s, which could run something: a snapshot is made of plain containers, and nothing else is read", name)
		}
		return nil, 0, fmt.Errorf("opcode 0x%02x, which no snapshot needs", op)
	}
	rest := m.data[m.pos+1:]
	if counted == 0 {
		if len(rest) < fixed {
			return nil, 0, errShort
		}
		return rest[:fixed], 1 + fixed, nil
	}
	if len(rest) < counted {
		return nil, 0, errShort
	}
	n := little(rest[:counted])
	if n > uint64(len(rest)-counted) {
		return nil, 0, fmt.Errorf("%d bytes, where %d are left", n, len(rest)-counted)
	}
	return rest[counted : counted+int(n)], 1 + counted + int(n), nil
}

func little(b []byte) (n uint64) {
	for i := len(b) - 1; i >= 0; i-- {
		n = n<<8 | uint64(b[i])
	}
	return n
}

// look notes which memoized values are asked for again: others need not be kept.
func (m *machine) look(op byte, arg []byte) error {
	if op == opBinGet || op == opLongBinGet {
		if m.wanted[uint32(little(arg))] = true; len(m.wanted)*itemBytes > m.left {
			return errMuch
		}
	}
	return nil
}

var errMuch = errors.New("it builds more than a file of this length should")

func (m *machine) charge(bytes int) error {
	if m.left -= bytes; m.left < 0 {
		return errMuch
	}
	return nil
}

func (m *machine) push(v value) error {
	if m.stack = append(m.stack, v); len(m.stack) > maxStack {
		return errors.New("too many values at once")
	}
	return nil
}

// container pushes a new list or dictionary.
func (m *machine) container(kind valueKind, items []value) error {
	if err := m.charge(nodeBytes + itemBytes*len(items)); err != nil {
		return err
	}
	n := &node{}
	n.extend(items)
	return m.push(value{kind: kind, node: n})
}

// build does what an opcode says.
func (m *machine) build(op byte, arg []byte) error {
	switch op {
	case opProto:
		if arg[0] < 2 || arg[0] > 5 {
			return fmt.Errorf("protocol %d: want 2 to 5", arg[0])
		}
	case opFrame, opStop:
	case opMark:
		if m.marks = append(m.marks, len(m.stack)); len(m.marks) > maxStack {
			return errors.New("too many marks at once")
		}
	case opMemoize, opBinPut, opLongBinPut:
		return m.memoize(op, arg)
	case opBinGet, opLongBinGet:
		v, ok := m.memo[uint32(little(arg))]
		if !ok {
			return fmt.Errorf("there is no memoized value %d", little(arg))
		}
		return m.push(v)
	case opEmptyDict:
		return m.container(dict, nil)
	case opEmptyList, opEmptyTuple:
		return m.container(list, nil)
	case opTuple1, opTuple2, opTuple3:
		return m.tuple(int(op-opTuple1) + 1)
	case opTuple:
		n, err := m.marked()
		if err != nil {
			return err
		}
		return m.tuple(n)
	case opAppend, opAppends, opSetItem, opSetItems:
		return m.fill(op)
	case opNone, opTrue, opFalse, opBinFloat:
		return m.push(value{})
	case opBinInt1, opBinInt2:
		return m.push(value{kind: number, n: int64(little(arg))})
	case opBinInt:
		return m.push(value{kind: number, n: int64(int32(little(arg)))})
	case opLong1, opLong4:
		return m.push(long(arg))
	default:
		return m.push(m.text(arg))
	}
	return nil
}

// long is an integer of any length; one that does not fit in int64 is not
// looked at.
func long(arg []byte) value {
	if len(arg) > 8 {
		return value{}
	}
	var b [8]byte
	copy(b[:], arg)
	n := int64(binary.LittleEndian.Uint64(b[:]))
	if shift := 64 - 8*len(arg); len(arg) > 0 {
		n = n << shift >> shift
	}
	return value{kind: number, n: n}
}

// text is a text as a value: where it is in the file.
func (m *machine) text(arg []byte) value {
	const longest = 1<<8 - 1 // of texts that are looked at
	if len(arg) > longest {
		return value{}
	}
	end := m.pos + 1 // of the argument, from behind the opcode
	switch m.data[m.pos] {
	case opShortText:
		end += 1
	case opBinText:
		end += 4
	default:
		end += 8
	}
	return value{kind: text, n: int64(end)<<8 | int64(len(arg))}
}

// of is a text's characters.
func (m *machine) of(v value) []byte {
	if v.kind != text {
		return nil
	}
	return m.data[v.n>>8:][:v.n&0xff]
}

func (m *machine) memoize(op byte, arg []byte) error {
	if len(m.stack) == 0 {
		return errors.New("nothing to memoize")
	}
	index := m.memoized
	if op == opMemoize {
		if m.memoized == math.MaxUint32 {
			return errMuch
		}
		m.memoized++
	} else {
		index, m.put = uint32(little(arg)), true
	}
	if m.put && m.memoized > 0 {
		return errors.New("values are memoized in two ways")
	}
	if m.wanted[index] {
		m.memo[index] = m.stack[len(m.stack)-1]
	}
	return nil
}

// marked is how many values lie above the last mark, which it takes away.
func (m *machine) marked() (int, error) {
	last := len(m.marks) - 1
	if last < 0 || m.marks[last] > len(m.stack) {
		return 0, errors.New("there is no mark")
	}
	n := len(m.stack) - m.marks[last]
	m.marks = m.marks[:last]
	return n, nil
}

// above is how many values may be taken without reaching below the last mark.
func (m *machine) above() int {
	if len(m.marks) == 0 {
		return len(m.stack)
	}
	return len(m.stack) - m.marks[len(m.marks)-1]
}

// tuple makes a tuple of the last n values.
func (m *machine) tuple(n int) error {
	if n > m.above() {
		return errors.New("too few values for a tuple")
	}
	items := m.stack[len(m.stack)-n:]
	m.stack = m.stack[:len(m.stack)-n]
	return m.container(list, items)
}

// fill puts values into the list or the dictionary below them.
func (m *machine) fill(op byte) (err error) {
	n, kind := 1, list
	switch op {
	case opSetItem:
		n, kind = 2, dict
	case opAppends, opSetItems:
		if n, err = m.marked(); err != nil {
			return err
		}
		if op == opSetItems {
			kind = dict
		}
	}
	at := len(m.stack) - n - 1
	if m.above() < n+1 || m.stack[at].kind != kind {
		return errors.New("no container below the items")
	}
	into, items := m.stack[at].node, m.stack[at+1:]
	m.stack = m.stack[:at+1]
	if kind == list {
		into.extend(items)
		return m.charge(itemBytes * n)
	}
	if n%2 != 0 {
		return errors.New("a key without a value")
	}
	for ; len(items) > 0; items = items[2:] {
		if k, ok := keys[string(m.of(items[0]))]; ok {
			into.keys, into.items = append(into.keys, k), append(into.items, items[1])
			if err := m.charge(itemBytes); err != nil {
				return err
			}
		}
	}
	m.stack[at] = m.folded(m.stack[at])
	return nil
}

// extend adds to a list. Events in the order in which they were built, of which
// there are millions, take no room in it.
func (n *node) extend(items []value) {
	for _, v := range items {
		switch {
		case v.kind == event && len(n.items) == 0 && (n.events.Empty() || v.n == n.events.End):
			if n.events.Empty() {
				n.events.Start = v.n
			}
			n.events.End = v.n + 1
			continue
		case !n.events.Empty():
			for k := n.events.Start; k < n.events.End; k++ {
				n.items = append(n.items, value{kind: event, n: k})
			}
			n.events = model.Interval{}
		}
		n.items = append(n.items, v)
	}
}

// folded is a dictionary, as an event where it is one.
func (m *machine) folded(v value) value {
	action, is := v.get("action")
	if !is {
		return v
	}
	e := entry{action: actions[string(m.of(action))], addr: -1, size: -1}
	if n, ok := v.number("addr"); ok {
		e.addr = n
	}
	if n, ok := v.number("size"); ok {
		e.size = n
	}
	m.events = append(m.events, e)
	return value{kind: event, n: int64(len(m.events) - 1)}
}
