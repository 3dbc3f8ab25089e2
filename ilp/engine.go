package ilp

import (
	"context"
	"runtime"

	"memplan/model"
)

// An Engine climbs with formulation Csum in slices of counted work, for races.
// Exact; its bounds beyond the load are the solver's word. An instance with pairs
// is one program, whatever the formulation: see sharing.
//
// A slice that ends in the middle of a solver's run leaves the run waiting; the
// next slice goes on with it, so nothing is done twice. The work is counted in
// the solver's iterations, so with one thread the same slices give the same
// findings. A waiting run ends when the engine is closed or forgotten.
type Engine struct {
	Instance *model.Instance
	Solver   Solver
	Threads  int // of the solver; 0 = 1; only 1 repeats exactly

	form    Formulation
	started bool
	over    bool
	turns   chan turn
	reports chan report
	cancel  context.CancelFunc
}

// Name is "ilp".
func (e *Engine) Name() string { return "ilp" }

// maxBuffers is where an engine declines: windows of so large an instance
// take longer to cut out than they are worth.
const maxBuffers = 50_000

// Run implements model.Engine. An engine whose ctx has ended is done.
func (e *Engine) Run(ctx context.Context, known model.Result, work int64) (model.Finding, error) {
	if e.over || ctx.Err() != nil || len(e.Instance.Buffers) > maxBuffers {
		e.Close()
		return model.Finding{Done: true}, nil
	}
	if !e.started {
		e.start(ctx)
	}
	stop := context.AfterFunc(ctx, e.cancel)
	defer stop()
	e.turns <- turn{known, work}
	r := <-e.reports
	e.over = r.found.Done
	return r.found, r.err
}

// Close ends a run that waits. A closed engine is done.
func (e *Engine) Close() {
	e.over = true
	if e.cancel != nil {
		e.cancel()
	}
}

// start begins the climb, which outlives the slice but not the deadline.
func (e *Engine) start(ctx context.Context) {
	e.started = true
	e.turns, e.reports = make(chan turn, 1), make(chan report, 1)
	background, cancel := context.WithCancel(context.Background())
	if end, ok := ctx.Deadline(); ok {
		background, cancel = context.WithDeadline(context.Background(), end)
	}
	e.cancel = cancel
	runtime.AddCleanup(e, func(cancel context.CancelFunc) { cancel() }, cancel)
	go climbInTurns(background, e.Instance, e.Solver, e.form, e.Threads, e.turns, e.reports)
}

func climbInTurns(ctx context.Context, in *model.Instance, s Solver, f Formulation, threads int, turns <-chan turn, reports chan<- report) {
	var news model.Finding
	err := func() (failed error) {
		defer model.Recover(&failed)
		books := ledger{ctx: ctx, turns: turns, reports: reports, peak: model.MaxBytes}
		if len(in.Pairs) > 0 {
			c := &climb{ledger: books, in: in, solver: s, threads: threads}
			c.wait(in)
			failed = c.share(ctx)
			news = c.news
			return failed
		}
		c := newClimb(in, s, f, threads)
		c.ledger = books
		c.wait(in)
		failed = c.run(ctx)
		news = c.news
		return failed
	}()
	news.Done = true
	reports <- report{news, err}
}
