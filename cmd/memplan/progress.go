package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"memplan/model"
)

// A progress is a line on a terminal that redraws itself; it appears only for
// what takes more than a second, and never anywhere but on a terminal.
type progress struct {
	began time.Time
	stop  chan struct{}
	ended sync.WaitGroup

	mu    sync.Mutex
	shown bool
	line  func() string // what to draw; nil before there is anything to say
}

const (
	progressAfter = time.Second
	progressEvery = 200 * time.Millisecond
)

func (e *env) progress() *progress {
	p := &progress{began: time.Now(), stop: make(chan struct{})}
	if isTerminal(e.err) {
		p.ended.Go(func() { p.run(e.err) })
	}
	return p
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// run draws until the end, and then removes the line.
func (p *progress) run(w io.Writer) {
	wait := time.NewTimer(progressAfter)
	defer wait.Stop()
	for {
		select {
		case <-p.stop:
			if p.shown {
				fmt.Fprint(w, "\r\x1b[K")
			}
			return
		case <-wait.C:
			wait.Reset(progressEvery)
		}
		p.mu.Lock()
		if p.line != nil {
			p.shown = true
			fmt.Fprintf(w, "\r\x1b[K%s", p.line())
		}
		p.mu.Unlock()
	}
}

func (p *progress) say(line func() string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line = line
}

// done removes the line; nothing is drawn after it returns. It may be called
// again.
func (p *progress) done() {
	select {
	case <-p.stop:
	default:
		close(p.stop)
	}
	p.ended.Wait()
}

// elapsed is the time so far, to a tenth of a second: it moves while nothing else
// does.
func (p *progress) elapsed() string { return fmt.Sprintf("%.1f s", time.Since(p.began).Seconds()) }

// count shows how far a run of known length is, with the time left: what is left
// to do takes as long as what is done.
func (p *progress) count(done, total int) {
	whole := time.Duration(float64(time.Since(p.began)) * float64(total) / float64(max(done, 1)))
	p.say(func() string {
		const width = 30
		left := ""
		if rest := (whole - time.Since(p.began)).Round(time.Second); done > 0 && rest > 0 {
			left = fmt.Sprintf(", %v left", rest)
		}
		bar := make([]byte, width)
		for i := range bar {
			bar[i] = '.'
			if i < width*done/max(total, 1) {
				bar[i] = '#'
			}
		}
		return fmt.Sprintf("[%s] %d/%d, %s%s", bar, done, total, p.elapsed(), left)
	})
}

// search shows the state of a search, from its beginning on.
func (p *progress) search(name string) {
	p.say(func() string { return fmt.Sprintf("%s  %s begins", p.elapsed(), name) })
}

// point shows the state of a search that has found something.
func (p *progress) point(at model.Point) {
	p.say(func() string { return fmt.Sprintf("%s  %s", p.elapsed(), describe(at)) })
}

// describe says how far apart best and bound are.
func describe(at model.Point) string {
	if at.Peak == model.MaxBytes {
		return fmt.Sprintf("no plan yet, bound %d", at.Bound)
	}
	gap := "-"
	if at.Bound > 0 {
		gap = fmt.Sprintf("%.2f %%", 100*(float64(at.Peak)/float64(at.Bound)-1))
	}
	return fmt.Sprintf("best %d, bound %d, gap %s (%s)", at.Peak, at.Bound, gap, at.Source)
}
