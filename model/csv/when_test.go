package csv

import (
	"strings"
	"testing"

	"memplan/model"
)

// Whatever is not right about clocks and arms is said, with the line.
func TestWhenFaults(t *testing.T) {
	for table, fault := range map[string]string{
		"id,lower,upper,size\na,0:0,1:0,8\nb,0:0,0:0:1,8\n":                       "clocks of 2 and 3 components, where the first buffer's have 2",
		"id,lower,upper,size\na,0:0,1:0,8\nb,0,1,8\n":                             "clocks of 1 and 1 components, where the first buffer's have 2",
		"id,lower,upper,size\na,0,1,8\nb,0:0,1:0,8\n":                             "clocks of 2 and 2 components, where the first buffer's have 1",
		"id,lower,upper,size\na,0:0,1:0,8\nb,0:1,1:0,8\n":                         "it ends before it begins",
		"id,lower,upper,size\na,0:0,1:0,8\nb,0:1,0:1,8\n":                         "its lifetime is empty",
		"id,lower,upper,size\na,0:0,1:0,8\nb,0:x,0:1,8\n":                         `"x" is not an integer`,
		"id,lower,end,size\na,0:0,1:0,8\nb,0:0,0:1,8\n":                           "clocks need a column upper",
		"id,lower,upper,size,gaps\na,0:0,1:0,8,\nb,0:0,0:9,8,2-3\n":               "gaps are steps of one schedule",
		"id,lower,upper,size,exclusive\na,0,1,8,g=x\nb,0,1,8,g\n":                 "is not GROUP=ARM",
		"id,lower,upper,size,exclusive\na,0,1,8,g=x\nb,0,1,8,g=x g=y\n":           `group "g" twice`,
		"id,lower,upper,size,exclusive\na,0,1,8,g=x\nb,5,5,8,\n":                  "is empty",
		"id,lower,upper,size,exclusive,over\na,0,2,8,g=x,\nb,1,3,8,,a+4\n":        "a lead: that takes steps of one schedule",
		"id,lower,upper,size,exclusive,offset\na,0,1,8,g=x,0\nb,0,1,8,g=x,4\n":    "pinned onto",
		"id,lower,upper,size,exclusive,tie\na,0,1,8,g=x,\nb,0,1,8,g=x,a+4\n":      "tied so that it overlaps",
		"id,lower,upper,size\na,0:0,1:0,8\nb,0:0,0:1,9223372036854775807\n":       "do not fit in int64",
		"id,lower,upper,size\na,0:0,1:0,8\nb,0:0,0:9223372036854775808,8\n":       "does not fit in int64",
		"id,lower,upper,size,exclusive\n" + strings.Repeat("a,0,1,8,g=x\n", 8193): "8193 buffers, some with clocks or in arms: more than 8192",
	} {
		_, err := Read(strings.NewReader(table), "in.csv")
		if err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("%.80s: %v, want %q", table, err, fault)
		}
	}
}

// What excludes each other may be pinned and tied to the same bytes.
func TestExclusivePins(t *testing.T) {
	for _, table := range []string{
		"id,lower,upper,size,exclusive,offset\na,0,1,8,g=x,0\nb,0,1,8,g=y,4\nc,0,1,8,g=x h=1,8\n",
		"id,lower,upper,size,exclusive,tie\na,0,1,8,g=x,\nb,0,1,8,g=y,a+4\n",
	} {
		if _, err := Read(strings.NewReader(table), "in.csv"); err != nil {
			t.Errorf("%v\n%s", err, table)
		}
	}
}

// The arms of a conditional come one after another, without gaps, where nothing but
// what lives across it is live in several.
func TestArmsWithoutGaps(t *testing.T) {
	d, err := Read(strings.NewReader("id,lower,upper,size,exclusive\nx,0,8,3,\np,0,2,1,\na,2,5,4,if=then\nb,4,7,5,if=then\nc,2,4,6,if=else\nd,3,6,7,if=else\ny,7,9,2,\n"), "in.csv")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range d.Instance.Buffers {
		if len(b.Gaps) > 0 {
			t.Errorf("%s: %v without %v", b.ID, b.Life, b.Gaps)
		}
	}
	if load := d.Instance.Load(); load != 16 {
		t.Errorf("load %d, want 16: x, c and d", load)
	}
}

// A plan is held to the lives of its own table, however they are told.
func TestPlanOfClocks(t *testing.T) {
	const table = "id,lower,upper,size\na,0:0,1:0,8\nb,0:0,0:1,8\nc,1:0,2:0,8\n"
	d, err := Read(strings.NewReader(table), "in.csv")
	if err != nil {
		t.Fatal(err)
	}
	var lowered strings.Builder
	if err := Write(&lowered, d.Instance, &model.Plan{Offsets: []int64{0, 8, 0}}, nil); err != nil {
		t.Fatal(err)
	}
	for plan, fault := range map[string]string{
		"id,offset\na,0\nb,8\nc,0\n": "",
		lowered.String():             "",
		"id,lower,upper,size,offset\nb,0:0,0:1,8,8\nc,1:0,2:0,8,0\na,0:0,1:0,8,0\n": "",
		"id,lower,upper,size,offset\na,0:0,2:0,8,0\nb,0:0,0:1,8,8\nc,1:0,2:0,8,0\n": "lives together with others",
		"id,lower,upper,size,offset\na,0,2,8,0\nb,0,1,8,8\nc,1:0,2:0,8,0\n":         "upper 2, where the instance has 1",
	} {
		_, _, err := ReadPlan(strings.NewReader(plan), "plan.csv", d.Instance)
		if (err == nil) != (fault == "") || err != nil && !strings.Contains(err.Error(), fault) {
			t.Errorf("%v, want %q\n%s", err, fault, plan)
		}
	}
}
