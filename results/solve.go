package results

import (
	"context"
	"errors"
	"fmt"

	"memplan/model"
	"memplan/model/json"
	"memplan/verify"
)

// A Task is what one row of a table is about.
type Task struct {
	Name, Family string
	Arenas       []*model.Instance // one; or one a memory space
	Spaces       []string          // ids of the spaces, where there are several
	Weights      *int64            // bytes of the read-only region; nil where there is no graph
	Granularity  int64             // that sizes were rounded up to, in bytes; 0: none
	Waste        int64             // bytes that rounding added, of all buffers together
	Reserved     []int             // of each arena: how many of its last buffers only keep addresses free; nil: none

	facts *facts                             // found when first asked for
	full  map[*model.Instance][]model.Buffer // of arenas, with all that keeps addresses free; nil where there is nothing of it
}

// facts are what a task's records repeat. A task is worked on by one goroutine.
type facts struct {
	hash     string
	hardness Hardness
}

func (t *Task) known() *facts {
	if t.facts == nil {
		t.facts = &facts{hash: Hash(t.Arenas)}
		for _, in := range t.Arenas {
			t.facts.hardness.add(in.Hardness())
		}
	}
	return t.facts
}

// An Outcome is what one planner made of a task.
type Outcome struct {
	Results []model.Result // one an arena
	Record  Record
	Err     error // why the job could not be done; also in Record
}

// run plans every arena of a task, as it is, and records the outcome.
func run(ctx context.Context, t *Task, c Choice) Outcome {
	watch := &stopwatch{Planner: c.Planner}
	c.Planner = watch
	out := Outcome{Record: Record{
		Plan:   json.Plan{Schema: 1, Instance: t.Name, Planner: c.Planner.Name(), Weights: t.Weights},
		Family: t.Family, Granularity: t.Granularity, Waste: t.Waste, Seed: c.Seed, Params: c.Params,
	}}
	loads := make([]int64, len(t.Arenas))
	for k, in := range t.Arenas {
		res, load, err := solveWithin(ctx, c, in)
		loads[k] = load
		out.Results = append(out.Results, res)
		if err != nil && out.Err == nil {
			out.Err = fmt.Errorf("%s: %w", in.Name, err)
			out.Record.Error = err.Error()
		}
	}
	r := &out.Record
	if t.Weights == nil { // of a graph none of the tensors is
		for _, in := range t.Arenas {
			r.Pinned += in.Pinned()
		}
	}
	for k := range t.Reserved { // a bound may count what is reserved, the load does not
		if t.Reserved[k] > 0 {
			loads[k] = t.Tensors(k).Load()
		}
	}
	r.fill(t.Arenas, loads, out.Results)
	for _, n := range t.Reserved {
		r.Buffers -= n
	}
	r.Interrupted = ctx.Err() != nil
	r.Nanoseconds = watch.spent.Nanoseconds()
	if len(t.Arenas) == 1 {
		r.Trace = trace(out.Results[0].Stats.Trace)
	} else {
		r.Spaces = spaces(t, loads, out.Results)
	}
	return out
}

func solveWithin(ctx context.Context, c Choice, in *model.Instance) (res model.Result, load int64, err error) {
	if c.Limit >= 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, c.Limit)
		defer stop()
	}
	if err := in.Validate(); err != nil {
		return model.Result{}, 0, err
	}
	step, load := in.LoadStep()
	res, err = solve(ctx, c.Planner, in, step, load)
	return res, load, err
}

// Solve runs one planner on one arena and believes nothing: the instance is
// validated, the plan verified, the certificate checked. A plan that does not
// hold is withheld, a bound that is not shown is replaced by the load, and both
// are errors. The result always has a bound: at least the load,
// also that of the sizes rounded up to a common alignment.
func Solve(ctx context.Context, p model.Planner, in *model.Instance) (model.Result, error) {
	if err := in.Validate(); err != nil {
		return model.Result{}, err
	}
	step, load := in.LoadStep()
	return solve(ctx, p, in, step, load)
}

// solve is Solve for a valid instance whose load is known.
func solve(ctx context.Context, p model.Planner, in *model.Instance, step, load int64) (model.Result, error) {
	least := &model.Certificate{Proof: model.ProofLoad, Bound: load, Step: step}
	if c := in.RoundedLoad(); c != nil && verify.Certificate(in, c) == nil {
		least = c
	}
	certified := func(res model.Result) model.Result {
		res.Bound, res.Certificate, res.Proven = least.Bound, least, least
		return res
	}
	res, err := attempt(ctx, p, in)
	if err == nil && res.Plan != nil {
		if err = verify.Plan(unlimited(in), *res.Plan); err != nil {
			res.Plan = nil
			err = fmt.Errorf("%s made a plan that does not hold: %w", p.Name(), err)
		}
	}
	if err != nil || res.Bound <= least.Bound {
		return certified(res), err
	}
	if err := check(in, &res); err != nil {
		return certified(res), fmt.Errorf("%s claims a bound that does not hold: %w", p.Name(), err)
	}
	if p := res.Proven; p == nil || p != res.Certificate && (p.Bound <= least.Bound || verify.Certificate(in, p) != nil) {
		res.Proven = certified(res).Proven
	}
	return res, nil
}

// check examines a claimed bound: by the checker where there is a proof to
// replay, and against the plan in any case. What it replayed is proven.
func check(in *model.Instance, res *model.Result) error {
	if res.Certificate == nil {
		return fmt.Errorf("the bound is %d, and there is no certificate", res.Bound)
	}
	if res.Certificate.Bound != res.Bound {
		return fmt.Errorf("the bound is %d, its certificate says %d", res.Bound, res.Certificate.Bound)
	}
	if res.Plan != nil {
		if peak := res.Plan.Peak(in); res.Bound > peak {
			return fmt.Errorf("the bound %d is above the peak %d of a plan that holds", res.Bound, peak)
		}
	}
	err := verify.Certificate(in, res.Certificate)
	switch {
	case errors.Is(err, verify.ErrWord):
		return nil // the record says whose word it is
	case err == nil:
		res.Proven = res.Certificate
	}
	return err
}

// attempt turns a planner's panic into an error: one bad row, not the end of a
// night's run.
func attempt(ctx context.Context, p model.Planner, in *model.Instance) (res model.Result, err error) {
	defer model.Recover(&err)
	return p.Plan(ctx, in)
}

// unlimited is in without its capacity: planners minimise, and the capacity is
// compared with the peak afterwards.
func unlimited(in *model.Instance) *model.Instance {
	free := *in
	free.Capacity = 0
	return &free
}

func trace(points []model.Point) []TracePoint {
	out := make([]TracePoint, len(points))
	for i, p := range points {
		out[i] = TracePoint{Nanoseconds: p.Elapsed.Nanoseconds(), Work: p.Work, Bound: p.Bound, Source: p.Source}
		if p.Peak < model.MaxBytes {
			out[i].Peak = &points[i].Peak
		}
	}
	return out
}

func spaces(t *Task, loads []int64, res []model.Result) []json.Space {
	out := make([]json.Space, len(t.Arenas))
	for i, in := range t.Arenas {
		out[i] = json.Space{ID: t.Spaces[i], Capacity: in.Capacity, Load: loads[i], Bound: res[i].Bound, Status: res[i].Status(in).String()}
		if res[i].Plan != nil {
			peak := res[i].Plan.Peak(in)
			out[i].Peak = &peak
		}
	}
	return out
}
