package tiling

import (
	"cmp"
	"slices"
)

// A filling is an event some of whose holes are filled.
type filling struct {
	state
	runs [][]int32 // of dead that are left
	born []int32   // that are left
	key  uint64    // the same for what the same can follow
}

// A budget is what filling the holes of an event for one state may still cost:
// holes tried, and steps to find what is born for them.
type budget struct{ holes, steps int }

func (b *budget) spent() bool { return b.holes <= 0 || b.steps <= 0 }

// fill finds the states that follow one, with their scores: each hole is the bytes of some of the
// dead, who become neighbours, and takes as many bytes of the born. Dead who
// are neighbours in every frontier share a hole: whatever fills two holes that
// meet fills the one that they make.
//
// The holes are filled one by one, each time that of the first run of dead that
// is left, in a beam search of its own.
func (s *Sweep) fill(old state, e event, found func(state)) {
	if len(e.born) == 0 { // the end
		to, _ := s.hole(old, e.dead, nil)
		found(to)
		return
	}
	each := min(s.Width, tuned.maxEach)
	left := &budget{tuned.holesEach * each, tuned.stepsEach * each}
	s.mark(e.dead)
	begun := []filling{{state: old, runs: s.runs(old.tree, nil), born: e.born}}
	s.unmark(e.dead)
	for len(begun) > 0 {
		var next []filling
		seen := make(map[uint64]bool)
		for _, f := range begun {
			if len(f.runs) == 0 {
				found(f.state)
				continue
			}
			s.next(f, left, func(f filling) {
				if seen[f.key] {
					return
				}
				seen[f.key] = true
				if loss, ok := s.loss(f.tree); ok {
					f.score = f.tree.freedom - loss
					next = append(next, f)
				}
			})
		}
		slices.SortStableFunc(next, func(a, b filling) int { return cmp.Compare(b.score, a.score) })
		begun = next[:s.limit(len(next), tuned.keptEach*each)]
	}
	s.lossy = s.lossy || left.spent()
}

// limit is the lesser number; it notes when something is left out.
func (s *Sweep) limit(n, max int) int {
	s.lossy = s.lossy || n > max
	return min(n, max)
}

// next fills the next hole in every way.
func (s *Sweep) next(f filling, left *budget, found func(filling)) {
	sets(len(f.runs), len(f.born), func(set []int) bool {
		hole, runs := divide(f.runs, set)
		dead := slices.Concat(hole...)
		s.shares(f.born, s.bytes(dead), left, func(some, born []int32) bool {
			if (len(born) == 0) != (len(runs) == 0) {
				return true
			}
			left.holes--
			to, ok := s.hole(f.state, dead, some)
			if ok {
				found(filling{to, runs, born, mix(to.tree.hash+s.alike(born)) + s.alike(slices.Concat(runs...))})
			}
			return ok && !left.spent()
		})
		return !left.spent()
	})
}

// hole makes the dead neighbours and puts the born in their place.
func (s *Sweep) hole(from state, dead, born []int32) (state, bool) {
	gathered, replaced := s.gather(from.tree, dead, s.births(born))
	return state{tree: replaced, past: &past{from.past, gathered, dead, born}}, gathered != nil
}

// alike is the same for sets of buffers that differ in names alone.
func (s *Sweep) alike(buffers []int32) (sum uint64) {
	for _, i := range buffers {
		sum += mix(s.kin[i])
	}
	return sum
}

func (s *Sweep) bytes(buffers []int32) (sum int64) {
	for _, i := range buffers {
		sum += s.in.Buffers[i].Size
	}
	return sum
}

// shares finds the subsets of a sum, until found returns false or the budget is
// spent.
func (s *Sweep) shares(of []int32, sum int64, left *budget, found func(some, others []int32) bool) {
	var some, others []int32
	var from func(k int, sum, rest int64) bool
	from = func(k int, sum, rest int64) bool {
		if sum == 0 {
			return found(slices.Clone(some), slices.Concat(others, of[k:]))
		}
		left.steps--
		s.visits++
		if left.spent() || rest < sum {
			return !left.spent()
		}
		size := s.in.Buffers[of[k]].Size
		if size <= sum {
			some = append(some, of[k])
			on := from(k+1, sum-size, rest-size)
			some = some[:len(some)-1]
			if !on {
				return false
			}
		}
		others = append(others, of[k])
		on := from(k+1, sum, rest-size)
		others = others[:len(others)-1]
		return on
	}
	from(0, sum, s.bytes(of))
}

// sets lists the sets of 0 and others below n, the largest and then the small
// ones first, until found returns false; or the largest alone, when they are to
// share among too few for more than one.
func sets(n, among int, found func(set []int) bool) {
	set := []int{0}
	var add func(from, more int) bool
	add = func(from, more int) bool {
		if more == 0 {
			return found(set)
		}
		for k := from; k <= n-more; k++ {
			set = append(set, k)
			on := add(k+1, more-1)
			set = set[:len(set)-1]
			if !on {
				return false
			}
		}
		return true
	}
	on := add(1, n-1)
	for more := 0; more < n-1 && on && among > 1; more++ {
		on = add(1, more)
	}
}

// divide splits a list into the members of an ascending set of places, and the
// others.
func divide[T any](list []T, set []int) (in, out []T) {
	for k, v := range list {
		if _, found := slices.BinarySearch(set, k); found {
			in = append(in, v)
		} else {
			out = append(out, v)
		}
	}
	return in, out
}
