//go:build unix

package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"memplan/model"
)

// pair is two buffers that conflict, pinned, tied or aligned in nothing.
func pair() *model.Instance {
	return &model.Instance{Name: "pair", Buffers: []model.Buffer{
		{ID: "a", Life: model.Interval{Start: 0, End: 2}, Size: 3, Align: 1}, {ID: "b", Life: model.Interval{Start: 1, End: 3}, Size: 5, Align: 1}}}
}

// shell runs a script of the shell as a planner, for at most a time, or until it
// interrupts itself.
func shell(t *testing.T, script string, limit time.Duration, memory int64) (model.Result, error) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), limit)
	defer stop()
	folder := t.TempDir()
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(filepath.Join(folder, "interrupted")); err == nil {
				stop()
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	return Planner{Title: "mine", Argv: []string{"sh", "-c", script}, Dir: folder, Seed: 7, Memory: memory}.Plan(ctx, pair())
}

const (
	good      = `printf 'id,offset\na,0\nb,3\n'; `
	interrupt = `touch interrupted; ` // the context of shell ends
)

// What a program may write, and what comes of it.
func TestPlans(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		peak   int64
		points int
	}{
		"one":              {good, 8, 1},
		"another column":   {`printf 'size,id,offset\n3,a,0\n5,b,3\n'`, 8, 1},
		"ends of Windows":  {`printf 'id,offset\r\na,0\r\nb,3\r\n\r\n'`, 8, 1},
		"better and worse": {`printf '\n\nid,offset\na,0\nb,13\n\nid,offset\na,5\nb,0\n\n# it is good\nid,offset\na,0\nb,4\n\n'`, 8, 2},
		"reads the table":  {`test "$(cat)" = "$(printf 'id,lower,upper,size\na,0,2,3\nb,1,3,5')" && ` + good, 8, 1},
		"its seed":         {`test "$MEMPLAN_SEED" = 7 && test -n "$MEMPLAN_SECONDS" && ` + good, 8, 1},
		"talks":            {`yes mine | head -c 100000 >&2; ` + good, 8, 1},
		"hangs after it":   {good + `echo; ` + interrupt + `exec sleep 1000`, 8, 1},
		"closes its end":   {good + `exec >&-; sleep 0.1`, 8, 1},
		"leaves a child":   {good + `sleep 1000 & exit 0`, 8, 1},
	} {
		res, err := shell(t, c.script, time.Minute, 0)
		if err != nil || res.Plan == nil || res.Plan.Peak(pair()) != c.peak || len(res.Stats.Trace) != c.points {
			t.Errorf("%s: %v, %+v", name, err, res)
		}
	}
}

// A time that the program gives counts, unless the plan was not there yet.
func TestTimes(t *testing.T) {
	res, err := shell(t, `printf '# time 0.000001\nid,offset\na,0\nb,13\n\n# time 100000\nid,offset\na,0\nb,3\n\n'`, time.Minute, 0)
	if err != nil || len(res.Stats.Trace) != 2 || res.Stats.Trace[0].Elapsed != time.Microsecond || res.Stats.Trace[1].Elapsed > time.Minute {
		t.Errorf("%v, %+v", err, res.Stats.Trace)
	}
}

