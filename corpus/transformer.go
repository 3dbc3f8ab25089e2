package corpus

import "memplan/model/graph"

// The sizes of Llama 2 7B (Touvron et al. 2023), in float16.
const (
	half   = 2 // bytes an element
	hidden = 4096
	heads  = 32
	inner  = 11008
	words  = 32000
)

// prefill is the first layers of a decoder-only transformer with the sizes of
// Llama 2 7B, reading a prompt of that many tokens: the scores, heads x tokens
// x tokens, dwarf the rest as the prompt grows, while queries, keys, values and
// the residual live beside them.
func prefill(layers, tokens int64) *graph.Graph { return decoder(layers, tokens, 0) }

// decode is one step of the same net: one token with that many before it. The
// caches of keys and values keep their contents between steps, so that they are
// live throughout, beside activations a thousand times smaller: large and tiny
// sizes in one instance.
func decode(layers, past int64) *graph.Graph { return decoder(layers, 1, past) }

func decoder(layers, tokens, past int64) *graph.Graph {
	var n net
	x := n.input("tokens", tokens*4)
	x = n.op("embed", tokens*hidden*half, words*hidden*half, x)
	for l := range layers {
		x = n.block(layer("layer", int(l)), x, tokens, past)
	}
	x = n.op("norm", tokens*hidden*half, hidden*half, x)
	return n.done(n.op("logits", words*half, words*hidden*half, x))
}

// block is one layer: attention and a gated feed-forward net, each added to the
// residual x.
func (n *net) block(id string, x int, tokens, past int64) int {
	row := tokens * hidden * half
	square := int64(hidden * hidden * half)
	y := n.op(id+".norm1", row, hidden*half, x)
	q := n.op(id+".query", row, square, y)
	k := n.op(id+".key", row, square, y)
	v := n.op(id+".value", row, square, y)
	q = n.elementwise(id+".query.rotated", row, q)
	k = n.elementwise(id+".key.rotated", row, k)
	keys, values := []int{q, k}, []int{v}
	if past > 0 {
		keys = append(keys, n.tensor(id+".keys", past*hidden*half, graph.Variable))
		values = append(values, n.tensor(id+".values", past*hidden*half, graph.Variable))
	}
	scores := heads * tokens * (past + tokens) * half
	s := n.op(id+".scores", scores, 0, keys...)
	s = n.elementwise(id+".softmax", scores, s)
	y = n.op(id+".attention", row, 0, append(values, s)...)
	y = n.op(id+".output", row, square, y)
	x = n.elementwise(id+".add1", row, y, x)
	y = n.op(id+".norm2", row, hidden*half, x)
	gate := n.op(id+".gate", tokens*inner*half, hidden*inner*half, y)
	up := n.op(id+".up", tokens*inner*half, hidden*inner*half, y)
	gate = n.elementwise(id+".silu", tokens*inner*half, gate)
	up = n.elementwise(id+".gated", tokens*inner*half, gate, up)
	y = n.op(id+".down", row, hidden*inner*half, up)
	return n.elementwise(id+".add2", row, y, x)
}
