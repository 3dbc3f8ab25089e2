//go:build !static && (linux || darwin || windows) && (amd64 || arm64)

package highs

import (
	"context"
	"math"
	"slices"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"

	"memplan/ilp"
)

// dataOut and dataIn are lp_data/HighsCallbackStruct.h's, as far as they are
// looked at: from HiGHS and to HiGHS.
type dataOut struct {
	_                 uintptr
	_                 int32
	_                 float64 // seconds
	_, _, _           int32   // iterations of single methods
	_                 float64 // objective
	nodes, iterations int64
	primal, dual, _   float64
	solution          *float64
	solutionSize      int32
}

type dataIn struct{ interrupt int32 }

// A watcher answers the callbacks of one run.
type watcher struct {
	ctx  context.Context
	tell func(ilp.Progress) bool
	seen ilp.Progress
}

func watch(ctx context.Context, tell func(ilp.Progress) bool) *watcher {
	return &watcher{ctx: ctx, tell: tell, seen: ilp.Progress{Primal: math.Inf(1), Dual: math.Inf(-1)}}
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

// watchers are the runs that are under way, by the number that HiGHS is given
// for each: it holds no pointer of Go's.
var watchers struct {
	sync.Mutex
	last uintptr
	of   map[uintptr]*watcher
}

// enter gives w a number until it is left again.
func enter(w *watcher) uintptr {
	watchers.Lock()
	defer watchers.Unlock()
	if watchers.of == nil {
		watchers.of = make(map[uintptr]*watcher)
	}
	watchers.last++
	watchers.of[watchers.last] = w
	return watchers.last
}

func leave(number uintptr) {
	watchers.Lock()
	defer watchers.Unlock()
	delete(watchers.of, number)
}

// called is the one function that HiGHS calls back: there is one for the whole
// process, since such functions are never freed. Windows wants a result.
var called = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(kind int32, _ unsafe.Pointer, out *dataOut, in *dataIn, number uintptr) uintptr {
		watchers.Lock()
		w := watchers.of[number]
		watchers.Unlock()
		now := ilp.Progress{Primal: out.primal, Dual: out.dual, Nodes: out.nodes, Iterations: out.iterations}
		if kind == callbackImprovingSolution && out.solution != nil {
			now.Values = slices.Clone(unsafe.Slice(out.solution, out.solutionSize))
		}
		in.interrupt = 0
		if w == nil || !w.carryOn(now) {
			in.interrupt = 1
		}
		return 0
	})
})