// Whatever else a program does is an error that says what, and none of its plans
// counts.
func TestFailures(t *testing.T) {
	for name, c := range map[string]struct{ script, says string }{
		"nothing":        {`true`, "wrote no plan"},
		"fails":          {good + `echo; echo what a pity >&2; exit 3`, "exit status 3: what a pity"},
		"crashes":        {good + `echo; kill -SEGV $$`, "segmentation fault"},
		"lies":           {`printf 'id,offset\na,0\nb,2\n'`, "plan 1 does not hold"},
		"lies later":     {good + `printf '\nid,offset\na,0\nb,2\n\n'; sleep 1000`, "plan 2 does not hold"},
		"another size":   {`printf 'id,size,offset\na,1,0\nb,5,1\n'`, "plan 1:2:"},
		"a missing row":  {`printf 'id,offset\na,0\n'`, "no row"},
		"below 0":        {`printf 'id,offset\na,-3\nb,0\n'`, "plan 1"},
		"beyond int64":   {`printf 'id,offset\na,9223372036854775807\nb,0\n'`, "plan 1"},
		"talks":          {`echo loading; echo; ` + good, "plan 1:1: no column"},
		"floods":         {`yes id,offset`, "bytes for one plan"},
		"floods a line":  {`yes | tr -d '\n'`, "bytes on one line"},
		"floods plans":   {`while :; do printf 'id,offset\na,0\nb,2\n\n'; done`, "plan 1 does not hold"},
		"only errors":    {`yes pity | head -c 3000000 >&2; exit 1`, "exit status 1: pity"},
		"hangs":          {`exec sleep 1000`, "no plan within its limit"},
		"hangs in one":   {`printf 'id,offset\na,0\n'; exec sleep 1000`, "no plan within its limit"},
		"does not die":   {`trap '' TERM INT HUP; while :; do :; done`, "no plan within its limit"},
		"forks children": {`for k in 1 2 3 4; do (sleep 1000 & sleep 1000) & done; wait`, "no plan within its limit"},
	} {
		limit := time.Minute
		if strings.Contains(c.says, "limit") {
			limit = 300 * time.Millisecond
		}
		res, err := shell(t, c.script, limit, 0)
		if err == nil || res.Plan != nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, %+v; want %q", name, err, res.Plan, c.says)
		}
	}
	for _, argv := range [][]string{nil, {"no-such-program-here"}, {"./nor-here"}} {
		if _, err := (Planner{Title: "mine", Argv: argv}).Plan(t.Context(), pair()); err == nil {
			t.Errorf("%v: no error", argv)
		}
	}
}

// A program that takes more memory than it may is ended, its children counted.
func TestMemory(t *testing.T) {
	if _, err := os.Stat("/proc/self/statm"); err != nil {
		t.Skip("NOT TESTED: the system does not say what processes take")
	}
	hog := `awk 'BEGIN { s = "0123456789"; for (;;) { s = s s; if (length(s) > 40000000) { while (1) k++ } } }'`
	for _, script := range []string{hog, hog + " & " + hog + " & wait"} {
		if _, err := shell(t, script, time.Minute, 30<<20); err == nil || !strings.Contains(err.Error(), "more than 31457280 bytes of memory") {
			t.Errorf("%s: %v", script, err)
		}
	}
	if _, err := shell(t, good, time.Minute, 1<<30); err != nil {
		t.Error(err)
	}
}

// Nothing is left running: not a child in the background, not one of another
// session, not one whose parents have all ended.
func TestNothingIsLeft(t *testing.T) {
	folder := t.TempDir()
	pids := filepath.Join(folder, "pids")
	note := fmt.Sprintf(`echo $$ >> %s; exec sleep 1000`, pids)
	begun := fmt.Sprintf(`until test -s %s; do sleep 0.01; done; `, pids)
	for _, script := range []string{
		`sh -c '` + note + `' & sh -c '` + note + `' & ` + begun + interrupt + `wait`,
		`(sh -c '` + note + `' &) ; ` + begun + good,
		`setsid sh -c '` + note + `' & ` + begun + good,
		`setsid sh -c '(setsid sh -c "` + note + `" &) ; exit' ; ` + begun + `exit 1`,
	} {
		_ = os.Remove(pids)
		_, _ = shell(t, script, time.Minute, 0)
		text, err := os.ReadFile(pids)
		list := strings.Fields(string(text))
		if err != nil || len(list) == 0 {
			t.Fatalf("%s: no process was begun: %v", script, err)
		}
		for _, field := range list {
			pid, _ := strconv.Atoi(field)
			for k := 0; alive(pid); k++ {
				if k == 6000 { // a minute: the machine may be busy
					t.Errorf("%s: process %d is left", script, pid)
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
		}
	}
}

// alive reports whether a process runs.
func alive(pid int) bool { return syscall.Kill(pid, 0) == nil && !ended(pid) }

// An interrupt ends a program as its limit does, and is no failure of its.
func TestInterrupt(t *testing.T) {
	res, err := shell(t, good+"echo; "+interrupt+"exec sleep 1000", time.Hour, 0)
	if err != nil || res.Plan == nil {
		t.Errorf("%v, %+v", err, res)
	}
}
