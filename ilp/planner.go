package ilp

import (
	"context"
	"errors"
	"fmt"
	"math"

	"memplan/model"
)

// A Planner plans by mixed-integer programming.
//
// Exact: given time it ends with a plan and a bound that meet, unless the
// numbers are too large for the solver to be believed: then it gives the best
// plan and the bound that it can vouch for. Bounds beyond the load are the
// solver's word, and marked so, unless the prover proves what the solver says.
// Plans are stacked in integers and checked.
type Planner struct {
	Solver      Solver        // there is no default
	Start       model.Planner // gives the first plan; nil: none
	Formulation Formulation
	Threads     int               // of the solver; 0 = 1. With more, the optimum is the same, but the plan may be another
	Watch       func(model.Point) // told of every improvement; may be nil

	// Prover makes an engine that is asked, for a little, whether the bound that
	// the solver vouches for can be proven without its word; nil: there is none.
	Prover func(in *model.Instance) model.Engine
}

// proverWork is the units of a microsecond that the prover has.
const proverWork = 1 << 18

// Name is "ilp".
func (p Planner) Name() string { return "ilp" }

// Plan implements model.Planner. When the solver fails or claims what is false,
// it returns an error, the best plan, and no bound but the load: its word is
// worth nothing any more.
func (p Planner) Plan(ctx context.Context, in *model.Instance) (model.Result, error) {
	if p.Solver == nil {
		return model.Result{}, errors.New("ilp: there is no solver")
	}
	inc := model.NewIncumbent(in, p.Watch)
	step, load := in.LoadStep()
	proven := &model.Certificate{Proof: model.ProofLoad, Bound: load, Step: step}
	inc.Raise(proven, "load", 0)
	if c := in.RoundedLoad(); c != nil {
		inc.Raise(c, "rounded", 0)
	}
	var stats model.Stats
	if p.Start != nil {
		first, err := p.Start.Plan(ctx, in)
		if err != nil {
			return model.Result{}, fmt.Errorf("ilp: %s: %w", p.Start.Name(), err)
		}
		stats.Placements = first.Stats.Placements
		if first.Plan != nil {
			inc.Offer(*first.Plan, p.Start.Name(), stats.Placements)
		}
	}
	e := &Engine{Instance: in, Solver: p.Solver, Threads: p.Threads, form: p.Formulation}
	defer e.Close()
	var failed error
	for f := (model.Finding{}); !f.Done && failed == nil && inc.Result().Status(in) != model.Optimal; {
		f, failed = e.Run(ctx, inc.Result(), math.MaxInt64/2)
		stats.Nodes += f.Stats.Nodes
		if f.Plan != nil {
			inc.Offer(*f.Plan, p.Name(), stats.Nodes)
		}
		if f.Certificate != nil {
			inc.Raise(f.Certificate, p.Name(), stats.Nodes)
		}
	}
	if failed == nil {
		failed = p.prove(ctx, in, inc)
	}
	res := inc.Result()
	if failed != nil {
		res.Bound, res.Certificate = load, proven
	}
	stats.Trace, res.Stats = res.Stats.Trace, stats
	return res, failed
}

// prove has the bound that rests on the solver's word proven. A plan below it
// is one that the solver denied.
func (p Planner) prove(ctx context.Context, in *model.Instance, inc *model.Incumbent) error {
	known := inc.Result()
	if p.Prover == nil || known.Certificate.Proof != model.ProofMIP {
		return nil
	}
	known.Bound--
	f, err := p.Prover(in).Run(ctx, known, proverWork)
	if err != nil {
		return nil // the solver's word stands, for what it is
	}
	if f.Plan != nil {
		inc.Offer(*f.Plan, "prover", f.Work)
	}
	if peak := inc.Peak(); peak <= known.Bound {
		return denied(known.Bound+1, peak)
	}
	if f.Certificate != nil && !inc.Raise(f.Certificate, "prover", f.Work) {
		inc.Vouch(f.Certificate)
	}
	return nil
}
