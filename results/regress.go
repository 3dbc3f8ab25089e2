package results

import (
	"fmt"
	"io"
	"slices"

	"memplan/model"
)

// A Change is how one record of a baseline differs in a new run.
type Change struct {
	Old, New *Record // New is nil where the new run has no such record, Old where the baseline has none
	Why      string
}

// A Regression is the comparison of a new run with a baseline.
type Regression struct {
	Worse, Better, Added []Change
	Same                 int

	label func(*Record) string // a planner, with what tells its records apart
}

// Regress compares record by record: the same instance, planner, parameters and
// seed. Worse is a higher peak, a lost plan or proof, a lower bound, a new
// error, a missing record, or work counters above the old ones by more than the
// tolerance, a share. Seconds are not looked at.
func Regress(baseline, now []Record, tolerance float64) *Regression {
	r := &Regression{label: labels(slices.Concat(baseline, now))}
	found := make(map[Key]*Record, len(now))
	for i, rec := range now {
		found[rec.Key()] = &now[i]
	}
	known := make(map[Key]bool, len(baseline))
	for i := range baseline {
		old := &baseline[i]
		known[old.Key()] = true
		rec := found[old.Key()]
		if why := worsened(old, rec, tolerance); why != "" {
			r.Worse = append(r.Worse, Change{old, rec, why})
		} else if why := improved(old, rec); why != "" {
			r.Better = append(r.Better, Change{old, rec, why})
		} else {
			r.Same++
		}
	}
	for i := range now {
		if rec := &now[i]; !known[rec.Key()] {
			r.Added = append(r.Added, Change{nil, rec, "new"})
		}
	}
	return r
}

// worsened says in what rec is worse than old; "" where it is not.
func worsened(old, rec *Record, tolerance float64) string {
	switch {
	case rec == nil:
		return "missing"
	case rec.Error != "" && old.Error == "":
		return "failed: " + rec.Error
	case rec.Peak == nil && old.Peak != nil:
		return fmt.Sprintf("no plan, was peak %d", *old.Peak)
	case old.Peak != nil && *rec.Peak > *old.Peak:
		return fmt.Sprintf("peak %d, was %d", *rec.Peak, *old.Peak)
	case rec.Status != old.Status && old.Status == model.Optimal.String():
		return fmt.Sprintf("proof lost: bound %d, was %d", rec.Bound, old.Bound)
	case rec.Bound < old.Bound:
		return fmt.Sprintf("bound %d, was %d", rec.Bound, old.Bound)
	case rec.Bound == old.Bound && strength(rec.Proof) < strength(old.Proof):
		return fmt.Sprintf("proof %s, was %s", rec.Proof, old.Proof)
	}
	for _, c := range []struct {
		what     string
		was, now int64
	}{{"placements", old.Placements, rec.Placements}, {"nodes", old.Nodes, rec.Nodes}, {"conflicts", old.Conflicts, rec.Conflicts}} {
		if float64(c.now) > float64(c.was)*(1+tolerance) {
			return fmt.Sprintf("%s %d, was %d", c.what, c.now, c.was)
		}
	}
	return ""
}

// improved says in what rec, which is not worse, is better than old.
func improved(old, rec *Record) string {
	switch {
	case old.Error != "" && rec.Error == "":
		return "no longer fails"
	case rec.Peak != nil && old.Peak == nil:
		return fmt.Sprintf("peak %d, was no plan", *rec.Peak)
	case rec.Peak != nil && *rec.Peak < *old.Peak:
		return fmt.Sprintf("peak %d, was %d", *rec.Peak, *old.Peak)
	case rec.Bound > old.Bound:
		return fmt.Sprintf("bound %d, was %d", rec.Bound, old.Bound)
	case strength(rec.Proof) > strength(old.Proof):
		return fmt.Sprintf("proof %s, was %s", rec.Proof, old.Proof)
	}
	return ""
}

// Accepted is the baseline with the improvements and additions in place of what
// was there, in the order of tables; what is worse stays as it was.
func (r *Regression) Accepted(baseline []Record) []Record {
	all := append([]Record{}, baseline...)
	for _, list := range [][]Change{r.Better, r.Added} {
		for _, c := range list {
			all = append(all, *c.New)
		}
	}
	return Latest(all)
}

// Write lists what is worse, better and new, one a line.
func (r *Regression) Write(w io.Writer) error {
	out := &writer{w: w}
	for _, part := range []struct {
		mark string
		list []Change
	}{{"worse", r.Worse}, {"better", r.Better}, {"new", r.Added}} {
		for _, c := range part.list {
			rec := c.New
			if rec == nil {
				rec = c.Old
			}
			row := Row{Name: rec.Instance, Granularity: rec.Granularity}
			out.printf("%-6s  %s  %s  %s\n", part.mark, row.Title(), r.label(rec), c.Why)
		}
	}
	out.printf("%d worse, %d better, %d new, %d the same\n", len(r.Worse), len(r.Better), len(r.Added), r.Same)
	return out.err
}
