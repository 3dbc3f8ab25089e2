package results

import (
	"context"
	"sync"

	"memplan/model"
)

// Given is a planner whose plans were made elsewhere. They are verified like
// any other's.
type Given struct {
	Label string
	mu    sync.Mutex
	plans map[*model.Instance]model.Plan
}

// Add gives the plan of an instance. Plans may be added while others are asked for.
func (g *Given) Add(in *model.Instance, p model.Plan) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.plans == nil {
		g.plans = make(map[*model.Instance]model.Plan)
	}
	g.plans[in] = p
}

// Name is the label.
func (g *Given) Name() string { return g.Label }

// Plan implements model.Planner: it returns the plan that was added, once.
func (g *Given) Plan(_ context.Context, in *model.Instance) (model.Result, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	p, ok := g.plans[in]
	if !ok {
		return model.Result{}, nil
	}
	delete(g.plans, in)
	return model.Result{Plan: &p}, nil
}
