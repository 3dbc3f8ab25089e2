package results

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// csvByPlanner writes what each planner is worth, one a line.
func (c *Comparison) csvByPlanner(out *writer, o Options) {
	g := grid{head: []string{"planner", "mean", "worst", "on", "optimal", "best", "plans", "failed", "proofs", "common", "instances"}}
	if o.Timing {
		g.head = append(g.head, "nanoseconds")
	}
	for k := range c.Scores {
		line := append([]string{c.Scores[k].Planner}, c.summary(k)...)
		if o.Timing {
			line = append(line, itoa(c.nanoseconds(k)))
		}
		g.rows = append(g.rows, line)
	}
	g.csv(out)
}

// csvByFamily writes what each planner is worth on each family, one of each a line.
func (c *Comparison) csvByFamily(out *writer) {
	g := grid{head: []string{"family", "planner", "mean", "worst", "on", "optimal", "best", "plans", "failed", "proofs", "common", "instances"}}
	for part := range c.families() {
		for k := range part.Scores {
			g.rows = append(g.rows, append([]string{part.Rows[0].Family, part.Scores[k].Planner}, part.summary(k)...))
		}
	}
	g.csv(out)
}

// summary is the score of a column as csv has it: empty where there is no mean.
func (c *Comparison) summary(k int) []string {
	s := &c.Scores[k]
	mean, worst, on := "", "", ""
	if s.Worst != nil {
		mean, worst, on = fmt.Sprintf("%.6f", s.Mean), s.WorstOf.ratioText(s.Worst), s.WorstOf.Title()
	}
	line := []string{mean, worst, on}
	for _, n := range []int{s.Optimal, s.Wins, s.Plans, s.Failed, s.Proofs, c.Common, len(c.Rows)} {
		line = append(line, strconv.Itoa(n))
	}
	return line
}

// json writes the records, one a line, in the order of the table.
func (c *Comparison) json(out *writer, o Options) {
	c.each(func(_ *Row, r *Record) {
		t := r.timeless()
		if o.Timing {
			t.Nanoseconds = r.Nanoseconds
		}
		line, err := t.Line()
		if err != nil && out.err == nil {
			out.err = err
		}
		out.printf("%s", line)
	})
}

// each visits the records in the order of the table.
func (c *Comparison) each(visit func(*Row, *Record)) {
	for i := range c.Rows {
		for _, r := range c.Rows[i].Cells {
			if r != nil {
				visit(&c.Rows[i], r)
			}
		}
	}
}

// csv writes the records with the optimum, or bound and best, of their row.
func (c *Comparison) csv(out *writer, o Options) {
	g := grid{head: []string{"instance", "family", "buffers", "load", "optimum", "bound", "best", "planner", "seed", "peak", "ratio",
		"planner_bound", "status", "proof", "placements", "nodes", "learnt_conflicts", "largest", "conflicts", "pairs", "sizes", "sections", "granularity", "waste", "pinned", "error"}}
	if o.Timing {
		g.head = append(g.head, "nanoseconds")
	}
	c.each(func(row *Row, r *Record) {
		optimum, best, peak, ratio := "", "", "", ""
		if row.proven() {
			optimum = itoa(row.Bound)
		}
		if row.Best != nil {
			best = itoa(*row.Best)
		}
		if r.Peak != nil {
			peak, ratio = itoa(*r.Peak), row.ratioText(r)
		}
		line := []string{row.Instance, row.Family, strconv.Itoa(row.Buffers), itoa(row.Load), optimum, itoa(row.Bound), best, r.Planner, itoa(r.Seed), peak, ratio,
			itoa(r.Bound), r.Status, string(r.Proof), itoa(r.Placements), itoa(r.Nodes), itoa(r.Conflicts),
			itoa(row.Hardness.Largest), itoa(row.Hardness.Conflicts), itoa(row.Hardness.Pairs), strconv.Itoa(row.Hardness.Sizes), strconv.Itoa(row.Hardness.Sections),
			itoa(row.Granularity), itoa(row.Waste), strconv.Itoa(row.Pinned), r.Error}
		if o.Timing {
			line = append(line, itoa(r.Nanoseconds))
		}
		g.rows = append(g.rows, line)
	})
	g.csv(out)
}

// benchfmt writes the format of Go's benchmarks, so that benchstat compares
// planners with -col /planner, and two runs as it does two commits. Planners are
// named as columns are; runs that differ in their seed alone are one benchmark,
// measured several times.
func (c *Comparison) benchfmt(out *writer, o Options) {
	var seedless []Record
	c.each(func(_ *Row, r *Record) {
		seedless = append(seedless, *r)
		seedless[len(seedless)-1].Seed = 0
	})
	label := labels(seedless)
	assume := " assume=exact"
	if len(columns(seedless, label)) < len(c.Columns) {
		assume = ""
	}
	out.printf("Unit peak-bytes better=lower%s\nUnit peak/bound better=lower%s\n", assume, assume)
	c.each(func(row *Row, r *Record) {
		if r.Peak == nil {
			return // benchstat knows no failures; the other formats show them
		}
		name := fmt.Sprintf("BenchmarkPlan/instance=%s/planner=%s", benchName(row.Name), benchName(label(r)))
		if r.Granularity != 0 {
			name += "/granularity=" + itoa(r.Granularity)
		}
		name = processors.ReplaceAllString(name, "_$1")
		out.printf("%s 1 %d peak-bytes", name, *r.Peak)
		if ratio := row.ratioText(r); ratio != "-" {
			out.printf(" %s peak/bound", ratio)
		}
		if o.Timing {
			out.printf(" %d ns/op", r.Nanoseconds)
		}
		out.printf("\n")
	})
}

// processors is what the end of a benchmark's name would be taken for.
var processors = regexp.MustCompile(`-([0-9]+)$`)

// benchName makes a name fit for a benchmark line: no spaces, no slashes.
func benchName(s string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == '/' {
			return '_'
		}
		return r
	}, s)
}
