package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"memplan/corpus"
)

// A client of serve, in the process.
type client struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	code chan int
}

// message is all that serve may say.
type message struct {
	ID       *int64 `json:"id"`
	Exit     int    `json:"exit"`
	Out, Err string
	Offsets  *int
	Progress *point
}

func serving(t *testing.T) *client {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{t, inW, bufio.NewReader(outR), make(chan int, 1)}
	go func() {
		code := run(context.Background(), inR, outW, io.Discard, []string{"serve"})
		outW.Close()
		c.code <- code
	}()
	t.Cleanup(func() {
		inW.Close()
		go io.Copy(io.Discard, outR)
		<-c.code
	})
	return c
}

func (c *client) send(r request, columns ...[]int64) {
	c.t.Helper()
	line, err := json.Marshal(r)
	if err != nil {
		c.t.Error(err)
	}
	line = append(line, '\n')
	for _, column := range columns {
		for _, v := range column {
			line = binary.LittleEndian.AppendUint64(line, uint64(v))
		}
	}
	if _, err := c.in.Write(line); err != nil {
		c.t.Error(err)
	}
}

func (c *client) receive() (m message, offsets []int64) {
	c.t.Helper()
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	if err := json.Unmarshal(line, &m); err != nil {
		c.t.Fatalf("%v: %s", err, line)
	}
	if m.Offsets != nil {
		if offsets, err = readNumbers(c.out, int64(*m.Offsets)); err != nil {
			c.t.Fatal(err)
		}
	}
	return m, offsets
}

// What a command says is what its request is answered.
func TestServeAnswersLikeTheCommand(t *testing.T) {
	const seven = "id,lower,upper,size\nb0,0,1,2\nb1,0,2,2\nb2,1,3,1\nb3,1,4,1\nb4,2,4,1\nb5,3,5,2\nb6,4,5,2\n"
	c := serving(t)
	for k, args := range [][]string{
		{"plan", "-"}, {"plan", "-", "--format", "json"}, {"plan", "-", "--capacity", "4"}, {"plan", "-", "--planner", "nobody"},
		{"stat", "-", "--format", "json"}, {"bench", "-", "--planner", "breadth,exact", "--format", "csv"}, {"corpus", "six-fits"}, {"nothing"}, {},
	} {
		code, out, says := callWith(context.Background(), seven, args...)
		c.send(request{ID: int64(k), Args: args, In: seven})
		if m, _ := c.receive(); m.ID == nil || *m.ID != int64(k) || m.Exit != code || m.Out != out || m.Err != says {
			t.Errorf("%q: %+v, the command says %d %q %q", args, m, code, out, says)
		}
	}
	c.send(request{ID: 99, Args: []string{"verify", "seven.csv", "plan.csv"}, Files: map[string]string{"seven.csv": seven, "plan.csv": "id,offset\nb0,0\nb1,0\nb2,0\nb3,0\nb4,0\nb5,0\nb6,0\n"}})
	if m, _ := c.receive(); m.Exit != exitNo || !strings.Contains(m.Err, `buffers "b0" at [0,2) and "b1" at [0,2) overlap`) {
		t.Errorf("a plan that overlaps: %+v", m)
	}
	c.send(request{End: true})
	if code := <-c.code; code != exitDone {
		t.Errorf("exit %d", code)
	}
	c.code <- exitDone
}

// Buffers as arrays give the plan of the same buffers as a table.
func TestServeTakesArrays(t *testing.T) {
	c := serving(t)
	in, err := corpus.Generate("uniform-3000-60-1")
	if err != nil {
		t.Fatal(err)
	}
	var lower, upper, size []int64
	table := "id,lower,upper,size\n"
	for i, b := range in.Buffers {
		lower, upper, size = append(lower, b.Life.Start), append(upper, b.Life.End), append(size, b.Size)
		table += fmt.Sprintf("%d,%d,%d,%d\n", i, b.Life.Start, b.Life.End, b.Size)
	}
	args := []string{"plan", "-", "--planner", "first-fit-decreasing", "--format", "json"}
	names := []string{"lower", "upper", "size"}
	c.send(request{ID: 1, Args: args, Count: int64(len(size)), Columns: names}, lower, upper, size)
	m, offsets := c.receive()
	_, text, _ := callWith(context.Background(), table, args...)
	var want struct {
		Peak    int64
		Offsets map[string]int64
	}
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		t.Fatal(err)
	}
	if len(offsets) != len(size) || !strings.Contains(m.Out, fmt.Sprintf(`"peak":%d,`, want.Peak)) {
		t.Fatalf("%d offsets, %+v, want a peak of %d", len(offsets), m, want.Peak)
	}
	for i, at := range offsets {
		if at != want.Offsets[fmt.Sprint(i)] {
			t.Fatalf("buffer %d at %d, want %d", i, at, want.Offsets[fmt.Sprint(i)])
		}
	}
	verify := request{ID: 2, Args: []string{"verify", "-", "-"}, Count: int64(len(size)), Columns: append(names, "plan")}
	c.send(verify, lower, upper, size, offsets)
	if m, _ := c.receive(); m.Exit != exitDone {
		t.Errorf("the plan does not hold: %+v", m)
	}
	c.send(verify, lower, upper, size, make([]int64, len(size)))
	if m, _ := c.receive(); m.Exit != exitNo {
		t.Errorf("all at 0: %+v", m)
	}
	c.send(request{ID: 3, Args: []string{"plan", "-"}, Count: 2, Columns: names, Name: "pair", IDs: []string{"left", "left"}}, []int64{0, 0}, []int64{1, 0}, []int64{8, -8})
	if m, _ := c.receive(); m.Exit != exitUsage || !strings.Contains(m.Err, `"left"`) || !strings.Contains(m.Err, "size -8") {
		t.Errorf("no names: %+v", m)
	}
	c.send(request{ID: 3, Args: args, Count: 2, IDs: []string{"one"}, Columns: names}, []int64{0, 0}, []int64{1, 1}, []int64{8, 8})
	if m, _ := c.receive(); m.Exit != exitUsage || !strings.Contains(m.Err, "1 ids of 2 buffers") {
		t.Errorf("too few names: %+v", m)
	}
	c.send(request{ID: 3, Args: args, Count: 2, Columns: append(names, "alignment", "offset")},
		[]int64{0, 0}, []int64{1, 1}, []int64{8, 8}, []int64{16, 16}, []int64{-1, 32})
	if m, at := c.receive(); m.Exit != exitDone || !slices.Equal(at, []int64{0, 32}) {
		t.Errorf("pinned: %v, %+v", at, m)
	}
}

