package pairs

import "slices"

// A search asks for a plan of a scene below a height: depth first, one pair
// after another, with every option in turn.
type search struct {
	s     *scene
	stack []frame
	tree  []int // what is refuted so far, in preorder; see model.Refutation
	plan  []int64
	state verdict
	work  int64 // steps of a few nanoseconds
}

type verdict int

const (
	unknown verdict = iota
	planned
	refuted
)

// A frame is a node on the way to the one being looked at.
type frame struct {
	node   *node
	pair   int
	next   int   // the option to try next, as an index into order
	order  []int // of the options
	starts []int // where each option's part of the tree starts
}

func newSearch(s *scene) *search {
	q := &search{s: s}
	q.enter(root(s, &q.work))
	return q
}

// enter looks at a node: it is a leaf, or the plan, or goes onto the stack.
func (q *search) enter(d *node) {
	if d.dead {
		q.tree = append(q.tree, -1)
		return
	}
	k := d.branch()
	if k < 0 {
		q.state, q.plan = planned, q.s.settled(d.apart[1:d.n])
		return
	}
	q.tree = append(q.tree, k)
	q.stack = append(q.stack, frame{node: d, pair: k, order: d.order(k)})
}

// run goes on for about that many steps of work.
func (q *search) run(work int64) verdict {
	for end := q.work + work; q.state == unknown && q.work < end; {
		if len(q.stack) == 0 {
			q.state = refuted
			break
		}
		f := &q.stack[len(q.stack)-1]
		f.starts = append(f.starts, len(q.tree))
		if f.next == len(f.order) {
			q.reorder(f)
			q.stack = q.stack[:len(q.stack)-1]
			continue
		}
		o := f.order[f.next]
		f.next++
		if !f.node.open[f.pair][o] {
			q.tree = append(q.tree, -1)
			continue
		}
		d := f.node.clone()
		d.choose(f.pair, o)
		d.close()
		q.enter(d)
	}
	return q.state
}

// reorder puts the parts of a tree, that were found in the frame's order, into
// that of the options.
func (q *search) reorder(f *frame) {
	parts := make([][]int, len(f.order))
	for k, o := range f.order {
		parts[o] = slices.Clone(q.tree[f.starts[k]:f.starts[k+1]])
	}
	q.tree = q.tree[:f.starts[0]]
	for _, part := range parts {
		q.tree = append(q.tree, part...)
	}
	q.work += int64(len(q.tree) - f.starts[0])
}

// branch chooses the next pair: with the fewest options left, then the one that
// has the least room for them; -1 when all are decided.
func (d *node) branch() int {
	best, fewest, least := -1, 0, int64(0)
	for k := range d.s.pairs {
		if d.done[k] {
			continue
		}
		p := &d.s.pairs[k]
		a, b := p.a+1, p.b+1
		room := -d.apart[b*d.n+a] - d.apart[a*d.n+b] - d.s.size[p.a] - d.s.size[p.b]
		if best < 0 || d.left[k] < fewest || d.left[k] == fewest && room < least {
			best, fewest, least = k, d.left[k], room
		}
	}
	return best
}

// order is that in which the options of a pair are tried: sharing first, then
// what lies lower by what is known.
func (d *node) order(k int) []int {
	p := &d.s.pairs[k]
	first, second := 0, 1
	if d.apart[p.b+1]+d.s.size[p.b] < d.apart[p.a+1]+d.s.size[p.a] {
		first, second = 1, 0
	}
	var list []int
	for o := 2; o < len(p.options); o++ {
		list = append(list, o)
	}
	return append(list, first, second)
}

// numbers is the tree as model.Refutation has it: pairs by their positions.
func (q *search) numbers() []int {
	out := make([]int, len(q.tree))
	for k, p := range q.tree {
		if out[k] = -1; p >= 0 {
			out[k] = q.s.pairs[p].a*len(q.s.buffers) + q.s.pairs[p].b
		}
	}
	return out
}
