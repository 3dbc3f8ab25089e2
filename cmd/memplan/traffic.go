package main

import (
	"io"
	"slices"

	"memplan/results"
	"memplan/results/picture"
	"memplan/spill"
)

// shares is at how many capacities, in equal parts of the load, traffic is asked
// for.
const shares = 32

// plotTraffic draws what GRAPH moves at least over the capacity of the fast
// memory, in the order of its operators: a curve for each way to use a slow one,
// from the capacity on with which it is possible.
func (e *env) plotTraffic(names []string, o *plotFlags) error {
	if len(names) != 1 {
		return fail(exitUsage, "usage: memplan plot traffic GRAPH")
	}
	src, err := e.load(names[0], o.lower)
	if err != nil {
		return err
	}
	load := src.task.Arenas[0].Load()
	fit := fitFlags{lower: o.lower, capacity: bytesValue{max(load, 1), true}}
	if err := fit.fits(src, names[0]); err != nil {
		return err
	}
	d := picture.Diagram{Title: "What " + src.task.Name + " moves at least", X: "fast memory, bytes", Y: "bytes read and written in slow memory", Width: o.width, Height: o.height}
	open := 0
	for _, way := range []struct {
		name string
		way  spill.Way
	}{{"whole tensors", spill.Whole}, {"pieces, reached there", spill.Pieces}, {"pieces, copied", spill.Staged}} {
		curve := picture.Curve{Name: way.name}
		for _, capacity := range capacities(load) {
			q := src.question(way.way)
			q.Capacity = capacity
			a, err := results.Fit(e.ctx, q, results.Settings{Limit: hintTime})
			switch {
			case err != nil:
				return err
			case a.Fitted != nil && a.Optimal():
				t := a.Fitted.Traffic
				curve.X, curve.Y = append(curve.X, float64(capacity)), append(curve.Y, float64(t.Read+t.Written))
			case a.None == nil:
				open++
			}
		}
		if len(curve.X) > 0 {
			d.Curves = append(d.Curves, curve)
		}
	}
	if err := e.write(o.out, func(w io.Writer) error { return d.Write(w, o.format) }); err != nil {
		return err
	}
	if open > 0 {
		return fail(exitLimit, "%d points are not known", open)
	}
	return nil
}

// capacities are equal parts of a load, up to all of it.
func capacities(load int64) (list []int64) {
	for k := int64(1); k <= shares; k++ {
		part := load / shares * k
		if k == shares {
			part = load
		}
		list = append(list, max(part, 1))
	}
	return slices.Compact(list)
}
