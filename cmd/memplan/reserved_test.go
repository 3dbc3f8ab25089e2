package main

import (
	stdjson "encoding/json"
	"fmt"
	"math/rand"
	"path/filepath"
	"strings"
	"testing"

	"memplan/internal/shared"
)

// What tensors need is said apart from reserved ranges above them, and a range
// beyond the capacity is an error.
func TestReservedRanges(t *testing.T) {
	above := shared.Path(t, "found/67-reserved-ranges/rs1.json")
	for _, c := range []struct {
		code       int
		want, says string
		args       []string
	}{
		{exitDone, "load       10 bytes\npeak       10 bytes\nsaved      56.52 % of 23 bytes", "", []string{"plan", above, "--format", "text"}},
		{exitDone, "reserved   [100,101) of s\n", "", []string{"plan", above, "--format", "text"}},
		{exitDone, "load        10 bytes at step 1", "", []string{"stat", above}},
		{exitDone, "peak       23 bytes", "", []string{"plan", above, "--format", "text", "--planner", "no-reuse"}},
		{exitNo, "", "at least 10 bytes are needed", []string{"plan", above, "--capacity", "9"}},
		{exitUsage, "", "reserved range [150,250) ends beyond the capacity 200", []string{"plan", shared.Path(t, "found/67-reserved-ranges/r39s.json")}},
	} {
		if code, out, says := call(c.args...); code != c.code || !strings.Contains(out, c.want) || !strings.Contains(says, c.says) {
			t.Errorf("%v: exit %d: %s%s", c.args, code, out, says)
		}
	}
}

// The peak is the least that the tensors reach around the ranges, by trying all
// offsets; its certificate holds; and one byte less does not fit.
func TestReservedRangesAgainstBruteForce(t *testing.T) {
	beyond, between := 0, 0
	for seed := range int64(60) {
		r := rand.New(rand.NewSource(seed))
		n := 3 + r.Intn(3)
		start, end, size := make([]int, n), make([]int, n), make([]int, n)
		var tensors, ops []string
		for i := range n { // tensor i is made at step i and read until a later one
			start[i], end[i], size[i] = i, i+1+r.Intn(3), 1+r.Intn(4)
			tensors = append(tensors, fmt.Sprintf(`{"id": "t%d", "bytes": %d}`, i, size[i]))
		}
		for k := range n + 3 {
			var in, out []string
			for i := range n {
				if start[i] < k && k < end[i] {
					in = append(in, fmt.Sprintf("%q", fmt.Sprint("t", i)))
				} else if start[i] == k {
					out = append(out, fmt.Sprintf("%q", fmt.Sprint("t", i)))
				}
			}
			after := ""
			if k > 0 {
				after = fmt.Sprintf(`, "after": ["o%d"]`, k-1)
			}
			ops = append(ops, fmt.Sprintf(`{"id": "o%d", "inputs": [%s], "outputs": [%s]%s}`, k, strings.Join(in, ","), strings.Join(out, ","), after))
		}
		var ranges []string
		taken := make(map[int]bool)
		for at := r.Intn(4); at < 20 && len(ranges) < 3; at += 1 + r.Intn(8) {
			to := at + 1 + r.Intn(4)
			ranges = append(ranges, fmt.Sprintf("[%d,%d]", at, to))
			for ; at < to; at++ {
				taken[at] = true
			}
		}
		least := reach(start, end, size, taken)
		text := fmt.Sprintf(`{"schema": 1, "tensors": [%s], "ops": [%s], "pools": [{"id": "s", "reserved": [%s]}]}`,
			strings.Join(tensors, ","), strings.Join(ops, ","), strings.Join(ranges, ","))
		file := put(t, "g.json", text)
		plan, cert := filepath.Join(t.TempDir(), "plan.json"), filepath.Join(t.TempDir(), "c.json")
		if code, _, says := call("plan", file, "-o", plan, "--certificate", cert); code != exitDone {
			t.Fatalf("seed %d: exit %d: %s", seed, code, says)
		}
		var got struct{ Peak, Load, Bound int }
		if err := stdjson.Unmarshal(readFile(t, plan), &got); err != nil {
			t.Fatal(err)
		}
		if got.Peak != least || got.Bound != least {
			t.Errorf("seed %d: peak %d, bound %d, least %d: %s", seed, got.Peak, got.Bound, least, text)
		}
		if code, _, says := call("verify", file, plan, "--certificate", cert, "--require-optimal"); code != exitDone {
			t.Errorf("seed %d: verify: exit %d: %s\n%s", seed, code, says, text)
		}
		if code, _, says := call("plan", file, "--capacity", fmt.Sprint(least-1)); code != exitNo {
			t.Errorf("seed %d: one byte less than %d: exit %d: %s\n%s", seed, least, code, says, text)
		}
		if code, _, says := call("plan", file, "--capacity", fmt.Sprint(least)); code != exitDone {
			t.Errorf("seed %d: capacity %d: exit %d: %s\n%s", seed, least, code, says, text)
		}
		for at := range taken {
			if at >= least {
				beyond++
			} else {
				between++
			}
		}
	}
	if beyond < 50 || between < 50 {
		t.Errorf("%d bytes reserved above plans, %d inside", beyond, between)
	}
}

// reach is the least top of tensors live [start, end) that lie on nothing taken.
func reach(start, end, size []int, taken map[int]bool) int {
	at, best := make([]int, len(size)), 1<<30
	var place func(i, top int)
	place = func(i, top int) {
		if top >= best {
			return
		}
		if i == len(size) {
			best = top
			return
		}
	offsets:
		for at[i] = 0; at[i] < 40; at[i]++ {
			for b := at[i]; b < at[i]+size[i]; b++ {
				if taken[b] {
					continue offsets
				}
			}
			for j := range i {
				if start[i] < end[j] && start[j] < end[i] && at[i] < at[j]+size[j] && at[j] < at[i]+size[i] {
					continue offsets
				}
			}
			place(i+1, max(top, at[i]+size[i]))
		}
	}
	place(0, 0)
	return best
}
