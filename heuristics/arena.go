package heuristics

import "memplan/model"

// A rect is one live part of a placed buffer.
type rect struct {
	life  ranks
	bytes model.Interval
}

// ranks are a half-open interval of steps, each by its rank among those at which
// some buffer is born or dies: they meet where the steps do, in half the room.
type ranks struct{ start, end int32 }

func (a ranks) meets(b ranks) bool { return a.start < b.end && b.start < a.end }

// An arena holds the rectangles placed so far, so that those that meet a
// lifetime can be walked by rising address without sorting them.
//
// Time is cut into blocks, and each block keeps the rectangles that meet it, by
// address. A block ends once as many parts were born in it as were alive at
// its start (or as many died), which bounds the entries of all blocks by
// 3n plus the smallest block times their number, and the entries that a lifetime
// meets by a small multiple of the buffers it meets.
//
// Cost: building O(n log n); insertion and search linear in the entries of the
// blocks that the lifetime meets, by sequential reads; 24 bytes an entry. First
// fit reads those up to where it ends, and looks at each block again as often as
// another lifts the buffer.
type arena struct {
	phases []phase // of the buffers, one after another
	first  []int32 // phases[first[i]:first[i+1]] are those of buffer i
	blocks []block // in order of time
	placed []rect
	any    bool // something was inserted

	walks             []walk           // find's own: through the blocks that a body meets
	runs, spare, more []model.Interval // its forbidden offsets, and room to add to them
}

// A phase is one live part of a buffer, and the blocks [from, to) that it meets.
type phase struct {
	life     ranks
	from, to int32
}

// A block has count entries, from placed[first] on.
type block struct{ first, count int }

// minBlock is the number of births below which a block is not closed.
const minBlock = 16

// newArena makes room for the live parts of all buffers of in.
func newArena(in *model.Instance) *arena {
	a := &arena{first: make([]int32, len(in.Buffers)+1)}
	births, deaths := make([]moment, 0, len(in.Buffers)), make([]moment, 0, len(in.Buffers))
	for i := range in.Buffers {
		if b := &in.Buffers[i]; b.Size > 0 {
			for part := range b.Live() {
				k := int32(len(births))
				births, deaths = append(births, moment{part.Start, k}), append(deaths, moment{part.End, k})
			}
		}
		a.first[i+1] = int32(len(births))
	}
	a.phases = make([]phase, len(births))
	a.placed = make([]rect, a.divide(inTime(births), inTime(deaths)))
	return a
}

// A moment is when a phase begins or ends.
type moment struct {
	step  int64
	phase int32
}

func inTime(list []moment) []moment {
	model.SortByKey(list, func(m *moment) uint64 { return model.Rising(m.step) })
	return list
}

// divide cuts time into blocks. It returns how many entries they have in all.
func (a *arena) divide(births, deaths []moment) (size int) {
	live, start, born, died := 0, 0, 0, 0 // start, born, died: of the open block
	for now := int32(0); len(deaths) > 0; now++ {
		step := deaths[0].step
		if len(births) > 0 {
			step = min(step, births[0].step)
		}
		for ; len(deaths) > 0 && deaths[0].step == step; deaths = deaths[1:] {
			p := &a.phases[deaths[0].phase]
			p.life.end, p.to = now, int32(len(a.blocks))
			live--
			died++
		}
		if len(births) == 0 || births[0].step > step {
			continue
		}
		if len(a.blocks) == 0 || max(born, died) >= max(start, minBlock) {
			a.blocks = append(a.blocks, block{first: size})
			start, born, died = live, 0, 0
			size += live
		}
		for ; len(births) > 0 && births[0].step == step; births = births[1:] {
			p := &a.phases[births[0].phase]
			p.life.start, p.from = now, int32(len(a.blocks)-1)
			live++
			born++
			size++
		}
	}
	return size
}

// clear takes everything out.
func (a *arena) clear() {
	for b := range a.blocks {
		a.blocks[b].count = 0
	}
	a.any = false
}

// of lists the phases of buffer i.
func (a *arena) of(i int) []phase { return a.phases[a.first[i]:a.first[i+1]] }

// entries lists the rectangles placed in block b, by address.
func (a *arena) entries(b int32) []rect {
	at := a.blocks[b]
	return a.placed[at.first:][:at.count]
}

// insert places buffer i at these bytes.
func (a *arena) insert(i int, bytes model.Interval) {
	a.any = true
	for _, p := range a.of(i) {
		for b := p.from; b < p.to; b++ {
			a.blocks[b].count++
			in := a.entries(b)
			at, after := 0, len(in)-1 // goes behind its equals
			for at < after {
				if mid := (at + after) / 2; in[mid].bytes.Start <= bytes.Start {
					at = mid + 1
				} else {
					after = mid
				}
			}
			copy(in[at+1:], in[at:])
			in[at] = rect{p.life, bytes}
		}
	}
}

// overlaps reports whether buffer i at these bytes would share one of them, at
// some step, with what is placed.
func (a *arena) overlaps(i int, bytes model.Interval) bool {
	for _, p := range a.of(i) {
		for b := p.from; b < p.to; b++ {
			for _, e := range a.entries(b) {
				if e.bytes.Start >= bytes.End {
					break
				}
				if e.bytes.End > bytes.Start && e.life.meets(p.life) {
					return true
				}
			}
		}
	}
	return false
}
