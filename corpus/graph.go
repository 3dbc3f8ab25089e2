package corpus

import (
	"strconv"

	"memplan/model/graph"
)

// A net is a graph under construction. Sizes are in bytes.
type net struct{ graph.Graph }

func (n *net) tensor(id string, bytes int64, kind graph.Kind) int {
	n.Tensors = append(n.Tensors, graph.Tensor{ID: id, Bytes: bytes, Kind: kind})
	return len(n.Tensors) - 1
}

// input is a value that the caller gives.
func (n *net) input(id string, bytes int64) int {
	t := n.tensor(id, bytes, graph.Activation)
	n.Inputs = append(n.Inputs, t)
	return t
}

// op is an operator with one result, which has the operator's name. Weights of
// that many bytes in all, if any, are an operand of their own.
func (n *net) op(id string, bytes, weights int64, operands ...int) int {
	t := n.tensor(id, bytes, graph.Activation)
	if weights > 0 {
		operands = append(operands, n.tensor(id+".weight", weights, graph.Weight))
	}
	n.Ops = append(n.Ops, graph.Op{ID: id, Inputs: operands, Outputs: []int{t}})
	return t
}

// elementwise is an operator whose result may take its first operand's place.
func (n *net) elementwise(id string, bytes int64, operands ...int) int {
	t := n.op(id, bytes, 0, operands...)
	o := &n.Ops[len(n.Ops)-1]
	o.Elementwise, o.InPlace = true, [][2]int{{operands[0], t}}
	return t
}

// done names the outputs and returns the graph.
func (n *net) done(outputs ...int) *graph.Graph {
	n.Outputs = outputs
	return &n.Graph
}

// An image is a value of a convolutional net: height = width, and channels.
type image struct {
	value      int
	side, deep int64
}

// A convnet is a net of images whose elements have that many bytes.
type convnet struct {
	net
	element int64
}

func (n *convnet) source(side, deep int64) image {
	return image{n.input("image", side*side*deep*n.element), side, deep}
}

// conv is a k x k convolution, with bias and activation folded in, or depthwise
// when groups is the number of channels.
func (n *convnet) conv(id string, x image, k, deep, stride, groups int64) image {
	side := (x.side + stride - 1) / stride
	weights := (k*k*x.deep/groups + 1) * deep * n.element
	return image{n.op(id, side*side*deep*n.element, weights, x.value), side, deep}
}

// pool is a pooling to the given side.
func (n *convnet) pool(id string, x image, side int64) image {
	return image{n.op(id, side*side*x.deep*n.element, 0, x.value), side, x.deep}
}

// dense is a fully connected layer.
func (n *convnet) dense(id string, x image, deep int64) image {
	weights := (x.side*x.side*x.deep + 1) * deep * n.element
	return image{n.op(id, deep*n.element, weights, x.value), 1, deep}
}

// join concatenates channels. Images are stored channel by channel, so that the
// result is one operand after the other.
func (n *convnet) join(id string, x, y image) image {
	deep := x.deep + y.deep
	t := n.op(id, x.side*x.side*deep*n.element, 0, x.value, y.value)
	n.Ops[len(n.Ops)-1].Layout = graph.Concat
	return image{t, x.side, deep}
}

// add is the sum of two images, in place of the first where that is safe.
func (n *convnet) add(id string, x, y image) image {
	x.value = n.elementwise(id, x.side*x.side*x.deep*n.element, x.value, y.value)
	return x
}

// layer names the k-th layer of a block.
func layer(block string, k int) string { return block + strconv.Itoa(k) }
