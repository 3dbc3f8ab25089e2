// Package report writes a comparison as one page of HTML that needs nothing
// else: tables that sort and filter, performance profiles, and a viewer of
// plans. The same input gives the same bytes.
package report

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/template"

	"html"

	"memplan/model"
	"memplan/results"
	"memplan/results/picture"
)

//go:embed page.html
var page string

//go:embed page.css
var style string

//go:embed page.js
var script string

// A View is a plan to look at.
type View struct {
	Name, Planner string
	In            *model.Instance
	Of            model.Plan
}

// row and its like are what the page's script reads. Bytes and steps are texts:
// the script's numbers do not hold every int64.
type row struct {
	Name    string    `json:"name"`
	Family  string    `json:"family"`
	Buffers int       `json:"buffers"`
	Load    string    `json:"load"`
	Bound   string    `json:"bound"`
	Best    *string   `json:"best"`
	Proof   string    `json:"proof"`
	Peaks   []*string `json:"peaks"`
}

type plan struct {
	Name     string   `json:"name"`
	Planner  string   `json:"planner"`
	Peak     string   `json:"peak"`
	Load     string   `json:"load"`
	LoadStep int      `json:"loadStep"` // index in Steps
	Steps    []string `json:"steps"`    // births and deaths, in order
	Critical []int    `json:"critical"`
	Buffers  []buffer `json:"buffers"`
}

type buffer struct {
	ID     string    `json:"id"`
	Size   string    `json:"size"`
	Offset string    `json:"offset"`
	Life   [2]string `json:"life"`
	Parts  [][2]int  `json:"parts"` // indexes in the plan's Steps
}

// Write writes the page.
func Write(w io.Writer, title string, c *results.Comparison, views []View) error {
	data := struct {
		Planners []string `json:"planners"`
		Rows     []row    `json:"rows"`
		Plans    []plan   `json:"plans"`
	}{c.Columns, rows(c), make([]plan, len(views))}
	for k := range views {
		data.Plans[k] = views[k].plan()
	}
	text, err := json.Marshal(data) // which also keeps "</script>" out
	if err != nil {
		return err
	}
	t := template.Must(template.New("page").Parse(page))
	return t.Execute(w, map[string]string{
		"Title": html.EscapeString(title), "Style": style, "Script": script, "Data": string(text),
		"Footer": html.EscapeString(footer(c)),
	})
}

// footer says where the records come from.
func footer(c *results.Comparison) string {
	var from []results.Provenance
	for i := range c.Rows {
		for _, r := range c.Rows[i].Cells {
			if r != nil && r.Provenance != nil && !slices.Contains(from, *r.Provenance) {
				from = append(from, *r.Provenance)
			}
		}
	}
	switch len(from) {
	case 0:
		return "memplan"
	case 1:
		p := from[0]
		return fmt.Sprintf("memplan %s, %s, %s, %s: %s", p.Revision, p.Go, p.HiGHS, p.CPU, p.Command)
	}
	return fmt.Sprintf("memplan, records of %d runs", len(from))
}

func itoa(v int64) string { return strconv.FormatInt(v, 10) }

func text(v *int64) *string {
	if v == nil {
		return nil
	}
	t := itoa(*v)
	return &t
}

func rows(c *results.Comparison) []row {
	list := make([]row, len(c.Rows))
	for i := range c.Rows {
		r := &c.Rows[i]
		list[i] = row{r.Title(), r.Family, r.Buffers, itoa(r.Load), itoa(r.Bound), text(r.Best), string(r.Proof), make([]*string, len(r.Cells))}
		for k, cell := range r.Cells {
			if cell != nil {
				list[i].Peaks[k] = text(cell.Peak)
			}
		}
	}
	return list
}

// plan is the view as the script reads it.
func (v *View) plan() plan {
	step, load := v.In.LoadStep()
	var steps []int64
	for i := range v.In.Buffers {
		for part := range v.In.Buffers[i].Live() {
			steps = append(steps, part.Start, part.End)
		}
	}
	slices.Sort(steps)
	steps = slices.Compact(steps)
	index := func(s int64) int {
		k, _ := slices.BinarySearch(steps, s)
		return k
	}
	p := plan{Name: v.Name, Planner: v.Planner, Peak: itoa(v.Of.Peak(v.In)), Load: itoa(load), LoadStep: index(step),
		Steps: make([]string, len(steps)), Critical: append([]int{}, picture.CriticalPath(v.In, v.Of)...), Buffers: make([]buffer, len(v.In.Buffers))}
	for k, s := range steps {
		p.Steps[k] = itoa(s)
	}
	for i := range v.In.Buffers {
		b := &v.In.Buffers[i]
		p.Buffers[i] = buffer{ID: b.ID, Size: itoa(b.Size), Offset: itoa(v.Of.Offsets[i]), Life: [2]string{itoa(b.Life.Start), itoa(b.Life.End)}}
		for part := range b.Live() {
			p.Buffers[i].Parts = append(p.Buffers[i].Parts, [2]int{index(part.Start), index(part.End)})
		}
	}
	return p
}
