// Package json reads and writes graphs, buffers, plans, certificates and experiments as JSON, schema 1,
// more strictly than encoding/json: an unknown key, one that differs in case
// and one that comes twice are faults, and every fault is reported as
// "file:line: message".
//
// A graph (only tensors with id and bytes, and ops with id, inputs and outputs
// are needed):
//
//	{"schema": 1, "name": "net",
//	 "tensors": [{"id": "t", "bytes": 4096, "alignment": 64, "alias_of": "base", "alias_offset": 0,
//	              "pool": "sram", "traffic": 8192, "kind": "activation"}],
//	 "ops": [{"id": "conv", "inputs": ["x", "w"], "outputs": ["t"], "in_place": [["x", "t"]],
//	          "overlap": [["x", "t", 64]], "elementwise": false, "layout": "concat", "scratch": [512], "after": ["init"]}],
//	 "inputs": ["x"], "outputs": ["y"], "fuse": [["conv", "relu"]], "schedule": ["conv", "relu"],
//	 "pools": [{"id": "sram", "capacity": 262144, "reserved": [[0, 256]]}], "dims": {"batch": [1, 8]}}
//
// Instead of bytes a tensor may have dtype and shape, whose entries are numbers
// or names from dims. kind is activation, weight or variable. pool is one name,
// or several in order of preference; outside the first a tensor counts its
// traffic, or its bytes. layout is apart, concat or split.
// after names operators that must run before although no value says so.
//
// Buffers:
//
//	{"schema": 1, "name": "A", "capacity": 1048576,
//	 "buffers": [{"id": "t", "lower": 0, "upper": 4, "size": 4096, "alignment": 64, "offset": 0,
//	              "gaps": [[1, 2]], "tie": {"to": "root", "delta": 64},
//	              "over": [{"under": "x", "lead": 16}, {"under": "z", "equal": 0}]}]}
//
// A buffer may have "exclusive": {"GROUP": "ARM"}, and vector clocks for lower and
// upper, lists of numbers; package model/csv says what they mean.
//
// Buffers that were made from a graph may have its schedule beside them, which
// says in which order the operators run and is otherwise not looked at.
package json
