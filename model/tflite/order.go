package tflite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"

	"memplan/model"
	"memplan/model/graph"
)

// Order finds an order of the main subgraph's operators, by their numbers in the
// file, in the way that how says. No order that keeps what must be kept has a plan
// below the bound, in bytes; it is 0 where none is known.
func (f *File) Order(opt Options, how graph.LowerOptions) (order []int, bound int64, err error) {
	opt.Runtime = TFLM
	w, err := f.walk(opt, left)
	if err != nil {
		return nil, 0, err
	}
	g, exact := w.whole()
	l, err := g.Lower(how)
	if err != nil {
		return nil, 0, err
	}
	blocks := w.blocks()
	first := len(g.Ops) - len(blocks)
	for _, ops := range l.Steps {
		for _, o := range ops {
			if o >= first && blocks[o-first].op != absent {
				order = append(order, blocks[o-first].op)
			}
		}
	}
	if !exact {
		return order, 0, nil
	}
	return order, l.Order.Bound, nil
}

// Fixed reports whether the main subgraph's operators can run in the file's order
// alone: then no two neighbours can change places.
func (f *File) Fixed() bool {
	for k := range len(f.Subgraphs[0].Ops) - 1 {
		if slices.Equal(f.seen([]int{k, k + 1}), f.seen([]int{k + 1, k})) {
			return false
		}
	}
	return true
}

// Reordered is the file with the operators of its main subgraph in another order,
// given by their numbers: TFLM runs them as they come. One vector is permuted,
// whose elements are offsets relative to themselves; metadata that numbers
// operators follows. No other byte changes.
func (f *File) Reordered(order []int) (*File, error) {
	main := &f.Subgraphs[0]
	if sorted := slices.Sorted(slices.Values(order)); !slices.Equal(sorted, model.Identity(len(main.Ops))) {
		return nil, fmt.Errorf("%v is no order of %d operators", order, len(main.Ops))
	}
	if slices.IsSorted(order) {
		return f, nil
	}
	data := slices.Clone(f.data)
	at := f.model.Vector(modelSubgraphs, 4).Table(0).Vector(subOps, 4)
	for j, k := range order {
		to, from := at.R.Follow(at.Pos+4*int64(k)), at.Pos+4*int64(j)
		if to <= from {
			return nil, fmt.Errorf("operator %d lies before the list of operators: their order cannot be changed", k)
		}
		binary.LittleEndian.PutUint32(data[from:], uint32(to-from))
	}
	out, err := Read(data)
	if err != nil {
		return nil, fmt.Errorf("the operators in another order: %w", err)
	}
	if err := out.reorders(f, order); err != nil {
		return nil, err
	}
	return out.renumbered(order)
}

// reorders checks that nothing but the order of the main subgraph's operators is
// different from before.
func (f *File) reorders(before *File, order []int) error {
	moved := slices.Clone(before.Subgraphs)
	moved[0].Ops = make([]Op, len(order))
	for j, k := range order {
		moved[0].Ops[j] = before.Subgraphs[0].Ops[k]
	}
	if !reflect.DeepEqual(moved, f.Subgraphs) || !reflect.DeepEqual(before.buffers, f.buffers) || !reflect.DeepEqual(before.metadata, f.metadata) {
		return errors.New("the list of operators serves another purpose in the file: their order cannot be changed")
	}
	was, is := before.seen(model.Identity(len(order))), before.seen(order)
	for k := range was {
		if was[k] != is[k] {
			return fmt.Errorf("operator %d %s would find other values in the new order", k, before.Subgraphs[0].Ops[k].Name())
		}
	}
	return nil
}

