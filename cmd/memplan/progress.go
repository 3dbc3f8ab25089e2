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
	mu    sync.Mutex
	w     io.Writer // nil where there is no terminal
	began time.Time
	drawn time.Time
	shown bool
}

const (
	progressAfter = time.Second
	progressEvery = 100 * time.Millisecond
)

func (e *env) progress() *progress {
	p := &progress{began: time.Now()}
	if isTerminal(e.err) {
		p.w = e.err
	}
	return p
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func (p *progress) draw(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.w == nil || now.Sub(p.began) < progressAfter || now.Sub(p.drawn) < progressEvery {
		return
	}
	p.drawn, p.shown = now, true
	fmt.Fprintf(p.w, "\r\x1b[K%s", line)
}

// done removes the line.
func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	p.w = nil
}

// count shows how far a run of known length is, with the time left.
func (p *progress) count(done, total int) {
	const width = 30
	took := time.Since(p.began)
	left := time.Duration(float64(took) * float64(total-done) / float64(max(done, 1))).Round(time.Second)
	bar := make([]byte, width)
	for i := range bar {
		bar[i] = '.'
		if i < width*done/max(total, 1) {
			bar[i] = '#'
		}
	}
	p.draw(fmt.Sprintf("[%s] %d/%d, %v left", bar, done, total, left))
}

// point shows the state of a search.
func (p *progress) point(at model.Point) {
	p.draw(fmt.Sprintf("%v  %s", at.Elapsed.Round(time.Second), describe(at)))
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
