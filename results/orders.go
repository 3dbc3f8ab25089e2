package results

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
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
	Of        string   // the way to order the operators that Peak was found with
	Order     []string // the operators in that order
}

const orderLegend = "load in bytes by each order of the operators; joint: the least peak over orders and offsets;  " +
	"* no order does better;  [bound, best] where that is open"

// WriteOrders prints a table of graphs, all with the same kinds of orders. Text
// names the operators of a single one in the best order; csv and json, for
// machines, have that order and the bound of each. An unknown format is an error.
func WriteOrders(w io.Writer, format Format, rows []Orders) error {
	if _, err := parse("format", format, OrderFormats); err != nil {
		return err
	}
	g := grid{left: 1, fixed: 1, head: []string{"graph", "operators"}, note: orderLegend}
	if len(rows) > 0 {
		g.head = slices.Concat(g.head, rows[0].Kinds, []string{"joint"})
	}
	if format == CSV {
		g.head = append(g.head, "bound", "order")
	}
	for _, r := range rows {
		line := []string{r.Graph, strconv.Itoa(r.Operators)}
		last := len(r.Loads) - 1
		for _, load := range r.Loads[:last] {
			line = append(line, itoa(load))
		}
		if format == CSV {
			line = append(line, itoa(r.Loads[last]), orNone(r.Peak), itoa(r.Bound), strings.Join(r.Order, " "))
		} else {
			line = append(line, starred(&r.Loads[last], r.Bound), starred(r.Peak, r.Bound))
		}
		g.rows = append(g.rows, line)
	}
	out := &writer{w: w}
	if format == JSON {
		for i := range rows {
			rows[i].json(out)
		}
		return out.err
	}
	writeGrids(out, format, g)
	if len(rows) == 1 && format == Text && rows[0].Of != "" {
		out.printf("order (%s): %s\n", rows[0].Of, InOrder(rows[0].Order))
	}
	return out.err
}

// InOrder names operators for people, of many the first forty.
func InOrder(operators []string) string {
	const most = 40
	if len(operators) <= most {
		return strings.Join(operators, ", ")
	}
	return fmt.Sprintf("%s and %d more, which --format json names", strings.Join(operators[:most], ", "), len(operators)-most)
}

// json writes the row on one line.
func (r *Orders) json(out *writer) {
	loads := make(map[string]int64)
	for k, kind := range r.Kinds {
		loads[kind] = r.Loads[k]
	}
	line, err := json.Marshal(struct {
		Schema    int              `json:"schema"`
		Graph     string           `json:"graph"`
		Operators int              `json:"operators"`
		Loads     map[string]int64 `json:"loads"` // by each way to order the operators
		Bound     int64            `json:"bound"` // no order has a smaller load
		Peak      *int64           `json:"peak"`  // null without a plan
		Of        string           `json:"order"` // that Peak was found with
		Schedule  []string         `json:"schedule"`
	}{1, r.Graph, r.Operators, loads, r.Bound, r.Peak, r.Of, r.Order})
	if out.err == nil {
		out.err = err
	}
	out.printf("%s\n", line)
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
