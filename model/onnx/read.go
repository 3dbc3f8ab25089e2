package onnx

import (
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"

	"memplan/model/internal/wire"
)

// A Model is what was read of a file.
type Model struct {
	main body
}

// A body is a graph: the model's own, or one that an operator runs.
type body struct {
	nodes           []node
	values          map[string]info // sizes that the file gives
	constants       []constant
	inputs, outputs []string
}

// A node is an operator.
type node struct {
	name, op, domain string
	inputs, outputs  []string // may be empty: an operand that is absent
	bodies           []*body
	value            *constant // of a Constant
}

// An info is the type of a value.
type info struct {
	kind  Type
	dims  []dim
	known bool // the rank is
}

// A dim is an extent: a number, a name, or neither, when size is below 0.
type dim struct {
	size int64
	name string
}

// A constant is a tensor in the file.
type constant struct {
	name string
	kind Type
	dims []int64
	ints []int64 // the values of a short list of int64
}

// Is reports whether data may be a model. Cost: O(fields of the outer message).
func Is(data []byte) bool {
	const b, v = protowire.BytesType, protowire.VarintType
	return wire.Holds(data, map[int32]protowire.Type{1: v, 2: b, 3: b, 4: b, 5: v, 6: b, 7: b, 8: b, 14: b, 20: b, 25: b, 26: b})
}

// Read reads a model; name stands in messages. It never panics, and weights are
// not looked at. Cost: linear in the nodes.
func Read(r io.Reader, name string) (*Model, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var m Model
	found := false
	err = wire.Each(data, func(f wire.Field) error {
		if f.Number != 7 {
			return nil
		}
		found = true
		b, err := f.Message()
		if err != nil {
			return err
		}
		return m.main.read(b, 0)
	})
	if err == nil && !found {
		err = errors.New("there is no graph in it")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: not an onnx model: %w", name, err)
	}
	return &m, nil
}

// deepest is how far bodies may lie inside one another.
const deepest = 64

// read reads a GraphProto.
func (g *body) read(b []byte, depth int) error {
	if depth > deepest {
		return fmt.Errorf("bodies within bodies more than %d deep", deepest)
	}
	if g.values == nil {
		g.values = make(map[string]info)
	}
	return wire.Each(b, func(f wire.Field) error {
		switch f.Number {
		case 1, 5, 11, 12, 13, 15:
		default:
			return nil
		}
		b, err := f.Message()
		if err != nil {
			return err
		}
		switch f.Number {
		case 1:
			n, err := readNode(b, depth)
			g.nodes = append(g.nodes, n)
			return err
		case 5:
			c, err := readConstant(b)
			g.constants = append(g.constants, c)
			return err
		case 15:
			c, err := readSparse(b)
			g.constants = append(g.constants, c)
			return err
		}
		name, i, err := readInfo(b)
		g.values[name] = i
		switch f.Number {
		case 11:
			g.inputs = append(g.inputs, name)
		case 12:
			g.outputs = append(g.outputs, name)
		}
		return err
	})
}

func readNode(b []byte, depth int) (n node, err error) {
	err = wire.Each(b, func(f wire.Field) (err error) {
		if f.Number == 5 {
			if b, err = f.Message(); err == nil {
				err = n.attribute(b, depth)
			}
			return err
		}
		into := map[int32]*string{3: &n.name, 4: &n.op, 7: &n.domain}[f.Number]
		switch {
		case f.Number == 1 || f.Number == 2:
			text, err := f.Text()
			if f.Number == 1 {
				n.inputs = append(n.inputs, text)
			} else {
				n.outputs = append(n.outputs, text)
			}
			return err
		case into != nil:
			*into, err = f.Text()
		}
		return err
	})
	return n, err
}

// attribute takes from an attribute the bodies that it holds, and a Constant's
// value.
func (n *node) attribute(b []byte, depth int) error {
	return wire.Each(b, func(f wire.Field) error {
		switch f.Number {
		case 5, 6, 11:
		default:
			return nil
		}
		b, err := f.Message()
		if err != nil {
			return err
		}
		if f.Number == 5 {
			c, err := readConstant(b)
			n.value = &c
			return err
		}
		inner := &body{}
		n.bodies = append(n.bodies, inner)
		return inner.read(b, depth+1)
	})
}

// shortList is how many values of a tensor are looked at: those of a shape.
const shortList = 64

func readConstant(b []byte) (c constant, err error) {
	var raw []byte
	err = wire.Each(b, func(f wire.Field) (err error) {
		switch f.Number {
		case 1:
			c.dims, err = f.Numbers(c.dims)
		case 2:
			var n int64
			n, err = f.Number64()
			c.kind = Type(n)
		case 7:
			if len(f.Bytes) <= 10*shortList && len(c.ints) <= shortList {
				c.ints, err = f.Numbers(c.ints)
			}
		case 8:
			c.name, err = f.Text()
		case 9:
			raw, err = f.Message()
		}
		return err
	})
	if types := c.kind == 7; types && len(raw)%8 == 0 && len(raw) <= 8*shortList {
		for ; len(raw) > 0; raw = raw[8:] {
			n, _ := protowire.ConsumeFixed64(raw)
			c.ints = append(c.ints, int64(n))
		}
	}
	return c, err
}

// readSparse reads a SparseTensorProto as the tensor of its values, which is
// what it takes, without the indexes.
func readSparse(b []byte) (c constant, err error) {
	err = wire.Each(b, func(f wire.Field) error {
		if f.Number != 1 {
			return nil
		}
		b, err := f.Message()
		if err == nil {
			c, err = readConstant(b)
		}
		return err
	})
	return c, err
}

func readInfo(b []byte) (name string, i info, err error) {
	err = wire.Each(b, func(f wire.Field) (err error) {
		switch f.Number {
		case 1:
			name, err = f.Text()
		case 2:
			if b, err = f.Message(); err == nil {
				err = i.read(b)
			}
		}
		return err
	})
	return name, i, err
}

// read reads a TypeProto. Sequences and maps have no size.
func (i *info) read(b []byte) error {
	return wire.Each(b, func(f wire.Field) error {
		if f.Number != 1 {
			return nil
		}
		b, err := f.Message()
		if err != nil {
			return err
		}
		return wire.Each(b, func(f wire.Field) (err error) {
			switch f.Number {
			case 1:
				var n int64
				n, err = f.Number64()
				i.kind = Type(n)
			case 2:
				if b, err = f.Message(); err == nil {
					i.known, i.dims = true, nil
					err = wire.Each(b, i.dim)
				}
			}
			return err
		})
	})
}

func (i *info) dim(f wire.Field) error {
	if f.Number != 1 {
		return nil
	}
	b, err := f.Message()
	if err != nil {
		return err
	}
	d := dim{size: -1}
	err = wire.Each(b, func(f wire.Field) (err error) {
		switch f.Number {
		case 1:
			d.size, err = f.Number64()
		case 2:
			if d.name, err = f.Text(); d.name == "?" { // which says nothing: two of them may differ
				d.name = ""
			}
		}
		return err
	})
	i.dims = append(i.dims, d)
	return err
}
