package verify

import (
	"cmp"
	"math"
	"slices"

	"memplan/model"
)

// A sharing says how some buffers, by number, may share bytes.
type sharing interface {
	bytes(i int) int64
	may(i, j int) bool                     // in some way
	over(y, x int) (lead int64, only bool) // y over x, in no other way
}

// weight is how many bytes buffers that are live together take at least:
// PROOFS.md, "The weight". Sums end at the
// largest int64.
func weight(s sharing, set []int) (sum int64) {
	left := slices.Clone(set)
	for len(left) > 0 {
		var part []int
		part, left = reach(s, left)
		if len(part) == 1 {
			sum = total(sum, s.bytes(part[0]))
			continue
		}
		slices.SortFunc(part, func(i, j int) int { return cmp.Or(-cmp.Compare(s.bytes(i), s.bytes(j)), cmp.Compare(i, j)) })
		best := int64(0)
		for _, i := range part {
			best = max(best, total(s.bytes(i), others(s, []int{i}, part)), output(s, i, part))
		}
		sum = total(sum, best)
	}
	return sum
}

// total is a sum of two sizes, kept within int64.
func total(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// reach parts a set into what its first member is linked to, by however many
// links, and the rest.
func reach(s sharing, set []int) (part, rest []int) {
	part, rest = set[:1:1], set[1:]
	for k := 0; k < len(part); k++ {
		var far []int
		for _, j := range rest {
			if s.may(part[k], j) {
				part = append(part, j)
			} else {
				far = append(far, j)
			}
		}
		rest = far
	}
	return part, rest
}

// others is what more some take of which no two may share, nor one with those
// chosen.
func others(s sharing, chosen, part []int) (sum int64) {
next:
	for _, j := range part {
		for _, i := range chosen {
			if i == j || s.may(i, j) {
				continue next
			}
		}
		chosen, sum = append(chosen, j), total(sum, s.bytes(j))
	}
	return sum
}

// output is what y takes with the inputs that it may lie over, and with others.
func output(s sharing, y int, part []int) int64 {
	var inputs []int
	leads := map[int]int64{}
	for _, x := range part {
		lead, only := s.over(y, x)
		if lead < 0 {
			continue
		}
		if !only {
			return 0
		}
		inputs, leads[x] = append(inputs, x), lead
	}
	for _, i := range inputs {
		for _, j := range inputs {
			if i != j && s.may(i, j) {
				return 0
			}
		}
	}
	slices.SortFunc(inputs, func(i, j int) int { return cmp.Compare(leads[i], leads[j]) })
	end := int64(0)
	for _, x := range inputs {
		end = total(max(end, leads[x]), s.bytes(x))
	}
	return total(end, others(s, append([]int{y}, inputs...), part))
}

// asListed is what the pairs of an instance allow.
type asListed struct {
	in *model.Instance
	of pairs
}

func (a asListed) bytes(i int) int64 { return a.in.Buffers[i].Size }

func (a asListed) may(i, j int) bool { return len(a.of[[2]int{min(i, j), max(i, j)}]) > 0 }

func (a asListed) over(y, x int) (lead int64, only bool) {
	list := a.of[[2]int{min(y, x), max(y, x)}]
	lead = -1
	for _, p := range list {
		if !p.Equal && p.Over == y && p.Distance >= 0 {
			lead = min(p.Distance, a.bytes(y))
		}
	}
	return lead, len(list) == 1
}
