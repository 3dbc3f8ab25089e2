package results

import (
	"fmt"
	"io"
	"slices"
	"strconv"
)

// Orders says what the order of a graph's operators is worth. Bytes are those
// of all memory spaces together.
type Orders struct {
	Graph     string
	Operators int
	Kinds     []string // ways to order the operators, the last of them that of least load
	Loads     []int64  // of each
	Bound     int64    // no order has a smaller load
	Peak      *int64   // the least over orders and offsets that was found; nil: no plan
}

const orderLegend = "load in bytes by each order of the operators; joint: the least peak over orders and offsets;  " +
	"* no order does better;  [bound, best] where that is open"

// WriteOrders prints a table of graphs, all with the same kinds of orders. Only
// csv, for machines, has a column for the bound. An unknown format is an error.
func WriteOrders(w io.Writer, format Format, rows []Orders) error {
	if _, err := ParseFormat(string(format), OrderFormats); err != nil {
		return err
	}
	g := grid{left: 1, fixed: 1, head: []string{"graph", "operators"}, note: orderLegend}
	if len(rows) > 0 {
		g.head = slices.Concat(g.head, rows[0].Kinds, []string{"joint"})
	}
	if format == CSV {
		g.head = append(g.head, "bound")
	}
	for _, r := range rows {
		line := []string{r.Graph, strconv.Itoa(r.Operators)}
		last := len(r.Loads) - 1
		for _, load := range r.Loads[:last] {
			line = append(line, itoa(load))
		}
		if format == CSV {
			line = append(line, itoa(r.Loads[last]), orNone(r.Peak), itoa(r.Bound))
		} else {
			line = append(line, starred(&r.Loads[last], r.Bound), starred(r.Peak, r.Bound))
		}
		g.rows = append(g.rows, line)
	}
	out := &writer{w: w}
	writeGrids(out, format, g)
	return out.err
}

// starred is the best figure known, marked where it is the bound.
func starred(best *int64, bound int64) string {
	switch {
	case best == nil:
		return "-"
	case *best == bound:
		return itoa(bound) + "*"
	}
	return fmt.Sprintf("[%d, %d]", bound, *best)
}

func orNone(bytes *int64) string {
	if bytes == nil {
		return ""
	}
	return itoa(*bytes)
}
