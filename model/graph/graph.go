package graph

import (
	"math/bits"

	"memplan/model"
)

// A Graph is a model before its schedule: values and the operators that make
// and read them. Indexes refer to Tensors and Ops. Readers of foreign formats
// produce it and convert other conventions of liveness to design's: operator k
// of the schedule runs at step k.
type Graph struct {
	Name     string
	Tensors  []Tensor
	Ops      []Op
	Inputs   []int   // tensors that the caller gives
	Outputs  []int   // tensors that the caller reads afterwards
	Fuse     [][]int // groups of operators to run as one step
	Schedule []int   // an order of Ops; nil: the order of Ops where it is topological
	Spaces   []Space // memory spaces; nil: one, without capacity
	Dims     []Dim   // named dimensions that shapes refer to
}

// Kind says how a tensor's bytes are kept.
type Kind int

const (
	Activation Kind = iota // in the arena, live as the schedule says
	Weight                 // constant, in the persistent read-only region
	Variable               // a state, kept between runs: in the arena, live throughout; any operator may write it, and those that touch it keep their order
	Mutable                // like a variable, but dead from its last reader to the next operator that writes all of it and does not read it, across runs too
)

// Rewritten reports whether any operator may write a tensor of that kind, again and
// again.
func (k Kind) Rewritten() bool { return k == Variable || k == Mutable }

// A Tensor is a value of the graph. Its identity is its index, not its ID.
type Tensor struct {
	ID     string
	Bytes  int64 // where Shape has named dimensions: with each at its largest
	Align  int64 // 0 = 1
	Kind   Kind
	View   *View  // shares the bytes of another tensor, when not nil
	Spaces []int  // allowed spaces in order of preference; nil: the first
	Shape  *Shape // what Bytes follows from, when the graph says so

	// Traffic is what the tensor counts outside the first of Spaces, for example
	// the bytes that a run moves to and from it; 0: Bytes. Of tensors in one
	// buffer that have it the sum counts.
	Traffic int64
}

// A View says that a tensor's bytes are part of another's.
type View struct {
	Of     int   // tensor
	Offset int64 // bytes
}

// An Op is an operator.
type Op struct {
	ID          string
	Inputs      []int // tensors; optional operands that are absent are left out
	Outputs     []int
	InPlace     [][2]int // pairs {input, output} that the kernel may compute in one buffer
	Overlap     []Lead   // outputs that may lie over inputs that die there
	Elementwise bool     // may be fused with its elementwise neighbours
	Scratch     []int64  // bytes of workspace, live at this step alone
	Layout      Layout   // whether operands lie in one another, byte for byte
	After       []int    // operators that must run before for another reason than a value, such as an effect
	Accesses    []Access // of operands that are accessed more or less than once
}

// An Access says how often an operator reads, or writes, each byte of an operand
// on average: Times / Of, such as 9/4 by a kernel of 3 x 3 at strides of 2 x 2.
type Access struct {
	Operand   int   // an input or output of the operator
	Times, Of int64 // Times >= 0, Of >= 1
}

// Accessed is how many bytes operator o reads or writes of operand t: all, as
// often as it says, rounded up. It saturates.
func (g *Graph) Accessed(o, t int) int64 {
	for _, a := range g.Ops[o].Accesses {
		if a.Operand == t {
			return a.bytes(uint64(g.Tensors[t].Bytes))
		}
	}
	return g.Tensors[t].Bytes
}

func (a Access) bytes(size uint64) int64 {
	high, low := bits.Mul64(size, uint64(a.Times))
	low, carry := bits.Add64(low, uint64(a.Of-1), 0)
	if high += carry; high >= uint64(a.Of) {
		return model.MaxBytes
	}
	times, _ := bits.Div64(high, low, uint64(a.Of))
	return int64(min(times, model.MaxBytes))
}

// Layout says that an operator only moves bytes, so that it has nothing to do
// where its operands already lie inside one another.
type Layout int

const (
	Apart  Layout = iota // an operator like any other
	Concat               // its one output is its inputs, one after another
	Split                // its outputs, one after another, are its first input
)

// A Lead says that an operator may write output Over while it reads Under for the
// last time, as long as Under lies so many bytes higher or more.
type Lead struct {
	Under, Over int
	Bytes       int64 // >= 0
}

// A Space is a memory with an arena of its own.
type Space struct {
	ID       string
	Capacity int64            // bytes; 0 = none
	Reserved []model.Interval // addresses that are not to be used, bytes
}

// A Dim is a named dimension, whose size is known only when the model runs.
type Dim struct {
	ID       string
	Min, Max int64
}

// A Shape gives a tensor's bytes: the product of its extents and the bits of
// an element, rounded up to whole bytes once, for the tensor as a whole.
type Shape struct {
	Bits    int64 // of one element
	Extents []Extent
}

// An Extent is a number, or one of the graph's dimensions.
type Extent struct {
	Size int64
	Dim  int // index in Graph.Dims plus 1; 0: Size holds
}
