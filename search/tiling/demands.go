package tiling

import "slices"

// A demand is that buffers which die together share holes in one of few ways.
// Whatever else is born until then, once these are live, the orders of all that
// are live now and then can be looked at now.
type demand struct {
	event int32
	ways  []holes
	known map[*node]int64 // by the part of a tree that has all of the dead: its loss; below 0: it cannot be met
}

// holes are the dead of one event by the hole that they share.
type holes [][]int32

// foresee finds the demands of all events.
func (s *Sweep) foresee() {
	s.places = make([]places, len(s.events))
	for k, e := range s.events {
		if ways := s.ways(e); ways != nil {
			s.demands = append(s.demands, demand{int32(k), ways, make(map[*node]int64)})
		}
	}
}

// ways lists the ways to share the holes of an event; nil when one of them
// demands nothing, or when they are not few.
func (s *Sweep) ways(e event) (ways []holes) {
	if len(e.dead) < 2 {
		return nil
	}
	left := &budget{tuned.waySteps, tuned.waySteps}
	var way holes
	var rest func(dead, born []int32) bool
	rest = func(dead, born []int32) bool {
		if len(dead) == 0 {
			if !slices.ContainsFunc(ways, func(w holes) bool { return slices.EqualFunc(w, way, slices.Equal) }) {
				ways = append(ways, slices.Clone(way))
			}
			if len(ways) > tuned.ways || len(way) == len(e.dead) {
				left.holes = 0
			}
			return !left.spent()
		}
		sets(len(dead), len(born), func(set []int) bool {
			left.steps--
			hole, others := divide(dead, set)
			s.shares(born, s.bytes(hole), left, func(_, unborn []int32) bool {
				if (len(unborn) == 0) != (len(others) == 0) {
					return true
				}
				way = append(way, hole)
				on := rest(others, unborn)
				way = way[:len(way)-1]
				return on
			})
			return !left.spent()
		})
		return !left.spent()
	}
	if !rest(e.dead, e.born) {
		return nil
	}
	return ways
}

// forget drops the demands that have come due.
func (s *Sweep) forget() {
	s.demands = slices.DeleteFunc(s.demands, func(d demand) bool { return int(d.event) <= s.at })
}

// places are where in a tree the leaves are that die at one event.
type places struct{ first, last, count int32 }

// loss is how much of a tree's freedom the demands would take that concern its
// leaves alone, if each were the only one. It reports false when one cannot be
// met.
func (s *Sweep) loss(tree *node) (sum int64, ok bool) {
	leaves := tree.append(nil)
	s.visits += int64(len(leaves))
	for at, i := range leaves {
		p := &s.places[s.until[i]]
		if p.count == 0 {
			p.first = int32(at)
		}
		p.last = int32(at)
		p.count++
	}
	ok = true
	for k := 0; k < len(s.demands) && ok; k++ {
		d := &s.demands[k]
		p := s.places[d.event]
		if int(p.count) < len(s.events[d.event].dead) {
			continue // some are not born
		}
		part := tree.over(p.first, p.last)
		loss, known := d.known[part]
		if !known {
			loss = s.lossOf(part, d)
			d.known[part] = loss
		}
		sum += loss
		ok = loss >= 0
	}
	for _, i := range leaves {
		s.places[s.until[i]] = places{}
	}
	return sum, ok
}

// lossOf is the least freedom that meeting a demand takes from a part of a
// tree; below 0 when it cannot be met.
func (s *Sweep) lossOf(part *node, d *demand) int64 {
	now := part.restrict(func(i int32) bool { return s.until[i] >= d.event })
	s.visits += int64(part.leaves)
	least := int64(-1)
	for _, way := range d.ways {
		then := now
		for k := 0; k < len(way) && then != nil; k++ {
			then, _ = s.gather(then, way[k], nil)
		}
		if then != nil && (least < 0 || now.freedom-then.freedom < least) {
			least = now.freedom - then.freedom
		}
	}
	return least
}

// over is the smallest part of a tree that has the leaves at both places.
func (n *node) over(first, last int32) *node {
	for n.kind != leafNode {
		var before int32
		k := 0
		for ; before+n.children[k].leaves <= first; k++ {
			before += n.children[k].leaves
		}
		if last >= before+n.children[k].leaves {
			return n
		}
		n, first, last = n.children[k], first-before, last-before
	}
	return n
}
