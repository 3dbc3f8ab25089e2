package heuristics

import (
	"slices"
	"testing"

	"memplan/model"

	"pgregory.net/rapid"
)

// Each order by its definition in heuristics.md, as keys that are compared one
// after the other, smallest first; all end in the index.
func TestOrdersAgainstDefinition(t *testing.T) {
	type keys func(in *model.Instance, i int) []int64
	size := func(in *model.Instance, i int) int64 { return in.Buffers[i].Size }
	birth := func(in *model.Instance, i int) int64 { return in.Buffers[i].Life.Start }
	death := func(in *model.Instance, i int) int64 { return in.Buffers[i].Life.End }
	long := func(in *model.Instance, i int) int64 { return death(in, i) - birth(in, i) }
	near := func(in *model.Instance, i int) (number, bytes int64) {
		for j := range in.Buffers {
			if j != i && together(&in.Buffers[i], &in.Buffers[j]) {
				number, bytes = number+1, bytes+size(in, j)
			}
		}
		return number, bytes
	}
	number := func(in *model.Instance, i int) int64 { n, _ := near(in, i); return n }
	bytes := func(in *model.Instance, i int) int64 { _, b := near(in, i); return b }
	// widest is the most live bytes at a step of i's life, and the first such step.
	widest := func(in *model.Instance, i int) (most, first int64) {
		most = -1
		for step := birth(in, i); step < death(in, i); step++ {
			var live int64
			for j := range in.Buffers {
				if birth(in, j) <= step && step < death(in, j) {
					live += size(in, j)
				}
			}
			if size(in, i) > 0 && live > most {
				most, first = live, step
			}
		}
		return most, first
	}
	for _, c := range []struct {
		p   model.Planner
		fit Fit
		of  keys
	}{
		{Decreasing{}, FirstFit, func(in *model.Instance, i int) []int64 { return []int64{-size(in, i), -long(in, i)} }},
		{Decreasing{Fit: BestFit}, BestFit, func(in *model.Instance, i int) []int64 { return []int64{-size(in, i), -long(in, i)} }},
		{Decreasing{Ties: EarlierBirth}, FirstFit, func(in *model.Instance, i int) []int64 { return []int64{-size(in, i), birth(in, i)} }},
		{TFLMGreedy{}, FirstFit, func(in *model.Instance, i int) []int64 { return []int64{-size(in, i), -int64(i)} }},
		{Spatial{}, BestFit, func(in *model.Instance, i int) []int64 { return []int64{-size(in, i), -long(in, i)} }},
		{Temporal{}, BestFit, func(in *model.Instance, i int) []int64 { return []int64{-long(in, i), -size(in, i)} }},
		{Online{}, FirstFit, func(in *model.Instance, i int) []int64 { return []int64{birth(in, i), -size(in, i)} }},
		{Online{BestFit}, BestFit, func(in *model.Instance, i int) []int64 { return []int64{birth(in, i), -size(in, i)} }},
		{VelaGreedy{}, BestFit, func(in *model.Instance, i int) []int64 { return []int64{birth(in, i), -death(in, i), size(in, i)} }},
		{ByArea{}, FirstFit, func(in *model.Instance, i int) []int64 { return []int64{-size(in, i) * long(in, i)} }},
		{ByDuration{BestFit}, BestFit, func(in *model.Instance, i int) []int64 { return []int64{-long(in, i)} }},
		{ByBirth{}, FirstFit, func(in *model.Instance, i int) []int64 { return []int64{birth(in, i)} }},
		{ByDeath{}, FirstFit, func(in *model.Instance, i int) []int64 { return []int64{death(in, i)} }},
		{ByConflicts{}, FirstFit, func(in *model.Instance, i int) []int64 { return []int64{-number(in, i)} }},
		{ByContention{BestFit}, BestFit, func(in *model.Instance, i int) []int64 { return []int64{-bytes(in, i)} }},
		{Breadth{}, FirstFit, func(in *model.Instance, i int) []int64 {
			most, first := widest(in, i)
			return []int64{-most, first, -size(in, i)}
		}},
		{VelaHillClimb{Iterations: -1}, FirstFit, func(in *model.Instance, i int) []int64 {
			most, _ := widest(in, i)
			return []int64{-most, -long(in, i), birth(in, i), -size(in, i)}
		}},
		{TVMHillClimb{Attempts: 1}, FirstFit, func(in *model.Instance, i int) []int64 { return []int64{-size(in, i), -number(in, i)} }},
	} {
		t.Run(c.p.Name(), func(t *testing.T) {
			f := features{most: 20, horizon: 8, size: 4}
			rapid.Check(t, func(t *rapid.T) {
				in := f.draw(t)
				order := model.Identity(len(in.Buffers))
				slices.SortStableFunc(order, func(i, j int) int { return slices.Compare(c.of(in, i), c.of(in, j)) })
				if got, want := plan(t, c.p, in), naive(in, order, c.fit); !slices.Equal(got, want) {
					t.Fatalf("%v, want %v in the order %v", got, want, order)
				}
			})
		})
	}
}
