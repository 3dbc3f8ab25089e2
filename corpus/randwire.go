package corpus

import (
	"slices"
	"strconv"

	"memplan/model/graph"
)

// randwire is a randomly wired network (Xie et al. 2019, "Exploring Randomly
// Wired Neural Networks for Image Recognition") on a 32 x 32 image in int8:
// three stages, each of that many separable convolutions wired as Watts and
// Strogatz do, with 4 neighbours and 3/4 of the edges moved. The order of the
// operators matters here as in no net that is built by hand.
func randwire(nodes, seed int64) *graph.Graph {
	n := convnet{element: 1}
	d := newDraw("randwire", nodes, seed)
	x := n.conv("conv1", n.source(32, 3), 3, 39, 1, 1)
	deep := int64(78)
	for k := range 3 {
		x = n.wired(layer("stage", k+1), x, deep, wires(int(nodes), d))
		deep *= 2
	}
	y := n.dense("classes", n.pool("pool", n.conv("conv2", x, 1, 1280, 1, 1), 1), 10)
	return n.done(y.value)
}

// wires lists which nodes before it each node reads: a ring of nodes, each
// joined to two on either side, every edge moved to a random other end with
// probability 3/4, and all edges pointing to the higher number.
func wires(nodes int, d draw) [][]int {
	joined := make([][]bool, nodes)
	for i := range joined {
		joined[i] = make([]bool, nodes)
	}
	full := func(i int) bool { // joined to all others
		for j, known := range joined[i] {
			if j != i && !known {
				return false
			}
		}
		return true
	}
	for i := range nodes {
		for step := 1; step <= 2; step++ {
			j := (i + step) % nodes
			for moved := !d.coin(4); moved && !full(i); {
				j = int(d.below(int64(nodes)))
				moved = j == i || joined[i][j]
			}
			joined[i][j], joined[j][i] = true, true
		}
	}
	reads := make([][]int, nodes)
	for i := range reads {
		for j := range i {
			if joined[i][j] {
				reads[i] = append(reads[i], j)
			}
		}
	}
	return reads
}

// wired is a stage of nodes, each the sum of what it reads in a 3 x 3 separable
// convolution. What reads no node reads the image, at half the side; the stage's
// result is the mean of the nodes that none reads.
func (n *convnet) wired(id string, x image, deep int64, reads [][]int) image {
	side := x.side / 2
	bytes := side * side * deep * n.element
	values := make([]int, len(reads))
	var ends []int
	for k, list := range reads {
		from, operands := x.deep, []int{x.value}
		if len(list) > 0 {
			from, operands = deep, nil
			for _, j := range list {
				operands = append(operands, values[j])
				ends = slices.DeleteFunc(ends, func(e int) bool { return e == values[j] })
			}
		}
		weights := (9*from + (from+1)*deep) * n.element
		values[k] = n.op(id+".node"+strconv.Itoa(k+1), bytes, weights, operands...)
		ends = append(ends, values[k])
	}
	return image{n.op(id+".mean", bytes, 0, ends...), side, deep}
}
