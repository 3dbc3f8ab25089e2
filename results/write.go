package results

import (
	"fmt"
	"io"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"memplan/model"
)

// Formats are the formats that Write knows.
var Formats = []string{"text", "markdown", "csv", "json", "latex", "html", "benchfmt"}

// Groupings are what the rows of a table for people may be.
var Groupings = []string{"instance", "family", "planner"}

// Options say how a comparison is written.
type Options struct {
	Format string // one of Formats
	By     string // one of Groupings; "" is by instance
	Timing bool   // with seconds, which differ from run to run
	Work   bool   // with nodes of searches and placements of the rest
	Hard   bool   // with the columns that say why an instance is hard, where rows are instances
}

// Write prints the comparison. text, markdown, latex and html hold two tables
// for people, by instance or family and by planner, or only the last. csv, json and benchfmt hold one line
// a record for machines: plain integers.
func (c *Comparison) Write(w io.Writer, o Options) error {
	out := &writer{w: w}
	switch o.Format {
	case "json":
		c.json(out, o)
	case "csv":
		c.csv(out, o)
	case "benchfmt":
		c.benchfmt(out, o)
	default:
		grids := []grid{c.byPlanner(o)}
		switch o.By {
		case "planner":
		case "family":
			grids = []grid{c.byFamily(), grids[0]}
		default:
			grids = []grid{c.byInstance(o), grids[0]}
		}
		writeGrids(out, o.Format, grids...)
	}
	return out.err
}

// writeGrids writes tables for people, one below the other.
func writeGrids(out *writer, format string, grids ...grid) {
	for k, g := range grids {
		if k > 0 {
			out.printf("\n")
		}
		switch format {
		case "text":
			g.text(out)
		case "markdown":
			g.markdown(out)
		case "latex":
			g.latex(out)
		case "html":
			g.html(out)
		case "csv":
			g.csv(out)
		default:
			out.err = fmt.Errorf("format %q: want one of %s", format, strings.Join(Formats, ", "))
		}
	}
}

const legend = "peak in bytes, peak/bound;  * proven optimal,  † proven optimal by HiGHS's word alone;  [bound, best] where the optimum is open"

// byInstance is the table of instances and planners.
func (c *Comparison) byInstance(o Options) grid {
	g := grid{title: "By instance", left: 1, fixed: 1, note: legend, head: []string{"instance", "n", "load", "optimum"}}
	rounded := c.rounded()
	if rounded {
		g.head = append(g.head, "waste")
		g.note += ";  waste: bytes that rounding the sizes added, of all buffers together"
	}
	if o.Hard {
		g.head = append(g.head, "largest/load", "conflicts/pairs", "sizes", "sections")
	}
	for _, name := range c.Columns {
		g.head = append(g.head, name)
		if o.Work {
			g.head = append(g.head, "work")
		}
		if o.Timing {
			g.head = append(g.head, "s")
		}
	}
	for i := range c.Rows {
		row := &c.Rows[i]
		line := []string{row.Title(), strconv.Itoa(row.Buffers), itoa(row.Load), row.optimum()}
		if rounded {
			line = append(line, itoa(row.Waste))
		}
		if h := &row.Hardness; o.Hard {
			line = append(line, quotient(h.Largest, row.Load), quotient(h.Conflicts, h.Pairs), strconv.Itoa(h.Sizes), strconv.Itoa(h.Sections))
		}
		for _, r := range row.Cells {
			line = append(line, row.cell(r))
			if o.Work {
				line = append(line, work(r))
			}
			if o.Timing {
				line = append(line, seconds(r))
			}
		}
		g.rows = append(g.rows, line)
	}
	return g
}

// rounded reports whether any instance's sizes were rounded.
func (c *Comparison) rounded() bool {
	return slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Granularity > 0 })
}

// byFamily is the table of families and planners: geometric mean and worst of
// peak/bound over the family's common instances, and how many of all its
// instances are at the proven optimum.
func (c *Comparison) byFamily() grid {
	g := grid{title: "By family", left: 1, fixed: 1, head: []string{"family", "n", "common", "proven"},
		note: "mean (geometric) and worst peak/bound over the instances on which all have a plan, and the number at the proven optimum"}
	g.head = append(g.head, c.Columns...)
	for from := 0; from < len(c.Rows); {
		to := from
		proven := 0
		for to < len(c.Rows) && c.Rows[to].Family == c.Rows[from].Family {
			if c.Rows[to].Proven() {
				proven++
			}
			to++
		}
		part := Comparison{Columns: c.Columns, Rows: c.Rows[from:to]}
		part.score()
		line := []string{c.Rows[from].Family, strconv.Itoa(to - from), strconv.Itoa(part.Common), strconv.Itoa(proven)}
		for k := range part.Scores {
			s := &part.Scores[k]
			if s.Worst == nil {
				line = append(line, "-")
				continue
			}
			line = append(line, fmt.Sprintf("%.3f %s %d", s.Mean, s.WorstOf.ratioText(s.Worst), s.Optimal))
		}
		g.rows = append(g.rows, line)
		from = to
	}
	return g
}

