package command

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"memplan/model"
	"memplan/model/csv"
	"memplan/verify"
)

// patience is how long a program that was killed may keep its output open.
const patience = time.Second

// A run is a program under way.
type run struct {
	ctx   context.Context
	in    *model.Instance
	title string
	began time.Time
	load  int64 // of in

	cmd             *exec.Cmd
	token           string        // in the environment of all its processes
	to, out, errors *os.File      // our ends of its pipes
	said            said          // what it wrote to standard error
	ended           chan struct{} // closed when its first process has ended and all others are killed
	exit            error         // of its first process

	unguard func() // ends what watches over this program

	tooLarge atomic.Bool // it was killed for the memory that it took
	begun    bool        // a table was begun when the reading ended
	result   model.Result
}

// wait waits for the program's first process, and ends the others with it.
func (r *run) wait() {
	r.exit = r.cmd.Wait()
	r.kill()
	_ = r.out.SetReadDeadline(time.Now().Add(patience)) // what escaped may hold the pipe
	close(r.ended)
}

// watch ends the program when its time is up, or its memory.
func (r *run) watch(memory int64) {
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-r.ended:
			return
		case <-r.ctx.Done():
			r.kill()
			return
		case <-look.C:
			if memory > 0 && r.memory() > memory {
				r.tooLarge.Store(true)
				r.kill()
				return
			}
		}
	}
}

// end kills what is left of the program and waits for it.
func (r *run) end() {
	select {
	case <-r.ended:
	default:
		r.kill()
		<-r.ended
	}
	r.unguard()
	r.closePipes()
}

// kill ends all processes of the program.
func (r *run) kill() {
	killGroup(r.cmd.Process)
	for range 50 { // a program that forks as fast as it can
		list := holders(r.token)
		if len(list) == 0 {
			return
		}
		for _, pid := range list {
			if p, err := os.FindProcess(pid); err == nil {
				_ = p.Kill() // it may have ended
			}
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// memory is what all processes of the program take, in bytes.
func (r *run) memory() (sum int64) {
	for _, pid := range holders(r.token) {
		sum += resident(pid)
	}
	return sum
}

// read reads plans until the output ends, and keeps the best. The error is about
// what was written.
func (r *run) read() error {
	lines := bufio.NewScanner(r.out)
	most := r.longest()
	lines.Buffer(make([]byte, 1<<16), most)
	var table bytes.Buffer
	at := time.Duration(-1) // that the program gives
	plans := 0
	take := func() error {
		if table.Len() == 0 {
			return nil
		}
		plans++
		defer table.Reset()
		arrived := time.Since(r.began)
		if at < 0 || at > arrived {
			at = arrived
		}
		err := r.take(table.Bytes(), at, plans)
		at = -1
		return err
	}
	for lines.Scan() {
		line := bytes.TrimRight(lines.Bytes(), "\r")
		switch text := strings.TrimSpace(string(line)); {
		case text == "":
			if err := take(); err != nil {
				return err
			}
		case strings.HasPrefix(text, "#"):
			if given, ok := timeIn(text); ok {
				at = given
			}
		case table.Len()+len(line) > most:
			return fmt.Errorf("it wrote more than %d bytes for one plan", most)
		default:
			table.Write(line)
			table.WriteByte('\n')
		}
	}
	r.begun = table.Len() > 0
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("it wrote more than %d bytes on one line", most)
	case r.ctx.Err() != nil || r.tooLarge.Load() || err != nil:
		return nil // what was being written when it was killed is no plan
	}
	<-r.ended
	if r.exit != nil {
		return nil // nor what it was writing when it failed; Plan says that it did
	}
	return take()
}

// longest is how many bytes a table of a plan may have.
func (r *run) longest() int {
	most := 1 << 16
	for i := range r.in.Buffers {
		most += 2*len(r.in.Buffers[i].ID) + 200
	}
	return most
}

// timeIn is the time that a comment gives: "# time 0.25".
func timeIn(comment string) (time.Duration, bool) {
	text, found := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(comment, "#")), "time ")
	seconds, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if !found || err != nil || !(seconds >= 0 && seconds < 1e9) {
		return 0, false
	}
	return time.Duration(seconds * float64(time.Second)), true
}

// take verifies a plan, and keeps it where it is the best.
func (r *run) take(table []byte, at time.Duration, number int) error {
	name := fmt.Sprintf("plan %d", number)
	plan, _, err := csv.ReadPlan(bytes.NewReader(table), name, r.in)
	if err != nil {
		return errors.New(first(err))
	}
	if err := verify.Plan(r.in, plan); err != nil {
		return fmt.Errorf("%s does not hold: %s", name, first(err))
	}
	peak := plan.Peak(r.in)
	if r.result.Plan != nil && peak >= r.result.Plan.Peak(r.in) {
		return nil
	}
	r.result.Plan = &plan
	r.result.Stats.Trace = append(r.result.Stats.Trace, model.Point{Elapsed: at, Work: int64(number), Peak: peak, Bound: r.load, Source: r.title})
	return nil
}

// first is the first line of an error, and how many more there are.
func first(err error) string {
	line, more, several := strings.Cut(err.Error(), "\n")
	if !several {
		return line
	}
	return fmt.Sprintf("%s; and %d more", line, 1+strings.Count(more, "\n"))
}
