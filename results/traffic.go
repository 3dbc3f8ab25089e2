package results

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"memplan/model"
	"memplan/spill"
)

// A Traffic is what a graph moves at least in one way to use a slow memory, given
// so many bytes of a fast one.
type Traffic struct {
	Graph          string
	Load, Capacity int64 // bytes: needed without a slow memory; of the fast memory
	Way            string
	Answer         *spill.Answer
	Seconds        float64
}

const trafficLegend = "what a run moves to and from slow memory, bytes times what one costs, by capacity of the fast memory and way to use the slow one;  " +
	"* proven least,  † least by HiGHS's word alone;  no: proven that it does not fit;  [bound, best] where that is open"

// Status is optimal or feasible where something was found, infeasible where it is
// proven that nothing fits, else unknown.
func (t *Traffic) Status() model.Status {
	switch a := t.Answer; {
	case a.None != nil:
		return model.Infeasible
	case a.Fitted == nil:
		return model.Unknown
	case a.Optimal():
		return model.Optimal
	}
	return model.Feasible
}

// Proof is what the bound, or that nothing fits, rests on.
func (t *Traffic) Proof() string {
	switch a := t.Answer; {
	case a.None != nil:
		return string(a.None.Certificate.Proof)
	case a.Certificate != nil:
		return string(a.Certificate.Proof)
	case a.Word:
		return string(model.ProofMIP)
	}
	return string(model.ProofNone)
}

// cell is the figure for people.
func (t *Traffic) cell() string {
	switch a := t.Answer; t.Status() {
	case model.Infeasible:
		return "no"
	case model.Unknown:
		return fmt.Sprintf("[%d, -]", a.Bound)
	case model.Feasible:
		return fmt.Sprintf("[%d, %d]", a.Bound, a.Fitted.Cost())
	default:
		if a.Word && a.Certificate == nil {
			return itoa(a.Fitted.Cost()) + "†"
		}
		return itoa(a.Fitted.Cost()) + "*"
	}
}

// A trafficLine is a Traffic for machines.
type trafficLine struct {
	Schema   int      `json:"schema"`
	Graph    string   `json:"graph"`
	Load     int64    `json:"load"`
	Capacity int64    `json:"capacity"`
	Way      string   `json:"way"`
	Status   string   `json:"status"`
	Cost     *int64   `json:"cost"` // null where nothing was found
	Read     *int64   `json:"read"`
	Written  *int64   `json:"written"`
	Slow     *int64   `json:"slow"` // bytes of slow memory that are needed at once
	Bound    int64    `json:"bound"`
	Proof    string   `json:"proof"`
	Columns  int      `json:"columns"` // of the program
	Rows     int      `json:"rows"`
	Cuts     int      `json:"cuts"`
	Nodes    int64    `json:"nodes"`
	Seconds  *float64 `json:"seconds,omitempty"`
}

var trafficHead = []string{"graph", "load", "capacity", "way", "status", "cost", "read", "written", "slow", "bound", "proof", "columns", "rows", "cuts", "nodes"}

func (t *Traffic) line(timing bool) trafficLine {
	a := t.Answer
	l := trafficLine{Schema: 1, Graph: t.Graph, Load: t.Load, Capacity: t.Capacity, Way: t.Way, Status: t.Status().String(), Bound: a.Bound, Proof: t.Proof(),
		Columns: a.Columns, Rows: a.Rows, Cuts: a.Cuts, Nodes: a.Nodes}
	if f := a.Fitted; f != nil {
		slow := f.Lowered.Arenas[1].Load()
		l.Cost, l.Read, l.Written, l.Slow = &f.Traffic.Cost, &f.Traffic.Read, &f.Traffic.Written, &slow
	}
	if timing {
		l.Seconds = &t.Seconds
	}
	return l
}

func (l *trafficLine) cells() []string {
	list := []string{l.Graph, itoa(l.Load), itoa(l.Capacity), l.Way, l.Status, orNone(l.Cost), orNone(l.Read), orNone(l.Written), orNone(l.Slow), itoa(l.Bound), l.Proof,
		strconv.Itoa(l.Columns), strconv.Itoa(l.Rows), strconv.Itoa(l.Cuts), itoa(l.Nodes)}
	if l.Seconds != nil {
		list = append(list, inSeconds(*l.Seconds))
	}
	return list
}

func inSeconds(s float64) string { return strconv.FormatFloat(s, 'f', 3, 64) }

// WriteTraffic prints a table: for people a row a graph and capacity, a column a way;
// for machines a line an answer. An unknown format is an error.
func WriteTraffic(w io.Writer, format Format, rows []Traffic, timing bool) error {
	if _, err := parse("format", format, OrderFormats); err != nil {
		return err
	}
	out := &writer{w: w}
	switch format {
	case JSON:
		for i := range rows {
			line, err := json.Marshal(rows[i].line(timing))
			if err != nil {
				return err
			}
			out.printf("%s\n", line)
		}
	case CSV:
		g := grid{head: trafficHead}
		if timing {
			g.head = append(slices.Clone(g.head), "seconds")
		}
		for i := range rows {
			line := rows[i].line(timing)
			g.rows = append(g.rows, line.cells())
		}
		writeGrids(out, CSV, g)
	default:
		writeGrids(out, format, trafficGrid(rows, timing))
	}
	return out.err
}

func trafficGrid(rows []Traffic, timing bool) grid {
	g := grid{left: 1, fixed: 3, head: []string{"graph", "load", "capacity"}, note: trafficLegend}
	var ways []string
	for i := range rows {
		if !slices.Contains(ways, rows[i].Way) {
			ways = append(ways, rows[i].Way)
		}
	}
	g.head = append(g.head, ways...)
	if timing {
		g.head = append(g.head, "seconds")
	}
	for len(rows) > 0 {
		first := &rows[0]
		n := 1
		for n < len(rows) && rows[n].Graph == first.Graph && rows[n].Capacity == first.Capacity && rows[n].Way != first.Way {
			n++
		}
		line, seconds := []string{first.Graph, itoa(first.Load), itoa(first.Capacity)}, 0.0
		for _, way := range ways {
			cell := ""
			for k := range rows[:n] {
				if rows[k].Way == way {
					cell = rows[k].cell()
					seconds += rows[k].Seconds
				}
			}
			line = append(line, cell)
		}
		if timing {
			line = append(line, inSeconds(seconds))
		}
		g.rows, rows = append(g.rows, line), rows[n:]
	}
	return g
}
