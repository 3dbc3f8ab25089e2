package graph

import (
	"errors"
	"fmt"

	"memplan/model"
)

// ElementBits is the number of bits of an element of a type, by its name in
// ONNX, NumPy and TensorFlow, in lower case; 0 for types without a fixed size.
// Four-bit elements are packed two to a byte; a bool is a byte.
func ElementBits(dtype string) int64 { return elementBits[dtype] }

var elementBits = map[string]int64{
	"int2": 2, "uint2": 2, "int4": 4, "uint4": 4, "float4e2m1": 4,
	"bool": 8, "int8": 8, "uint8": 8, "float8e4m3fn": 8, "float8e4m3fnuz": 8, "float8e5m2": 8, "float8e5m2fnuz": 8,
	"int16": 16, "uint16": 16, "float16": 16, "bfloat16": 16,
	"int32": 32, "uint32": 32, "float32": 32,
	"int64": 64, "uint64": 64, "float64": 64, "complex64": 64,
	"complex128": 128,
}

// Bytes is the size of a tensor of the shape, each dimension having the given
// size. It grows with every dimension: a plan for the largest holds for all.
func (s *Shape) Bytes(dims []int64) (int64, error) {
	count, fits, empty := int64(1), true, false
	for _, e := range s.Extents {
		n := e.Size
		if e.Dim > 0 {
			n = dims[e.Dim-1]
		}
		if n < 0 {
			return 0, errors.New("an extent is unknown or negative: give its size")
		}
		empty = empty || n == 0
		if !empty && fits {
			count, fits = model.Mul(count, n)
		}
	}
	if empty {
		return 0, nil
	}
	// Whole bytes first: the bits of what fits in int64 bytes may not fit.
	whole, rest := s.Bits/8, s.Bits%8
	bytes, fits1 := model.Mul(count, whole)
	part, fits2 := model.Mul(count/8, rest)
	sum, fits3 := model.Add(bytes, part)
	sum, fits4 := model.Add(sum, (count%8*rest+7)/8)
	if !fits || !fits1 || !fits2 || !fits3 || !fits4 {
		return 0, errors.New("its bytes do not fit in int64")
	}
	return sum, nil
}

// Bind returns the graph with its dimensions at the given sizes, one for each.
// Only the sizes of tensors differ, and that nothing depends on a dimension any
// more.
func (g *Graph) Bind(dims []int64) (*Graph, error) {
	if len(dims) != len(g.Dims) {
		return nil, fmt.Errorf("%d sizes for %d dimensions", len(dims), len(g.Dims))
	}
	for k, d := range g.Dims {
		if dims[k] < d.Min || dims[k] > d.Max {
			return nil, fmt.Errorf("dimension %q: %d is not from %d to %d", d.ID, dims[k], d.Min, d.Max)
		}
	}
	bound := *g
	bound.Dims = nil
	bound.Tensors = append([]Tensor(nil), g.Tensors...)
	for i := range bound.Tensors {
		t := &bound.Tensors[i]
		if t.Shape == nil {
			continue
		}
		bytes, err := t.Shape.Bytes(dims)
		if err != nil {
			return nil, &Fault{Tensor: i, Op: -1, Msg: "tensor " + quoted(t.ID) + ": " + err.Error()}
		}
		t.Bytes, t.Shape = bytes, nil
	}
	return &bound, bound.Validate()
}
