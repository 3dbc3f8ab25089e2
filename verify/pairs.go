package verify

import (
	"fmt"
	"math"
	"strings"

	"memplan/model"
)

// pairs are the pairs of an instance by their two buffers, the lower index
// first.
type pairs map[[2]int][]model.Pair

func pairsOf(in *model.Instance) pairs {
	of := make(pairs)
	for _, p := range in.Pairs {
		key := [2]int{min(p.Over, p.Under), max(p.Over, p.Under)}
		of[key] = append(of[key], p)
	}
	return of
}

// allow reports whether two buffers that share bytes lie as a pair lets them.
// Where ends leave int64 nothing is compared, so no difference wraps.
func (of pairs) allow(in *model.Instance, at model.Plan, i, j int) bool {
	for _, p := range of[[2]int{min(i, j), max(i, j)}] {
		distance := at.Offsets[p.Under] - at.Offsets[p.Over]
		if p.Equal && distance == -p.Distance || !p.Equal && distance >= p.Distance && p.Distance >= 0 && handsOver(in, p) {
			return true
		}
	}
	return false
}

// handsOver reports whether the two of a lead are live together at one step
// alone, the last of the one below and the first of the other.
func handsOver(in *model.Instance, p model.Pair) bool {
	under, over := parts(&in.Buffers[p.Under]), parts(&in.Buffers[p.Over])
	if len(under) == 0 || len(over) == 0 {
		return false
	}
	last, first := under[len(under)-1].End, over[0].Start
	return first < math.MaxInt64 && last == first+1
}

// missed says what pairs would let two buffers do that they do not; "" where
// there is none.
func (of pairs) missed(in *model.Instance, at model.Plan, i, j int) string {
	var text strings.Builder
	for _, p := range of[[2]int{min(i, j), max(i, j)}] {
		over, under := in.Buffers[p.Over].ID, in.Buffers[p.Under].ID
		distance := at.Offsets[p.Under] - at.Offsets[p.Over]
		switch {
		case p.Equal:
			fmt.Fprintf(&text, "; %q may lie %d above %q, and lies %d above", over, p.Distance, under, -distance)
		case !handsOver(in, p):
			fmt.Fprintf(&text, "; %q may lie over %q only where they are live together at one step, the last of %q", over, under, under)
		default:
			fmt.Fprintf(&text, "; %q may lie over %q from a distance of %d on, and the distance is %d", over, under, p.Distance, distance)
		}
	}
	return text.String()
}
