// Package onnx reads .onnx models as graphs.
//
// It takes the few messages of onnx.proto that planning needs; weights are
// skipped, and external data need not be there:
//
//	ModelProto      7 graph
//	GraphProto      1 node, 5 initializer, 11 input, 12 output, 13 value_info, 15 sparse_initializer
//	NodeProto       1 input, 2 output, 3 name, 4 op_type, 5 attribute, 7 domain
//	AttributeProto  1 name, 3 i, 5 t, 6 g, 11 graphs
//	ValueInfoProto  1 name, 2 type
//	TypeProto       1 tensor_type { 1 elem_type, 2 shape { 1 dim { 1 dim_value, 2 dim_param }}}
//	TensorProto     1 dims, 2 data_type, 7 int64_data, 8 name, 9 raw_data
//
// # Shapes
//
// The sizes of values come from the model's own value_info: nothing is
// inferred here. Where a size is not known the error names the first such
// value, and how to fill the sizes in: what the caller gives, dimensions by
// name and shapes of inputs, or a command that has Python's onnx package do it.
//
// # Conventions
//
// Initializers are weights, even where they are listed as inputs too, as old
// models do. Nodes whose inputs are all constant are folded away, and what they
// make is a weight; drawing at random is no constant. Reshape, Flatten,
// Squeeze, Unsqueeze, Identity and, as models are planned to be run and not
// trained, Dropout give views of their first input. The bodies of If, Loop and
// Scan read what they name of the values outside; what they make inside is not
// planned, and the notes say so. An output that an operator may leave out, and
// that nothing reads, is left out. Elements of less than a byte are packed, and
// the last byte filled up.
//
// The format is that of onnx 1.23.2.
package onnx
