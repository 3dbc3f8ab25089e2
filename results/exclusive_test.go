package results

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"memplan/internal/shared"
	"memplan/model"
	"memplan/model/csv"
)

// A drawn buffer says when it is live by clocks of some streams, of one if there is
// a schedule, and by arms.
type drawn struct {
	start, end []int64
	arms       map[string]int
	size       int64
	align      int64
}

// draw makes three to seven buffers: in streams that now and then wait for each other, or
// in two conditionals, the second within an arm of the first, or in both.
func draw(r *rand.Rand) (list []drawn) {
	streams, conditional := 1+r.Intn(3), r.Intn(2) == 0
	for range 3 + r.Intn(5) {
		d := drawn{start: make([]int64, streams), size: int64(r.Intn(6)), align: 1, arms: map[string]int{}}
		own := r.Intn(streams)
		for k := range d.start {
			if k == own || r.Intn(6) == 0 {
				d.start[k] = int64(r.Intn(4))
			}
		}
		d.end = slices.Clone(d.start)
		d.end[own] += 1 + int64(r.Intn(2))
		for k := range d.end {
			if r.Intn(8) == 0 {
				d.end[k] += int64(r.Intn(3))
			}
		}
		if r.Intn(4) == 0 {
			d.align = 2
		}
		if (streams == 1 || conditional) && r.Intn(3) > 0 {
			if d.arms["if"] = r.Intn(2); d.arms["if"] == 1 && r.Intn(2) == 0 {
				d.arms["inner"] = r.Intn(3)
			}
		}
		list = append(list, d)
	}
	return list
}

// together is what the format says, pair by pair.
func together(a, b drawn) bool {
	for group, arm := range a.arms {
		if other, in := b.arms[group]; in && other != arm {
			return false
		}
	}
	dead := func(x, y drawn) bool {
		return !slices.ContainsFunc(model.Identity(len(x.end)), func(k int) bool { return x.end[k] > y.start[k] })
	}
	return a.size > 0 && b.size > 0 && !dead(a, b) && !dead(b, a)
}

// least is the lowest peak over all orders of offsets.
func least(list []drawn, placed []int, at map[int]int64, peak, best int64) int64 {
	if peak >= best {
		return best
	}
	if len(placed) == len(list) {
		return peak
	}
	for i, d := range list {
		if slices.Contains(placed, i) {
			continue
		}
		low := int64(0)
		for _, j := range placed {
			if together(d, list[j]) {
				low = max(low, at[j]+list[j].size)
			}
		}
		low = (low + d.align - 1) / d.align * d.align
		at[i] = low
		end := low + d.size
		if d.size == 0 {
			end = 0
		}
		best = least(list, append(slices.Clone(placed), i), at, max(peak, end), best)
	}
	return best
}

func tableOf(list []drawn) string {
	text := strings.Builder{}
	text.WriteString("id,lower,upper,size,alignment,exclusive\n")
	clock := func(c []int64) string { return strings.Trim(strings.ReplaceAll(fmt.Sprint(c), " ", ":"), "[]") }
	for i, d := range list {
		var arms []string
		for _, group := range []string{"if", "inner"} {
			if arm, in := d.arms[group]; in {
				arms = append(arms, fmt.Sprintf("%s=%d", group, arm))
			}
		}
		fmt.Fprintf(&text, "b%d,%s,%s,%d,%d,%s\n", i, clock(d.start), clock(d.end), d.size, d.align, strings.Join(arms, " "))
	}
	return text.String()
}

// Of buffers with clocks and in arms the lives that are read from a table have two
// meet just where the table says so; the exact planners find the optimum of brute
// force over what it says; heuristics stay valid by it, and their bounds below it;
// and both checkers, each by a reader of its own, accept the proofs and none that
// says more.
func TestExclusiveAgainstBruteForce(t *testing.T) {
	judge := newJudge(t)
	instances, gapped, above, gain := shared.Many(150), 0, 0, 0
	for seed := range int64(instances) {
		list := draw(rand.New(rand.NewSource(seed)))
		table := tableOf(list)
		d, err := csv.Read(strings.NewReader(table), "t.csv")
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, table)
		}
		in := d.Instance
		apart := slices.Clone(list)
		for i := range list {
			apart[i].arms = nil
			for j := range i {
				if got := in.Buffers[i].Conflicts(&in.Buffers[j]); got != together(list[i], list[j]) {
					t.Fatalf("seed %d: %d and %d conflict: %t\n%s", seed, i, j, got, table)
				}
			}
		}
		best := least(list, nil, map[int]int64{}, 0, model.MaxBytes)
		gain += btoi(best < least(apart, nil, map[int]int64{}, 0, model.MaxBytes))
		gapped += btoi(slices.ContainsFunc(in.Buffers, func(b model.Buffer) bool { return len(b.Gaps) > 0 }))
		above += btoi(best > in.Load())
		compare(t, seed, in, best, func(c *model.Certificate) { judge.addTable(table, in, c) })
	}
	t.Logf("%d instances, %d with gaps, %d optima above the load, %d lower for their arms; %d certificates", instances, gapped, above, gain, judge.done())
	if gapped < instances/30 || above < instances/100 || gain < instances/10 {
		t.Error("the test has lost its point")
	}
}
