package results

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"memplan/model"
)

// Write prints the comparison. text, markdown and html hold two tables for
// people, by instance or family and by planner, or only the last; latex holds one,
// a tabular. csv by instance, json and benchfmt hold one line a record for
// machines: plain integers; csv by family or planner is the summary that tables
// for people show. An unknown format or grouping is an error, and so is one that
// the other rules out.
func (c *Comparison) Write(w io.Writer, o Options) error {
	if _, err := parse("format", o.Format, Formats); err != nil {
		return err
	}
	if _, err := ParseGrouping(string(cmp.Or(o.By, ByInstance))); err != nil {
		return err
	}
	byInstance := o.By == "" || o.By == ByInstance
	out := &writer{w: w}
	switch {
	case !byInstance && (o.Format == JSON || o.Format == Benchfmt):
		return fmt.Errorf("%s has one line a record: by %s it cannot be", o.Format, o.By)
	case o.Format == JSON:
		c.json(out, o)
	case o.Format == Benchfmt:
		c.benchfmt(out, o)
	case o.Format == CSV && byInstance:
		c.csv(out, o)
	case o.Format == CSV && o.By == ByFamily:
		c.csvByFamily(out)
	case o.Format == CSV:
		c.csvByPlanner(out, o)
	default:
		writeGrids(out, o.Format, c.grids(o)...)
	}
	return out.err
}

// grids are the tables for people that are asked for.
func (c *Comparison) grids(o Options) []grid {
	var list []grid
	switch o.By {
	case ByPlanner:
	case ByFamily:
		list = append(list, c.byFamily())
	default:
		list = append(list, c.byInstance(o))
	}
	if o.Format == LaTeX && len(list) > 0 {
		return list
	}
	return append(list, c.byPlanner(o))
}

// writeGrids writes tables, one below the other.
func writeGrids(out *writer, format Format, grids ...grid) {
	for k, g := range grids {
		if k > 0 {
			out.printf("\n")
		}
		switch format {
		case Markdown:
			g.markdown(out)
		case LaTeX:
			g.latex(out)
		case HTML:
			g.html(out)
		case CSV:
			g.csv(out)
		default:
			g.text(out)
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
	g.note += c.pins()
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

// pins names the rows with pinned buffers, of many the first three.
func (c *Comparison) pins() string {
	const most = 3
	var names []string
	for i := range c.Rows {
		if row := &c.Rows[i]; row.Pinned > 0 {
			names = append(names, fmt.Sprintf("%s (%d of %d)", row.Name, row.Pinned, row.Buffers))
		}
	}
	switch n := len(names); {
	case n == 0:
		return ""
	case n > most:
		names = append(names[:most], fmt.Sprintf("and %d more", n-most))
	}
	return ";  buffers are pinned in " + strings.Join(names, ", ") + ": what is optimal there is with these pinned"
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
		note: "mean (geometric) and worst peak/bound over the instances on which all have a plan" + c.exempt() + ", and the number at the proven optimum"}
	g.head = append(g.head, c.Columns...)
	for part := range c.families() {
		proven := 0
		for i := range part.Rows {
			if part.Rows[i].proven() {
				proven++
			}
		}
		line := []string{part.Rows[0].Family, strconv.Itoa(len(part.Rows)), strconv.Itoa(part.Common), strconv.Itoa(proven)}
		for k := range part.Scores {
			s := &part.Scores[k]
			if s.Worst == nil {
				line = append(line, "-")
				continue
			}
			line = append(line, fmt.Sprintf("%.3f %s %d", s.Mean, s.WorstOf.ratioText(s.Worst), s.Optimal))
		}
		g.rows = append(g.rows, line)
	}
	return g
}

// exempt names the columns that have no plan at all.
func (c *Comparison) exempt() string {
	var names []string
	for k, none := range c.none {
		if none {
			names = append(names, c.Columns[k])
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " (but " + strings.Join(names, ", ") + ": none at all)"
}

// families are the parts of the comparison, one a family.
func (c *Comparison) families() iter.Seq[*Comparison] {
	return func(yield func(*Comparison) bool) {
		for from := 0; from < len(c.Rows); {
			to := from
			for to < len(c.Rows) && c.Rows[to].Family == c.Rows[from].Family {
				to++
			}
			part := &Comparison{Columns: c.Columns, Rows: c.Rows[from:to], none: c.none}
			part.score()
			if !yield(part) {
				return
			}
			from = to
		}
	}
}

// byPlanner is the table of what each planner is worth.
func (c *Comparison) byPlanner(o Options) grid {
	g := grid{title: "By planner", left: 1, fixed: 1,
		head: []string{"planner", "mean", "worst", "on", "optimal", "best", "plans", "failed"},
		note: fmt.Sprintf("mean (geometric) and worst peak/bound over the %d instances on which all have a plan%s, %d left out; optimal, best: instances of %d",
			c.Common, c.exempt(), len(c.Rows)-c.Common, len(c.Rows))}
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
			line = append(line, seconds(&Record{Nanoseconds: c.nanoseconds(k)}))
		}
		g.rows = append(g.rows, line)
	}
	return g
}

// nanoseconds is the time that a column took, all rows together.
func (c *Comparison) nanoseconds(column int) (total int64) {
	for i := range c.Rows {
		if r := c.Rows[i].Cells[column]; r != nil {
			total += r.Nanoseconds
		}
	}
	return total
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
	case row.proven() || row.solved:
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
	if row.proven() && *r.Peak == row.Bound {
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