// seen is a digest, for each of the main subgraph's operators and last for the
// caller, of who wrote last what it touches, when they run in an order.
func (f *File) seen(order []int) []uint64 {
	const everything = "" // uses have names
	main := &f.Subgraphs[0]
	found := make([]uint64, len(main.Ops)+1)
	tensors, others := make(map[int32]int), make(map[string]int)
	var state uint64 // of all of others
	mix := func(key string, writer int) uint64 {
		h := fnv.New64a()
		fmt.Fprintf(h, "%s\x00%d", key, writer)
		return h.Sum64()
	}
	write := func(name string, k int) {
		state ^= mix(name, others[name])
		others[name] = k + 1
		state ^= mix(name, k+1)
	}
	tensor := func(to *uint64, t int32) {
		if t >= 0 {
			*to = *to*31 + mix(fmt.Sprint(t), tensors[t])
		}
	}
	for _, k := range order {
		op, to := &main.Ops[k], &found[k]
		for _, t := range slices.Concat(op.Inputs, op.Outputs) { // what is written over, too
			tensor(to, t)
		}
		list, anything := f.uses(op)
		switch {
		case anything:
			*to = *to*31 + state
			write(everything, k)
		case len(list) > 0:
			*to = *to*31 + mix(everything, others[everything])
			for _, u := range list {
				*to = *to*31 + mix(u.name, others[u.name])
				if u.writes {
					write(u.name, k)
				}
			}
		}
		for _, t := range op.Inputs {
			if t >= 0 && main.Tensors[t].Variable {
				tensors[t] = k + 1
			}
		}
		for _, t := range op.Outputs {
			tensors[t] = k + 1
		}
	}
	caller := &found[len(main.Ops)]
	*caller = state
	for _, t := range main.Outputs {
		tensor(caller, t)
	}
	return found
}

// controlName is the metadata entry with pairs of operators of which one must run
// before the other.
const controlName = "model_control_dependencies"

// A control is such a pair of the main subgraph's operators. Numbers below 0 stand
// for its beginning and its end.
type control struct{ from, to int }

// controls reads the entry. It is a number 1, then for each subgraph how many
// pairs there are and their numbers: of 7 bits a byte, the lowest first; those of
// operators doubled, or doubled less one below 0, as protocol buffers have them.
func (f *File) controls() ([]control, error) {
	all, err := f.allControls()
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return all[0], nil
}

func (f *File) allControls() (all [][]control, err error) {
	data, there := f.entry(controlName)
	if !there {
		return nil, nil
	}
	next := func() int {
		v, n := binary.Uvarint(data)
		if n <= 0 || v > 1<<32-1 {
			err = fmt.Errorf("the metadata %s cannot be read: the operators' order cannot be changed", controlName)
			return 0
		}
		data = data[n:]
		return int(v)
	}
	operator := func() int {
		v := next()
		if v%2 != 0 {
			return -v/2 - 1
		}
		return v / 2
	}
	if next() != 1 {
		err = errors.Join(err, fmt.Errorf("the metadata %s is of an unknown version", controlName))
	}
	for n := next(); n > 0 && err == nil; n-- {
		var pairs []control
		for m := next(); m > 0 && err == nil; m-- {
			pairs = append(pairs, control{operator(), operator()})
		}
		all = append(all, pairs)
	}
	return all, err
}

// renumbered is a reordered file whose metadata names operators by their new
// numbers.
func (f *File) renumbered(order []int) (*File, error) {
	all, err := f.allControls()
	if err != nil || len(all) == 0 {
		return f, err
	}
	place := make([]int, len(order))
	for j, k := range order {
		place[k] = j
	}
	number := func(data []byte, v int) []byte {
		if v < 0 {
			return binary.AppendUvarint(data, uint64(-v*2-1))
		}
		return binary.AppendUvarint(data, uint64(v*2))
	}
	data := binary.AppendUvarint([]byte{1}, uint64(len(all)))
	for s, pairs := range all {
		data = binary.AppendUvarint(data, uint64(len(pairs)))
		for _, c := range pairs {
			if a, b := c.from, c.to; s == 0 && 0 <= a && a < b && b < len(place) && place[a] > place[b] {
				return nil, fmt.Errorf("operator %d must run before %d, says the metadata %s", a, b, controlName)
			}
			for _, v := range []int{c.from, c.to} {
				if s == 0 && v >= 0 {
					if v >= len(place) {
						return nil, fmt.Errorf("the metadata %s names operator %d of %d", controlName, v, len(place))
					}
					v = place[v]
				}
				data = number(data, v)
			}
		}
	}
	out, err := f.with(entry{controlName, data})
	if err != nil {
		return nil, err
	}
	return Read(out)
}

// Reorder is the scratch of a reordered file.
func (s Scratch) Reorder(order []int) Scratch {
	if s == nil {
		return nil
	}
	out := slices.Clone(s)
	out[0] = make([][]int64, len(order))
	for j, k := range order {
		out[0][j] = s[0][k]
	}
	return out
}
