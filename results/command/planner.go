package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"memplan/model"
	"memplan/model/csv"
)

// A Planner is a program that plans; see the package's comment. It implements
// model.Planner.
type Planner struct {
	Title  string
	Argv   []string // the program, found as a shell finds it, or from Dir; and its arguments
	Dir    string   // that it runs in; "" is the current one
	Seed   int64
	Memory int64 // bytes that all its processes together may take; 0: any
}

// Name is the title.
func (p Planner) Name() string { return p.Title }

// Plan runs the program until it ends, or ctx does: then its best plan counts.
func (p Planner) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	var table bytes.Buffer
	if err := csv.Write(&table, in, nil, nil); err != nil {
		return model.Result{}, err
	}
	free := *in
	free.Capacity = 0 // a plan above it is one all the same
	r := &run{ctx: ctx, in: &free, title: p.Title, began: time.Now(), load: in.Load()}
	if err := r.start(p, table.Bytes()); err != nil {
		return model.Result{}, err
	}
	err := r.read()
	r.end()
	switch {
	case err != nil:
	case r.tooLarge.Load():
		err = fmt.Errorf("it took more than %d bytes of memory", p.Memory)
	case ctx.Err() != nil && r.result.Plan == nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = errors.New("it wrote no plan within its limit")
		if r.begun {
			err = fmt.Errorf("%w: the table that it began has no empty line after it", err)
		}
	case ctx.Err() != nil:
	case r.exit != nil:
		err = fmt.Errorf("it failed: %w%s", r.exit, r.said.last())
	case r.result.Plan == nil:
		err = fmt.Errorf("it wrote no plan%s", r.said.last())
	}
	if err != nil {
		return model.Result{}, err
	}
	return r.result, nil
}

// start starts the program, with the table as its input.
func (r *run) start(p Planner, table []byte) error {
	if len(p.Argv) == 0 {
		return errors.New("its command is empty")
	}
	path := p.Argv[0]
	if strings.ContainsRune(path, filepath.Separator) && !filepath.IsAbs(path) {
		path = filepath.Join(p.Dir, path)
		if full, err := filepath.Abs(path); err == nil {
			path = full
		}
	}
	r.token = token()
	r.cmd = exec.Command(path, p.Argv[1:]...)
	r.cmd.Dir = p.Dir
	r.cmd.Env = append(os.Environ(), r.token, "MEMPLAN_SEED="+strconv.FormatInt(p.Seed, 10), "MEMPLAN_SECONDS="+seconds(r.ctx))
	inGroup(r.cmd)
	theirs, err := r.pipes()
	if err == nil {
		err = r.cmd.Start()
	}
	for _, f := range theirs {
		f.Close()
	}
	if err != nil {
		r.closePipes()
		return err
	}
	r.ended, r.unguard = make(chan struct{}), guard(r.cmd.Process)
	go func() {
		_, _ = r.to.Write(table) // it need not read it
		r.to.Close()
	}()
	go func() { _, _ = io.Copy(&r.said, r.errors) }()
	go r.wait()
	go r.watch(p.Memory)
	return nil
}

// pipes makes the pipes to the program and from it, and returns its ends of them.
// They are no business of Cmd's, which would wait for whoever holds one.
func (r *run) pipes() (theirs []*os.File, err error) {
	for _, pipe := range []struct {
		ours  **os.File
		set   func(*os.File)
		reads bool // the program does
	}{
		{&r.to, func(f *os.File) { r.cmd.Stdin = f }, true},
		{&r.out, func(f *os.File) { r.cmd.Stdout = f }, false},
		{&r.errors, func(f *os.File) { r.cmd.Stderr = f }, false},
	} {
		from, to, err := os.Pipe()
		if err != nil {
			return theirs, err
		}
		if pipe.reads {
			from, to = to, from
		}
		*pipe.ours = from
		pipe.set(to)
		theirs = append(theirs, to)
	}
	return theirs, nil
}

func (r *run) closePipes() {
	for _, f := range []*os.File{r.to, r.out, r.errors} {
		if f != nil {
			f.Close() // twice does no harm
		}
	}
}

// seconds is the time that is left, "" where there is no limit.
func seconds(ctx context.Context) string {
	at, limited := ctx.Deadline()
	if !limited {
		return ""
	}
	return strconv.FormatFloat(max(time.Until(at).Seconds(), 0), 'f', 3, 64)
}

// said keeps the end of what a program writes to standard error.
type said struct {
	mu   sync.Mutex
	tail []byte
}

// maxSaid is how much of it is kept, in bytes.
const maxSaid = 1 << 10

// Write implements io.Writer.
func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tail = append(s.tail, p[max(0, len(p)-maxSaid):]...)
	s.tail = append([]byte{}, s.tail[max(0, len(s.tail)-maxSaid):]...)
	return len(p), nil
}

// last is the last line that was written, to be put behind an error.
func (s *said) last() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := strings.TrimSpace(strings.ToValidUTF8(string(s.tail), "?"))
	if text == "" {
		return ""
	}
	return ": " + text[strings.LastIndexByte(text, '\n')+1:]
}
