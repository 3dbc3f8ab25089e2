package onnx

import "fmt"

// A Type is onnx's number of an element type.
type Type int64

// types are the element types by number: name, and bits of one element, 0
// where elements have no fixed size.
var types = [...]struct {
	name string
	bits int64
}{
	{"undefined", 0}, {"float", 32}, {"uint8", 8}, {"int8", 8}, {"uint16", 16}, {"int16", 16}, {"int32", 32}, {"int64", 64},
	{"string", 0}, {"bool", 8}, {"float16", 16}, {"double", 64}, {"uint32", 32}, {"uint64", 64}, {"complex64", 64}, {"complex128", 128},
	{"bfloat16", 16}, {"float8e4m3fn", 8}, {"float8e4m3fnuz", 8}, {"float8e5m2", 8}, {"float8e5m2fnuz", 8}, {"uint4", 4}, {"int4", 4},
	{"float4e2m1", 4}, {"float8e8m0", 8}, {"uint2", 2}, {"int2", 2},
}

func (t Type) String() string {
	if t >= 0 && int(t) < len(types) {
		return types[t].name
	}
	return fmt.Sprintf("type %d", int64(t))
}

// bits is the size of an element, 0 where it has none that is fixed or known.
func (t Type) bits() int64 {
	if t >= 0 && int(t) < len(types) {
		return types[t].bits
	}
	return 0
}

// set is words as a set.
func set(words ...string) map[string]bool {
	s := make(map[string]bool, len(words))
	for _, w := range words {
		s[w] = true
	}
	return s
}

// Operators whose meaning planning depends on.
var (
	views    = set("Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Dropout")
	random   = set("RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Multinomial", "Bernoulli")
	optional = set("Dropout", "MaxPool", "BatchNormalization", "LayerNormalization", "GroupNormalization", "RNN", "LSTM", "GRU", "Unique") // outputs from the second on
)
