package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"syscall"

	"memplan/model"
)

// serveVerb answers requests until its input ends or one says so: command lines
// of the program, whose input and output are in the messages. docs/formats.md
// has the protocol. Requests run side by side, each in an environment of its
// own; nothing that one of them holds ends the program.
func serveVerb(e *env, args []string) error {
	f := e.flags()
	jobs := f.Int("jobs", 0, "requests worked on at once, the others wait; 0 is one a processor")
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	if *jobs < 0 {
		return fail(exitUsage, "jobs %d: want 0 or more", *jobs)
	}
	if *jobs == 0 {
		*jobs = runtime.GOMAXPROCS(0)
	}
	ctx, cancel := context.WithCancel(e.ctx)
	s := &server{ctx: ctx, out: bufio.NewWriter(e.out), free: make(chan struct{}, *jobs), running: make(map[int64]context.CancelFunc)}
	ended := make(chan error, 1)
	go func() { ended <- s.read(bufio.NewReaderSize(e.in, 1<<16)) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	if !errors.Is(err, errEnd) { // who closes the input waits for no answer
		cancel()
	}
	s.under.Wait()
	cancel()
	if s.failed != nil {
		return fail(exitInternal, "writing standard output: %w", s.failed)
	}
	return nil
}

// errEnd is the request that all that was asked be answered, and no more.
var errEnd = errors.New("end")

const (
	maxLine    = 1 << 28 // bytes of a request without its columns
	maxWaiting = 1 << 10 // requests that were not answered yet
)

// A request is a line of JSON, followed by its columns where it has any.
type request struct {
	ID       int64             `json:"id"`
	Args     []string          `json:"args"`
	In       string            `json:"in"`       // standard input
	Files    map[string]string `json:"files"`    // read in place of files of these names
	Count    int64             `json:"count"`    // of buffers in each column
	Columns  []string          `json:"columns"`  // 64-bit integers, little-endian, column after column; in place of In
	Name     string            `json:"name"`     // of the instance in the columns
	IDs      []string          `json:"ids"`      // of its buffers
	Progress bool              `json:"progress"` // each improvement is told
	Cancel   bool              `json:"cancel"`   // end the request of this id
	End      bool              `json:"end"`      // answer what was asked, and end
}

// An answer is a line of JSON, followed by the offsets where there are any.
type answer struct {
	ID      *int64 `json:"id"` // null where the request was none
	Exit    int    `json:"exit"`
	Out     string `json:"out"`
	Err     string `json:"err"`
	Offsets *int   `json:"offsets,omitempty"` // how many follow: 64-bit integers, little-endian
}

// An improvement is told on the way.
type improvement struct {
	ID       int64 `json:"id"`
	Progress point `json:"progress"`
}

type point struct {
	Seconds float64 `json:"seconds"`
	Work    int64   `json:"work"`
	Peak    *int64  `json:"peak"` // null before there is a plan
	Bound   int64   `json:"bound"`
	Source  string  `json:"source"`
}

// A server reads requests, and writes each answer in one piece.
type server struct {
	ctx   context.Context
	free  chan struct{} // holds one for each request that is worked on
	under sync.WaitGroup

	mu      sync.Mutex
	out     *bufio.Writer
	failed  error // of the first write that did
	running map[int64]context.CancelFunc
}

// read takes requests until the input ends, nobody reads the answers any more,
// or the end is asked for.
func (s *server) read(in *bufio.Reader) error {
	for {
		line, err := readLine(in)
		if errors.Is(err, errLong) {
			s.refuse(nil, err)
			continue
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if err := s.take(line, in); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
}

var errLong = fmt.Errorf("a request of more than %d bytes", maxLine)

// readLine reads up to the next line feed. A line that is too long is read and
// dropped.
func readLine(in *bufio.Reader) (line []byte, err error) {
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err == nil && long {
			err = errLong
		}
		return line, err
	}
}

// take begins what a request asks for. Its error is the end of the reading.
func (s *server) take(line []byte, in *bufio.Reader) error {
	var r request
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		s.refuse(nil, fmt.Errorf("no request: %w", err))
		return nil
	}
	given, fault := readColumns(in, &r)
	if fault != nil && fault.ends {
		return fault.err
	}
	switch {
	case r.End:
		return errEnd
	case r.Cancel:
		s.mu.Lock()
		if cancel := s.running[r.ID]; cancel != nil {
			cancel()
		}
		s.mu.Unlock()
	case fault != nil:
		s.refuse(&r.ID, fault.err)
	default:
		s.begin(&r, given)
	}
	return s.ctx.Err()
}

func (s *server) begin(r *request, given *columns) {
	ctx, cancel := context.WithCancel(s.ctx)
	s.mu.Lock()
	_, twice := s.running[r.ID]
	many := len(s.running) >= maxWaiting
	if !twice && !many {
		s.running[r.ID] = cancel
		s.under.Add(1)
	}
	s.mu.Unlock()
	if twice || many {
		cancel()
		s.refuse(&r.ID, fmt.Errorf("request %d: one of this id, or %d others, are not answered yet", r.ID, maxWaiting))
		return
	}
	go func() {
		defer s.under.Done()
		s.free <- struct{}{}
		a, offsets := s.answer(ctx, r, given)
		<-s.free
		cancel()
		s.mu.Lock()
		delete(s.running, r.ID)
		s.mu.Unlock()
		s.write(a, offsets)
	}()
}

// answer runs the request's command line as run does, with standard input and
// output in memory.
func (s *server) answer(ctx context.Context, r *request, given *columns) (a *answer, offsets []int64) {
	var out, errOut bytes.Buffer
	a = &answer{ID: &r.ID}
	defer func() {
		if p := recover(); p != nil {
			a.Exit, offsets = exitInternal, nil
			fmt.Fprintf(&errOut, "memplan: panic: %v\n", p)
		}
		a.Out, a.Err = out.String(), errOut.String()
	}()
	if len(r.Args) > 0 && r.Args[0] == "serve" {
		a.Exit = exitUsage
		fmt.Fprintln(&errOut, "memplan: serve answers no request to serve")
		return a, nil
	}
	e := &env{ctx: ctx, in: strings.NewReader(r.In), out: &out, err: &errOut, all: r.Args, files: r.Files, given: given}
	if r.Progress {
		e.watch = func(at model.Point) { s.write(improved(r.ID, at), nil) }
	}
	a.Exit = e.exit(r.Args)
	if given != nil && given.placed != nil {
		n := len(given.placed)
		a.Offsets, offsets = &n, given.placed
	}
	return a, offsets
}

func improved(id int64, at model.Point) *improvement {
	p := point{Seconds: at.Elapsed.Seconds(), Work: at.Work, Bound: at.Bound, Source: at.Source}
	if at.Peak != model.MaxBytes {
		p.Peak = &at.Peak
	}
	return &improvement{id, p}
}

// refuse answers what is no request.
func (s *server) refuse(id *int64, err error) {
	s.write(&answer{ID: id, Exit: exitUsage, Err: fmt.Sprintf("memplan: serve: %v\n", err)}, nil)
}

// write writes a message, whole, and numbers after it.
func (s *server) write(message any, numbers []int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	enc := json.NewEncoder(s.out)
	enc.SetEscapeHTML(false)
	err := errors.Join(enc.Encode(message), writeNumbers(s.out, numbers), s.out.Flush())
	if s.failed == nil && err != nil && !errors.Is(err, io.ErrClosedPipe) && !errors.Is(err, syscall.EPIPE) { // who asked may be gone
		s.failed = err
	}
}
