package results

import (
	"context"
	"slices"

	"memplan/heuristics"
	"memplan/model"
)

// Reserved ranges of a memory space are pinned buffers, by address, at the end of
// its arena. Those above all that is planned say nothing of what the tensors
// need: they are left out. What is proven with the others holds for the tensors,
// as soon as it is above where the last of these ends: tensors that reach less
// would be a plan with them, too.

// Run plans every arena of a task and records the outcome. Arenas lose, and get
// back, the reserved ranges that their tensors need not reach: afterwards they
// are those that the outcome is of.
func Run(ctx context.Context, t *Task, c Choice) Outcome {
	if t.full == nil && !slices.ContainsFunc(t.Reserved, func(n int) bool { return n > 0 }) {
		return run(ctx, t, c)
	}
	if t.full == nil {
		t.full = make(map[*model.Instance][]model.Buffer)
	}
	for k, in := range t.Arenas {
		if t.full[in] == nil {
			t.full[in] = in.Buffers
		}
		t.restore(k, model.MaxBytes)
		t.settle(ctx, k, c)
	}
	for {
		out := run(ctx, t, c)
		again := false
		for k := range t.Arenas {
			if p := out.Results[k].Plan; p != nil && t.restore(k, t.Top(k, *p)) {
				again = true
			}
		}
		if !again {
			return out
		}
	}
}

// reserved is how many ranges are pinned in an arena.
func (t *Task) reserved(arena int) int {
	if t.Reserved == nil {
		return 0
	}
	return t.Reserved[arena]
}

// Tensors is an arena without what only keeps addresses free.
func (t *Task) Tensors(arena int) *model.Instance {
	in, n := t.Arenas[arena], t.reserved(arena)
	if n == 0 {
		return in
	}
	bare := *in
	bare.Buffers = in.Buffers[:len(in.Buffers)-n]
	return &bare
}

// Top is how far a plan's tensors reach in an arena, in bytes.
func (t *Task) Top(arena int, p model.Plan) (top int64) {
	for i, b := range t.Tensors(arena).Buffers {
		if b.Size > 0 {
			top = max(top, p.Offsets[i]+b.Size)
		}
	}
	return top
}

// Release leaves out of an arena the ranges that begin at an address or above.
func (t *Task) Release(arena int, top int64) {
	in := t.Arenas[arena]
	for n := len(in.Buffers); t.reserved(arena) > 0 && *in.Buffers[n-1].Offset >= top; n-- {
		in.Buffers = in.Buffers[:n-1]
		t.Reserved[arena]--
		t.facts = nil
	}
}

// Limit leaves out of an arena, for good, what is reserved above a capacity: it is
// out of reach anyway.
func (t *Task) Limit(arena int, capacity int64) {
	t.Release(arena, capacity)
	in := t.Arenas[arena]
	for i := len(in.Buffers) - t.reserved(arena); i < len(in.Buffers); i++ {
		b := &in.Buffers[i]
		b.Size = min(b.Size, capacity-*b.Offset)
	}
	t.full = nil
}

// restore takes in what was left out of an arena and begins below an address. It
// reports whether there is any.
func (t *Task) restore(arena int, top int64) bool {
	in, before := t.Arenas[arena], t.reserved(arena)
	full := t.full[in]
	for n := len(in.Buffers); n < len(full) && *full[n].Offset < top; n++ {
		in.Buffers = full[:n+1]
		t.Reserved[arena]++
		t.facts = nil
	}
	return t.reserved(arena) > before
}

// settle finds the fewest ranges of an arena, from the lowest on, with which its
// tensors have a plan below the next: by heuristics, else by the planner asked.
func (t *Task) settle(ctx context.Context, arena int, c Choice) {
	in, n := t.Arenas[arena], t.reserved(arena)
	tensors := len(in.Buffers) - n
	for k := range n {
		room := *in.Buffers[tensors+k].Offset
		some := *in
		some.Capacity, some.Buffers = 0, in.Buffers[:tensors+k]
		if some.Load() > room {
			continue
		}
		for _, c := range []Choice{{Planner: heuristics.ChooseBest{}, Limit: -1}, c} {
			res, _, err := solveWithin(ctx, c, &some)
			if err == nil && res.Plan != nil && res.Plan.Peak(&some) <= room {
				t.Release(arena, room)
				return
			}
		}
	}
}
