package csv

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"memplan/model"
)

// Of a million rows none may cost a piece of memory of its own: reading, reading a plan and
// writing allocate a number of times that does not depend on the rows, and no more bytes than
// their results and lists of numbers take: no map by ids.
func TestRowsAllocateNothing(t *testing.T) {
	const rows = 4000
	var table, plan strings.Builder
	table.WriteString("id,lower,upper,size\n")
	plan.WriteString("id,lower,upper,size,offset\n")
	for i := range rows {
		fmt.Fprintf(&table, "b%d,%d,%d,%d\n", i, i, i+9, i%7+1)
		fmt.Fprintf(&plan, "b%d,%d,%d,%d,%d\n", i, i, i+9, i%7+1, 8*i)
	}
	d, err := Read(strings.NewReader(table.String()), "in.csv")
	if err != nil {
		t.Fatal(err)
	}
	p := &model.Plan{}
	for i := range int64(rows) {
		p.Offsets = append(p.Offsets, 1000*i)
	}
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		what string
		most uint64 // bytes a row
		do   func()
	}{
		{"Read", 220, func() { _, err := Read(strings.NewReader(table.String()), "in.csv"); check(err) }},
		{"ReadPlan", 50, func() { _, _, err := ReadPlan(strings.NewReader(plan.String()), "plan.csv", d.Instance); check(err) }},
		{"Document.Write", 1, func() { check(d.Write(io.Discard, p)) }},
		{"Write", 20, func() { check(Write(io.Discard, d.Instance, p, nil)) }},
	} {
		if n := testing.AllocsPerRun(2, c.do); n > rows/40 {
			t.Errorf("%s allocates %.0f times for %d rows", c.what, n, rows)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c.do()
		runtime.ReadMemStats(&after)
		if bytes := (after.TotalAlloc - before.TotalAlloc) / rows; bytes > c.most {
			t.Errorf("%s allocates %d bytes a row", c.what, bytes)
		}
	}
}

// A plan's rows may be in any order, and each is its own buffer's.
func TestPlanInAnyOrder(t *testing.T) {
	in := &model.Instance{}
	for i := range 5 {
		in.Buffers = append(in.Buffers, model.Buffer{ID: fmt.Sprint("b", i), Life: model.Interval{End: 1}, Size: 1})
	}
	for _, order := range [][]int{{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 3, 4, 0, 1}, {0, 2, 1, 3, 4}} {
		text := "id,offset\n"
		for _, i := range order {
			text += fmt.Sprintf("b%d,%d\n", i, 10+i)
		}
		p, _, err := ReadPlan(strings.NewReader(text), "plan.csv", in)
		if err != nil {
			t.Fatal(err)
		}
		for i, at := range p.Offsets {
			if at != int64(10+i) {
				t.Errorf("rows %v: %v", order, p.Offsets)
			}
		}
		if _, _, err := ReadPlan(strings.NewReader(text+"b3,1\n"), "plan.csv", in); err == nil || !strings.Contains(err.Error(), "row twice") {
			t.Errorf("rows %v and b3 again: %v", order, err)
		}
	}
}