// byPlanner is the table of what each planner is worth.
func (c *Comparison) byPlanner(o Options) grid {
	g := grid{title: "By planner", left: 1, fixed: 1,
		head: []string{"planner", "mean", "worst", "on", "optimal", "best", "plans", "failed"},
		note: fmt.Sprintf("mean (geometric) and worst peak/bound over the %d instances on which all have a plan, %d left out; optimal, best: instances of %d",
			c.Common, len(c.Rows)-c.Common, len(c.Rows))}
	if o.Timing {
		g.head = append(g.head, "s")
	}
	for k := range c.Scores {
		s := &c.Scores[k]
		mean, worst, on := "-", "-", "-"
		if s.Worst != nil {
			mean, worst, on = fmt.Sprintf("%.3f", s.Mean), s.WorstOf.ratioText(s.Worst), s.WorstOf.Title()
		}
		line := []string{s.Planner, mean, worst, on, strconv.Itoa(s.Optimal), strconv.Itoa(s.Wins), strconv.Itoa(s.Plans), strconv.Itoa(s.Failed)}
		if o.Timing {
			line = append(line, c.totalSeconds(k))
		}
		g.rows = append(g.rows, line)
	}
	return g
}

func (c *Comparison) totalSeconds(column int) string {
	var total Record
	for i := range c.Rows {
		if r := c.Rows[i].Cells[column]; r != nil {
			total.Nanoseconds += r.Nanoseconds
		}
	}
	return seconds(&total)
}

// work is the nodes of a search, or the placements of what has none.
func work(r *Record) string {
	switch {
	case r == nil:
		return "-"
	case r.Nodes > 0:
		return itoa(r.Nodes)
	}
	return itoa(r.Placements)
}

func seconds(r *Record) string {
	if r == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", float64(r.Nanoseconds)/1e9)
}

func itoa(v int64) string { return strconv.FormatInt(v, 10) }

// optimum is the optimum with its mark, or [bound, best].
func (row *Row) optimum() string {
	switch {
	case row.Proven():
		return itoa(row.Bound) + row.mark()
	case row.Best == nil:
		return fmt.Sprintf("[%d, ?]", row.Bound)
	}
	return fmt.Sprintf("[%d, %d]", row.Bound, *row.Best)
}

// mark says who vouches for the optimum of a proven row.
func (row *Row) mark() string {
	if row.Proof == model.ProofMIP {
		return "†"
	}
	return "*"
}

// cell is what one planner did on the row's instance.
func (row *Row) cell(r *Record) string {
	switch {
	case r == nil:
		return "-"
	case r.Peak == nil && r.Error != "":
		return "failed"
	case r.Peak == nil && r.Interrupted:
		return "interrupted"
	case r.Peak == nil:
		return "none"
	}
	text := itoa(*r.Peak) + " " + row.ratioText(r)
	if row.Proven() && *r.Peak == row.Bound {
		text += row.mark()
	}
	return text
}

// ratioText is peak/bound to three decimals, rounded exactly; "-" where it
// cannot be formed.
func (row *Row) ratioText(r *Record) string {
	if row.Bound == 0 && *r.Peak == 0 {
		return "1.000"
	}
	return quotient(*r.Peak, row.Bound)
}

// quotient is a/b to three decimals, rounded exactly; "-" where b is 0.
func quotient(a, b int64) string {
	if b == 0 {
		return "-"
	}
	return big.NewRat(a, b).FloatString(3)
}

// json writes the records, one a line, in the order of the table.
func (c *Comparison) json(out *writer, o Options) {
	c.each(func(_ *Row, r *Record) {
		t := r.Timeless()
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
		"planner_bound", "status", "proof", "placements", "nodes", "learnt_conflicts", "largest", "conflicts", "pairs", "sizes", "sections", "granularity", "waste", "error"}}
	if o.Timing {
		g.head = append(g.head, "nanoseconds")
	}
	c.each(func(row *Row, r *Record) {
		optimum, best, peak, ratio := "", "", "", ""
		if row.Proven() {
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
			itoa(row.Granularity), itoa(row.Waste), r.Error}
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
