package model

import (
	"fmt"
	"math"
)

// Interval is a half-open range [Start, End) of schedule steps, or of bytes.
// It is empty when End <= Start.
type Interval struct{ Start, End int64 }

// Always is every step but the last of all. Do not change it.
var Always = Interval{math.MinInt64, math.MaxInt64}

// Empty reports whether no step lies in v.
func (v Interval) Empty() bool { return v.End <= v.Start }

// Contains reports whether w lies inside v.
func (v Interval) Contains(w Interval) bool { return v.Start <= w.Start && w.End <= v.End }

// Meets reports whether v and w share a step. Touching ends share none.
func (v Interval) Meets(w Interval) bool { return v.Start < w.End && w.Start < v.End }

// Intersect returns the steps that v and w share; it may be empty.
func (v Interval) Intersect(w Interval) Interval {
	return Interval{max(v.Start, w.Start), min(v.End, w.End)}
}

// Hull is the shortest interval that contains both.
func (v Interval) Hull(w Interval) Interval {
	return Interval{min(v.Start, w.Start), max(v.End, w.End)}
}

// Shift is the interval moved by d.
func (v Interval) Shift(d int64) Interval { return Interval{v.Start + d, v.End + d} }

func (v Interval) String() string { return fmt.Sprintf("[%d,%d)", v.Start, v.End) }

// Extend adds a step to runs of steps that end at it or before.
func Extend(runs []Interval, step int64) []Interval {
	if k := len(runs) - 1; k >= 0 && runs[k].End == step {
		runs[k].End++
		return runs
	}
	return append(runs, Interval{Start: step, End: step + 1})
}
