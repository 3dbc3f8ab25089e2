//go:build cgo

package highs

/*
#cgo CFLAGS: -std=c11 -I${SRCDIR}/../../.deps/highs/highsbox/highs_dist/include/highs
#cgo LDFLAGS: -L${SRCDIR}/../../.deps/highs/highsbox/highs_dist/lib -lhighs
#cgo LDFLAGS: -Wl,-rpath,$ORIGIN/../.deps/highs/highsbox/highs_dist/lib
#cgo LDFLAGS: -Wl,-rpath,${SRCDIR}/../../.deps/highs/highsbox/highs_dist/lib
#include "bridge.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/cgo"
	"time"
	"unsafe"

	"memplan/ilp"
)

// Available reports whether the program was built with HiGHS.
const Available = true

// Version names the solver: "HiGHS 1.15.1".
func (Solver) Version() string { return "HiGHS " + C.GoString(C.bridge_version()) }

// patience is how long a run that was called off may take to notice. HiGHS
// looks between nodes and between cuts, not within a relaxation, and has been
// seen not to come back at all from one with numbers beyond 1e9.
const patience = 2 * time.Second

// Solve implements ilp.Solver. Each run has an operating-system thread of its
// own: HiGHS keeps its workers, and their number, by thread. A run that does
// not notice the end of ctx is left behind, and its result is lost.
func (Solver) Solve(ctx context.Context, p *ilp.Program, o ilp.Options) (ilp.Outcome, error) {
	if ctx.Err() != nil {
		return ilp.Outcome{Dual: math.Inf(-1)}, nil
	}
	if o.Start != nil && len(o.Start) != len(p.Columns) {
		return ilp.Outcome{}, fmt.Errorf("highs: a start of %d values for %d columns", len(o.Start), len(p.Columns))
	}
	type answer struct {
		out ilp.Outcome
		err error
	}
	done := make(chan answer, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		out, err := solve(ctx, p, o)
		done <- answer{out, err}
	}()
	var late <-chan time.Time
	for over := ctx.Done(); ; {
		select {
		case a := <-done:
			return a.out, a.err
		case <-over:
			over, late = nil, time.After(patience)
		case <-late:
			return ilp.Outcome{Dual: math.Inf(-1)}, nil
		}
	}
}

func solve(ctx context.Context, p *ilp.Program, o ilp.Options) (out ilp.Outcome, err error) {
	seconds := -1.0
	if end, ok := ctx.Deadline(); ok { // a little later, so that ctx ends first
		seconds = max(0, time.Until(end).Seconds()) + 0.1
	}
	h := C.bridge_create(C.int(max(1, o.Threads)), C.double(o.Gap), C.double(seconds), C.int64_t(o.Nodes))
	if h == nil {
		return out, errors.New("highs: it refuses its options")
	}
	defer C.bridge_destroy(h)
	if !load(h, p) {
		return out, errors.New("highs: it refuses the program")
	}
	if o.Start != nil {
		values := make([]C.double, len(o.Start))
		for k, v := range o.Start {
			values[k] = C.double(v)
		}
		if C.bridge_start(h, &values[0]) == 0 {
			return out, errors.New("highs: it refuses the start")
		}
	}
	w := cgo.NewHandle(&watcher{ctx: ctx, tell: o.Watch, seen: ilp.Progress{Primal: math.Inf(1), Dual: math.Inf(-1)}})
	defer w.Delete()
	var c C.bridge_outcome
	if C.bridge_run(h, C.uintptr_t(w), &c) == 0 {
		return out, errors.New("highs: the run failed")
	}
	return read(h, len(p.Columns), &c)
}

// load passes the program on, row by row. HiGHS checks it, but not for
// coefficients that are no numbers.
func load(h unsafe.Pointer, p *ilp.Program) bool {
	n, m := len(p.Columns), len(p.Rows)
	cost, lower, upper, integer := make([]C.double, n), make([]C.double, n), make([]C.double, n), make([]C.int, n)
	for k, c := range p.Columns {
		cost[k], lower[k], upper[k] = C.double(c.Cost), C.double(c.Lower), C.double(c.Upper)
		if c.Integer {
			integer[k] = 1
		}
	}
	least, most, start := make([]C.double, m), make([]C.double, m), make([]C.int, m)
	var index []C.int
	var value []C.double
	for k, r := range p.Rows {
		least[k], most[k], start[k] = C.double(r.Lower), C.double(r.Upper), C.int(len(index))
		for _, t := range r.Terms {
			if math.IsNaN(t.Coef) {
				return false
			}
			index, value = append(index, C.int(t.Column)), append(value, C.double(t.Coef))
		}
	}
	if n == 0 || len(index) > math.MaxInt32 {
		return false
	}
	return C.bridge_load(h, C.int(n), C.int(m), C.int(len(index)),
		first(cost), first(lower), first(upper), first(integer),
		first(least), first(most), first(start), first(index), first(value)) != 0
}

// first is where C finds the elements of s; nil when there are none.
func first[T any](s []T) *T {
	if len(s) == 0 {
		return nil
	}
	return &s[0]
}

func read(h unsafe.Pointer, columns int, c *C.bridge_outcome) (ilp.Outcome, error) {
	out := ilp.Outcome{
		Objective: float64(c.objective), Dual: float64(c.dual),
		Nodes: max(0, int64(c.nodes)), Iterations: max(0, int64(c.iterations)),
	}
	switch c.verdict {
	case C.BRIDGE_SOLVED:
		out.Verdict = ilp.Solved
	case C.BRIDGE_INFEASIBLE:
		out.Verdict = ilp.Infeasible
	case C.BRIDGE_STOPPED:
		out.Verdict = ilp.Stopped
	default:
		return out, fmt.Errorf("highs: the run ended with model status %d", c.status)
	}
	if c.feasible != 0 {
		values := make([]C.double, columns)
		if C.bridge_values(h, &values[0]) == 0 {
			return out, errors.New("highs: it does not give its solution")
		}
		out.Values = floats(values)
	}
	return out, nil
}

// A watcher answers the callbacks of one run.
type watcher struct {
	ctx  context.Context
	tell func(ilp.Progress) bool
	seen ilp.Progress
}

//export bridgeWatch
func bridgeWatch(w C.uintptr_t, primal, dual C.double, nodes, iterations C.int64_t, values *C.double, columns C.int) C.int {
	now := ilp.Progress{Primal: float64(primal), Dual: float64(dual), Nodes: int64(nodes), Iterations: int64(iterations)}
	if values != nil {
		now.Values = floats(unsafe.Slice(values, columns))
	}
	if cgo.Handle(w).Value().(*watcher).carryOn(now) {
		return 0
	}
	return 1
}

func floats(from []C.double) []float64 {
	to := make([]float64, len(from))
	for k, v := range from {
		to[k] = float64(v)
	}
	return to
}

// carryOn passes on what improves: callbacks from inside a sub-problem carry
// that sub-problem's figures.
func (w *watcher) carryOn(now ilp.Progress) bool {
	w.seen.Primal = min(w.seen.Primal, now.Primal)
	w.seen.Dual = max(w.seen.Dual, now.Dual)
	w.seen.Nodes = max(w.seen.Nodes, now.Nodes)
	w.seen.Iterations = max(w.seen.Iterations, now.Iterations)
	w.seen.Values = now.Values
	return w.ctx.Err() == nil && (w.tell == nil || w.tell(w.seen))
}
