package smallest

import (
	"math/big"
	"math/bits"
	"slices"
)

var one = big.NewRat(1, 1)

// Worst returns sizes with the largest ratio of optimum to load, and the ratio;
// the sizes are nil when the optimum is the load whatever the sizes, that is
// when g is superperfect. Exact, over all real sizes.
//
// Scale the load to 1: every clique weighs at most 1. A plan is an orientation
// of the graph, and its peak the weight of its heaviest path. Sizes whose
// optimum is above the best ratio so far spoil every plan: one of its maximal
// paths, and not a clique, weighs more. So take any plan and branch over which
// of its paths does. In a branch, a linear program bounds the weight that all
// chosen paths can have at once; at most the best so far ends the branch, and
// so does an optimum that reaches it. Otherwise the optimal plan for nearly
// those sizes has none of the chosen paths, and gives the next branching. There
// are finitely many paths, so the search ends.
func (g *Graph) Worst() (sizes []int64, ratio *big.Rat) {
	s := spoiler{g: g, cliques: g.Cliques(), best: one}
	if !g.Comparable() { // else every path of a transitive orientation is a clique
		s.search(nil, nil)
	}
	return s.sizes, s.best
}

type spoiler struct {
	g       *Graph
	cliques []uint16
	best    *big.Rat
	sizes   []int64 // that have the best ratio
	nodes   int
}

// A limit says that a path weighs at most that much: what is beyond has been
// searched.
type limit struct {
	path   uint16
	weight *big.Rat
}

// search looks at the sizes for which all heavy paths weigh more than the best.
func (s *spoiler) search(heavy []uint16, light []limit) {
	s.nodes++
	x, weight := s.spoil(heavy, light)
	if weight.Cmp(s.best) <= 0 {
		return
	}
	peak := s.try(x)
	if peak.Cmp(weight) >= 0 {
		return
	}
	_, offsets := s.g.Optimum(integers(nudged(x, new(big.Rat).Sub(weight, peak))), 0)
	for _, p := range s.g.paths(offsets) {
		if s.isClique(p) || slices.ContainsFunc(light, func(l limit) bool { return l.path == p }) {
			continue
		}
		s.search(append(slices.Clone(heavy), p), light)
		light = append(slices.Clone(light), limit{p, s.best})
	}
}

// spoil returns sizes whose load is at most 1, within the limits, for which the
// least of the heavy paths weighs most, and that weight.
func (s *spoiler) spoil(heavy []uint16, light []limit) (x []*big.Rat, weight *big.Rat) {
	n := s.g.N
	rows, bounds := [][]int64{indicator(0, n, 0, 1)}, []*big.Rat{big.NewRat(int64(n), 1)}
	for _, c := range s.cliques {
		rows, bounds = append(rows, indicator(c, n, 1, 0)), append(bounds, one)
	}
	for _, l := range light {
		rows, bounds = append(rows, indicator(l.path, n, 1, 0)), append(bounds, l.weight)
	}
	for _, p := range heavy {
		rows, bounds = append(rows, indicator(p, n, -1, 1)), append(bounds, new(big.Rat))
	}
	x = maximise(rows, bounds)
	return x[:n], x[n]
}

// try computes the optimum for sizes x whose load is at most 1, and keeps their
// ratio when it is the best.
func (s *spoiler) try(x []*big.Rat) (peak *big.Rat) {
	sizes := integers(x)
	load := Load(s.cliques, sizes)
	if load == 0 {
		return new(big.Rat)
	}
	high, _ := s.g.Optimum(sizes, load)
	if ratio := big.NewRat(high, load); ratio.Cmp(s.best) > 0 {
		s.best, s.sizes = ratio, sizes
	}
	return new(big.Rat).Mul(big.NewRat(high, load), largest(s.cliques, x))
}

// largest is the load of sizes x.
func largest(cliques []uint16, x []*big.Rat) *big.Rat {
	load := new(big.Rat)
	for _, c := range cliques {
		sum := new(big.Rat)
		for ; c != 0; c &= c - 1 {
			sum.Add(sum, x[bits.TrailingZeros16(c)])
		}
		if sum.Cmp(load) > 0 {
			load = sum
		}
	}
	return load
}

// nudged is x with a little for each buffer, so that none has size 0: so little
// that the optimum rises by less than the slack. For then a path that weighs
// slack more than the optimum at x is no path of the optimal plan.
func nudged(x []*big.Rat, slack *big.Rat) []*big.Rat {
	little := new(big.Rat).Quo(slack, big.NewRat(int64(2*len(x)), 1))
	up := make([]*big.Rat, len(x))
	for v := range x {
		up[v] = new(big.Rat).Add(x[v], little)
	}
	return up
}

// indicator is a row with a at the set's members, and b last.
func indicator(set uint16, n int, a, b int64) []int64 {
	row := make([]int64, n+1)
	for ; set != 0; set &= set - 1 {
		row[bits.TrailingZeros16(set)] = a
	}
	row[n] = b
	return row
}

// integers scales x to integers without a common factor.
func integers(x []*big.Rat) []int64 {
	scale, factor := big.NewInt(1), new(big.Int)
	for _, v := range x {
		gcd := new(big.Int).GCD(nil, nil, scale, v.Denom())
		scale.Mul(scale, new(big.Int).Quo(v.Denom(), gcd))
	}
	whole := make([]*big.Int, len(x))
	for i, v := range x {
		whole[i] = new(big.Int).Quo(new(big.Int).Mul(v.Num(), scale), v.Denom())
		factor.GCD(nil, nil, factor, whole[i])
	}
	sizes := make([]int64, len(x))
	for i, v := range whole {
		if factor.Sign() > 0 {
			v.Quo(v, factor)
		}
		sizes[i] = v.Int64()
	}
	return sizes
}

// paths lists the maximal paths, as sets, of the orientation from lower to
// higher offsets, for a plan of buffers none of which has size 0.
func (g *Graph) paths(offsets []int64) []uint16 {
	var up, down [most]uint16
	for u := range g.N {
		for v := range u {
			if !g.edge(u, v) {
				continue
			}
			lo, hi := v, u
			if offsets[u] < offsets[v] {
				lo, hi = u, v
			}
			up[lo] |= 1 << hi
			down[hi] |= 1 << lo
		}
	}
	var all []uint16
	var walk func(v int, path uint16)
	walk = func(v int, path uint16) {
		path |= 1 << v
		if up[v] == 0 {
			all = append(all, path)
		}
		for m := up[v]; m != 0; m &= m - 1 {
			walk(bits.TrailingZeros16(m), path)
		}
	}
	for v := range g.N {
		if down[v] == 0 {
			walk(v, 0)
		}
	}
	return all
}

func (s *spoiler) isClique(set uint16) bool {
	return slices.ContainsFunc(s.cliques, func(c uint16) bool { return set&^c == 0 })
}