// A request that is cancelled is answered at once, with the best plan; others go on.
func TestServeCancels(t *testing.T) {
	c := serving(t)
	c.send(request{ID: 1, Args: []string{"corpus", "always-full-300-1"}})
	m, _ := c.receive()
	hard := m.Out
	if m.Exit != exitDone {
		c.send(request{ID: 1, Args: []string{"corpus", "uniform-400-60-1"}})
		m, _ = c.receive()
		hard = m.Out
	}
	c.send(request{ID: 2, Args: []string{"plan", "-", "--time-limit", "none", "--planner", "anytime", "--format", "json"}, In: hard, Progress: true})
	for m.Progress == nil || m.Progress.Peak == nil {
		m, _ = c.receive()
	}
	if m.Progress.Bound <= 0 {
		t.Errorf("progress %+v", m.Progress)
	}
	go c.send(request{ID: 2, Args: []string{"version"}})
	for m.Progress != nil {
		m, _ = c.receive()
	}
	if m.Exit != exitUsage || !strings.Contains(m.Err, "not answered yet") {
		t.Errorf("the id of a request under way: %+v", m)
	}
	go c.send(request{ID: 2, Cancel: true})
	for m, _ = c.receive(); m.Progress != nil; m, _ = c.receive() {
	}
	if m.Exit != exitLimit || !strings.Contains(m.Out, `"peak":`) || !strings.Contains(m.Err, "interrupted") {
		t.Errorf("cancelled: %+v", m)
	}
	// Closing the input cancels what is left.
	c.send(request{ID: 4, Args: []string{"plan", "-", "--time-limit", "none", "--planner", "anytime"}, In: hard})
	c.in.Close()
	if m, _ := c.receive(); m.ID == nil || *m.ID != 4 || m.Exit != exitLimit {
		t.Errorf("after the input's end: %+v", m)
	}
}

// hostile are requests that are none, and what follows each is answered.
var hostile = []string{
	"", "\n", "{", "[]", "null", `{"id": "x"}`, `{"id": 1e99}`, "\x00\xff", `{"args": 7}`, `{"unknown": 1}`,
	`{"id": 1, "count": 9223372036854775807, "columns": ["lower"]}`, `{"id": 1, "count": -1, "columns": ["lower"]}`,
	`{"id": 1, "count": 268435456}`, `{"id": 1, "count": 0, "columns": ["lower", "lower", "no"]}`,
	`{"id": 1, "args": ["serve"]}`, `{"id": 1, "cancel": true}`, `{"id": 1, "args": ["plan", "-", "-o"]}`, `{"id": 1, "args": ["plan", "/", "/"]}`,
	`{"id": 1, "args": ["plan", "-"], "in": "id,lower,upper,size\na,5,1,-3\n"}`,
}

func TestServeSurvives(t *testing.T) {
	for _, line := range hostile {
		c := serving(t)
		go func() { // beside the reading of what is refused on the way
			if _, err := io.WriteString(c.in, line+"\n"); err == nil {
				c.send(request{ID: 77, Args: []string{"planners"}})
			}
		}()
		for {
			m, _ := c.receive()
			if m.ID != nil && *m.ID == 77 {
				if m.Exit != exitDone {
					t.Errorf("after %q: %+v", line, m)
				}
				break
			}
			if m.Exit == exitDone {
				t.Errorf("%q is answered %+v", line, m)
			}
		}
	}
}

// FuzzServe: whatever is sent, serve ends by itself when the input does. The
// verbs that write files are left out.
func FuzzServe(f *testing.F) {
	for _, line := range hostile {
		f.Add([]byte(line + "\n"))
	}
	f.Add([]byte(`{"id": 1, "args": ["stat", "-"], "count": 1, "columns": ["lower", "upper", "size"]}` + "\n" + strings.Repeat("\x01\x00\x00\x00\x00\x00\x00\x00", 3)))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, verb := range []string{"plan", "verify", "tflm", "iree", "executorch", "lower", "schedules", "bench", "table", "merge", "regress", "import", "plot", "report", "corpus", "adversary", "fit", `\u`} {
			if strings.Contains(string(data), verb) {
				return
			}
		}
		if code := run(context.Background(), strings.NewReader(string(data)), io.Discard, io.Discard, []string{"serve"}); code != exitDone {
			t.Errorf("exit %d", code)
		}
	})
}
