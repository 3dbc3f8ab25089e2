package tflite

import (
	"fmt"
	"math"

	"memplan/model"
)

// A Type is the schema's number of an element type.
type Type uint8

const (
	float32Type Type = 0
	int32Type   Type = 2
	int16Type   Type = 7
	int8Type    Type = 9
	int4Type    Type = 17
)

// types are the element types by number: name, and bits of one element, 0
// where elements have no fixed size.
var types = [...]struct {
	name string
	bits int64
}{
	{"FLOAT32", 32}, {"FLOAT16", 16}, {"INT32", 32}, {"UINT8", 8}, {"INT64", 64}, {"STRING", 0}, {"BOOL", 8},
	{"INT16", 16}, {"COMPLEX64", 64}, {"INT8", 8}, {"FLOAT64", 64}, {"COMPLEX128", 128}, {"UINT64", 64},
	{"RESOURCE", 32}, {"VARIANT", 0}, {"UINT32", 32}, {"UINT16", 16}, {"INT4", 4}, {"BFLOAT16", 16}, {"INT2", 2},
	{"UINT4", 4}, {"FLOAT8_E4M3FN", 8}, {"FLOAT8_E5M2", 8},
}

func (t Type) String() string {
	if int(t) < len(types) {
		return types[t].name
	}
	return fmt.Sprintf("TYPE_%d", uint8(t))
}

// A Tensor is a value of a subgraph.
type Tensor struct {
	Name     string // may be empty, and need not be unique
	Type     Type
	scales   uint32  // of its quantization
	Shape    []int32 // no dimension is negative; none at all: one element
	Constant int64   // bytes of constant data; 0: computed, given or a variable
	Variable bool    // keeps its value between runs

	external bool   // its data lies outside the FlatBuffer
	buffer   uint32 // where its constant data is
}

// Elements is the product of the shape, and whether it fits in int64.
func (t *Tensor) Elements() (int64, bool) {
	n, ok := int64(1), true
	for _, d := range t.Shape {
		if d == 0 {
			return 0, true
		}
		if ok {
			n, ok = model.Mul(n, int64(d))
		}
	}
	return n, ok
}

// bytes is the size of the tensor in the arena of rt. Elements of less than a
// byte are packed, the last byte filled up, but TFLM gives int4 a whole byte.
func (t *Tensor) bytes(rt Runtime) (int64, error) {
	if int(t.Type) >= len(types) || types[t.Type].bits == 0 {
		return 0, fmt.Errorf("%s has no fixed size", t.Type)
	}
	bits := types[t.Type].bits
	if rt == TFLM {
		bits = max(bits, 8)
	}
	n, ok := t.Elements()
	if ok && bits >= 8 {
		n, ok = model.Mul(n, bits/8)
	} else if perByte := 8 / bits; ok {
		n = n/perByte + min(n%perByte, 1)
	}
	if !ok {
		return 0, fmt.Errorf("%s%v does not fit in int64", t.Type, t.Shape)
	}
	if rt == TFLM && n > math.MaxInt32 {
		return 0, fmt.Errorf("%s%v takes %d bytes, TFLM counts in 32 bits", t.Type, t.Shape, n)
	}
	return n, nil
}
