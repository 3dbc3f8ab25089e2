package canonical

import (
	"cmp"
	"slices"

	"memplan/model"
)

// An Outcome is what a search has come to.
type Outcome int

const (
	Open      Outcome = iota // stopped at its limit; may go on
	Found                    // a plan
	Exhausted                // nothing left to try
)

// An Effort is work that was done.
type Effort struct {
	Nodes int64 // placements tried
	Work  int64 // in units of about a microsecond
}

// A Dive is a depth-first search of the canonical tree in one order of the
// buffers. It keeps its place between runs.
type Dive struct {
	tree  *tree
	look  Look
	stack []frame
	piece *piece
	back  int // the frame to return to if the piece fails
	memo  []uint64
	nodes int64
	begun bool
	spent bool // exhausted
}

// A frame is a placement that may be undone.
type frame struct {
	buf    int32
	mark   int    // length of the trail before
	held   []hold // before
	piece  *piece // before
	before uint64 // key
	after  uint64 // key; 0: refuted at once
	back   int
}

// A piece is a set of unplaced buffers that conflict with no others.
type piece struct {
	bufs []int32
	key  uint64
	back int // the frame that made it
	next *piece
}

// Dive begins a search for a plan of at most the given capacity. Of the buffers
// at the least offset one of those in the fullest section, at the last look, is
// placed first, and of those the first in order.
func (p *Problem) Dive(order []int32, capacity int64, look Look) *Dive {
	return &Dive{tree: p.grow(order, capacity), look: look, back: -1}
}

// Capacity is what the plan may take: of what Dive was given, what can be reached.
func (d *Dive) Capacity() int64 { return d.tree.capacity }

// Effort is the work done so far.
func (d *Dive) Effort() Effort { return Effort{d.nodes, d.tree.work()} }

// Plan is the plan found.
func (d *Dive) Plan() *model.Plan { return d.tree.plan() }

// Run tries up to so many placements more.
func (d *Dive) Run(nodes int64) Outcome {
	if !d.begun && !d.begin() {
		d.spent = true
	}
	if d.spent {
		return Exhausted
	}
	for end := d.nodes + nodes; d.nodes < end; {
		c := d.choose()
		if c < 0 {
			return Found
		}
		if d.descend(c) {
			d.split(c)
		} else if !d.retreat() {
			d.spent = true
			return Exhausted
		}
	}
	return Open
}

func (d *Dive) begin() bool {
	d.begun = true
	if !d.tree.begin() {
		return false
	}
	var left []int32
	for r := range d.tree.size {
		if d.tree.eff[r] != placed {
			left = append(left, int32(r))
		}
	}
	*d = *d.tree.dive(left, d.look)
	return true
}

// dive begins a search for offsets of the unplaced buffers of a tree.
func (t *tree) dive(left []int32, look Look) *Dive {
	d := &Dive{tree: t, look: look, piece: &piece{bufs: left, back: -1}, back: -1, memo: make([]uint64, tuned.firstMemory), begun: true}
	d.divide()
	return d
}

// choose returns the first of the lowest buffers of the piece, or of the next
// piece that is not empty; -1 if all are placed.
func (d *Dive) choose() int32 {
	for ; d.piece != nil; d.enter(d.piece.next) {
		if at := d.lowest(); at >= 0 {
			return at
		}
	}
	return -1
}

// lowest returns the first of the lowest buffers of the piece; -1 if it is empty.
func (d *Dive) lowest() int32 {
	low, at := int64(placed), int32(-1)
	d.tree.looks += int64(len(d.piece.bufs))
	for _, i := range d.piece.bufs {
		if e := d.tree.eff[i]; e < low {
			low, at = e, i
		}
	}
	if at < 0 || d.look != Always {
		return at
	}
	largest := int64(-1)
	for _, i := range d.piece.bufs {
		if d.tree.eff[i] != low {
			continue
		}
		if full := d.tree.fullest(i); full > largest {
			largest, at = full, i
		}
	}
	return at
}

func (d *Dive) enter(p *piece) {
	if d.piece = p; p != nil {
		d.tree.key, d.back = p.key, p.back
	}
}

// descend places c. It reports whether that may lead to a plan.
func (d *Dive) descend(c int32) bool {
	t := d.tree
	d.nodes++
	d.stack = append(d.stack, frame{c, len(t.trail), t.held, d.piece, t.key, 0, d.back})
	if !t.place(c) || !t.settle() {
		return false
	}
	if t.key != 0 && *d.slot(t.key) == t.key {
		return false
	}
	d.stack[len(d.stack)-1].after = t.key
	d.back = len(d.stack) - 1
	return true
}

// retreat undoes placements until one of them can be passed over.
func (d *Dive) retreat() bool {
	t := d.tree
	for {
		f := d.stack[len(d.stack)-1]
		d.stack = d.stack[:len(d.stack)-1]
		if f.after != 0 {
			d.remember(f.after)
		}
		t.undo(f.mark)
		t.held, t.key, d.piece, d.back = f.held, f.before, f.piece, f.back
		if t.pass(f.buf) {
			return true
		}
		if f.back < 0 {
			return false
		}
		d.stack = d.stack[:f.back+1]
	}
}

// slot is where a failed state is remembered, over any other there.
func (d *Dive) slot(key uint64) *uint64 { return &d.memo[key%uint64(len(d.memo))] }

func (d *Dive) remember(key uint64) {
	if d.nodes > int64(len(d.memo)) && len(d.memo) < tuned.lastMemory {
		old := d.memo
		d.memo = make([]uint64, 4*len(old))
		for _, key := range old {
			*d.slot(key) = key
		}
	}
	*d.slot(key) = key
}

// split divides the piece if placing c may have left more than one.
func (d *Dive) split(c int32) {
	spans := d.tree.spans[c]
	if slices.Contains(d.tree.cross[spans[0].lo:spans[len(spans)-1].hi-1], 0) {
		d.divide()
	}
}

// divide puts the pieces that are left of a piece in its place.
func (d *Dive) divide() {
	t := d.tree
	var left []int32
	for _, i := range d.piece.bufs {
		if t.eff[i] != placed {
			left = append(left, i)
		}
	}
	back, next := len(d.stack)-1, d.piece.next
	pieces := pieces(left, t.spans)
	switch len(pieces) {
	case 0:
		return
	case 1:
		back = d.piece.back
	}
	for _, bufs := range slices.Backward(pieces) {
		if d.look == Divided {
			slices.SortStableFunc(bufs, func(a, b int32) int { return cmp.Compare(t.fullest(b), t.fullest(a)) })
		}
		next = &piece{bufs, 0, back, next}
		for _, i := range bufs {
			next.key ^= hash(i, t.eff[i])
		}
	}
	if d.piece, t.key = next, next.key; len(pieces) > 1 {
		d.back = back
	}
}
