package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"memplan/internal/shared"
	"memplan/model"
	"memplan/results"
)

// A capacity fits, is proven not to, or is undecided; never one for another.
// The load is 27, the optimum 28, and no one-pass rule gets below 32.
func TestCapacityCases(t *testing.T) {
	file := shared.Path(t, "cases/39-capacity-between/input.csv")
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--capacity", "32"}, exitDone, ""},
		{[]string{"--capacity", "28"}, exitDone, ""},
		{[]string{"--capacity", "27"}, exitNo, "1 short"},
		{[]string{"--capacity", "26"}, exitNo, "short"},
		{[]string{"--capacity", "0"}, exitDone, ""},
		{[]string{"--capacity", "27", "--planner", "choose-best"}, exitLimit, "undecided"},
		{[]string{"--capacity", "28", "--planner", "no-reuse"}, exitLimit, "undecided"},
		{[]string{"--capacity", "26", "--planner", "no-reuse"}, exitNo, "1 short"},
		{[]string{"--capacity", "27", "--time-limit", "0"}, exitLimit, "undecided"},
	} {
		code, _, says := call(append([]string{"plan", file}, c.args...)...)
		if code != c.code || !strings.Contains(says, c.says) {
			t.Errorf("%v: exit %d, %q; want %d, %q", c.args, code, says, c.code, c.says)
		}
		// The JSON says the same, whatever the exit status.
		jsonCode, plan := planned(t, append([]string{file}, c.args...)...)
		want := map[int]string{exitNo: "infeasible", exitLimit: "unknown"}[c.code]
		if jsonCode != c.code || want != "" && plan["status"] != want || want == "" && plan["status"] != "optimal" && plan["status"] != "feasible" {
			t.Errorf("%v: exit %d, status %v", c.args, jsonCode, plan["status"])
		}
	}
}

// When the clock runs out there is a plan that holds, a bound, and no claim that
// was not proven.
func TestTimeLimitCases(t *testing.T) {
	for _, c := range []struct {
		file             string
		optimum, highest int64 // highest: what the best one-pass rule of others gives
	}{{"input.csv", 1000, 1070}, {"chain.csv", 1028, 1032}, {"hard.csv", 100000, 133043}} {
		file := shared.Path(t, "cases/33-time-limit-status/"+c.file)
		for _, planner := range []string{"exact", "ilp"} {
			for _, limit := range []string{"0", "0.001", "1"} {
				code, plan := planned(t, file, "--planner", planner, "--time-limit", limit)
				if plan == nil {
					continue
				}
				number := func(key string) int64 {
					v, _ := plan[key].(json.Number).Int64()
					return v
				}
				peak, bound := number("peak"), number("bound")
				optimal := plan["status"] == "optimal"
				if code != exitDone || peak < c.optimum || peak > c.highest || bound > c.optimum || bound < 1000 || optimal != (peak == bound) || optimal && peak != c.optimum {
					t.Errorf("%s by %s within %s s: exit %d, peak %d, bound %d, %v", c.file, planner, limit, code, peak, bound, plan["status"])
				}
				if code, _, says := call("plan", file, "--planner", planner, "--time-limit", limit, "--require-optimal"); (code == exitDone) != optimal && limit == "0" {
					t.Errorf("%s by %s within %s s: --require-optimal: exit %d, %s", c.file, planner, limit, code, says)
				}
			}
		}
	}
}

// Scaled sizes have the same plan, scaled.
func TestScaledSizes(t *testing.T) {
	rows := strings.Split(strings.TrimSpace(eightAbove), "\n")
	for _, zeros := range []string{"", "000", "000000", "000000000"} {
		scaled := rows[0] + "\n"
		for _, row := range rows[1:] {
			scaled += row + zeros + "\n"
		}
		file := put(t, "scaled.csv", scaled)
		code, plan := planned(t, file)
		if code != exitDone || plan["peak"].(json.Number).String() != "5"+zeros || plan["status"] != "optimal" {
			t.Errorf("times 1%s: exit %d, %v, %v", zeros, code, plan["peak"], plan["status"])
		}
	}
}

// What is said of a second memory ends with the time for it, even where no search
// is needed for it.
func TestSecondMemoryEndsInTime(t *testing.T) {
	in := &model.Instance{Name: "a", Capacity: 2, Buffers: []model.Buffer{
		{ID: "a", Life: model.Interval{Start: 0, End: 1}, Size: 2}, {ID: "b", Life: model.Interval{Start: 0, End: 1}, Size: 1}}}
	exact, err := results.Find("exact", results.Settings{Limit: -1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	if list := second(ctx, in, exact); !strings.Contains(toldWays(list), "second memory of 1 bytes, for b (1)") {
		t.Error(list)
	}
	stop()
	if list := second(ctx, in, exact); list != nil {
		t.Error(list)
	}
}
