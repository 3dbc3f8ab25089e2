package picture

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"memplan/results"
)

// Spread has a lane for each planner and a dot for each of its plans, at what it
// takes above the bound. Each planner counts on the instances that it has plans
// of, so makers can stand beside each other that never met the same one. The one
// with the largest mean is on top; dots that would hide each other are stacked.
func Spread(c *results.Comparison) Diagram {
	d := Diagram{Title: fmt.Sprintf("What plans take above the bound, %d instances", len(c.Rows)), X: "peak / bound - 1, %", Lanes: []string{}}
	var lanes []lane
	end := 0.0
	for k, name := range c.Columns {
		l := lane{name: name}
		for i := range c.Rows {
			if r := c.Rows[i].Cells[k]; r != nil && r.Peak != nil && c.Rows[i].Bound > 0 {
				l.ratios = append(l.ratios, float64(*r.Peak)/float64(c.Rows[i].Bound))
			}
		}
		if len(l.ratios) > 0 {
			slices.Sort(l.ratios)
			lanes = append(lanes, l)
			end = max(end, l.ratios[len(l.ratios)-1]-1)
		}
	}
	slices.SortStableFunc(lanes, func(a, b lane) int { return cmp.Compare(a.mean(), b.mean()) })
	for k, l := range slices.Backward(lanes) {
		d.Curves = append(d.Curves, l.dots(float64(k), max(end, 1e-9)))
	}
	for _, l := range lanes {
		d.Lanes = append(d.Lanes, l.name)
	}
	return d
}

// A lane is a planner's ratios of peak and bound, ascending.
type lane struct {
	name   string
	ratios []float64
}

// mean is the geometric mean.
func (l lane) mean() float64 { return stat.GeometricMean(l.ratios, nil) }

// dots are the lane's, from a height on; those closer than a dot, of a picture that
// ends at a ratio of 1 + end, one above another.
func (l lane) dots(height, end float64) Curve {
	const room, dot = 0.8, 0.09 // of a lane; the height of a dot
	c := Curve{Name: fmt.Sprintf("%s: mean %.3f of %d", l.name, l.mean(), len(l.ratios))}
	stacks := make(map[int]int)
	at := func(r float64) int { return int(math.Round((r - 1) / end * 120)) }
	for _, r := range l.ratios {
		stacks[at(r)]++
	}
	most := 1
	for _, n := range stacks {
		most = max(most, n)
	}
	clear(stacks)
	for _, r := range l.ratios {
		c.X = append(c.X, 100*(r-1))
		c.Y = append(c.Y, height+min(dot, room/float64(most))*float64(stacks[at(r)]))
		stacks[at(r)]++
	}
	return c
}
