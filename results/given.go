package results

import (
	"context"
	"sync"
	"time"

	"memplan/model"
)

// Given is a planner whose results were made elsewhere, or earlier. They are
// verified like any other's.
type Given struct {
	Label   string
	mu      sync.Mutex
	results map[*model.Instance]given
}

type given struct {
	model.Result
	took time.Duration
}

// Add gives the result of an instance, and what it took where that is known.
// Results may be added while others are asked for.
func (g *Given) Add(in *model.Instance, res model.Result, took time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.results == nil {
		g.results = make(map[*model.Instance]given)
	}
	g.results[in] = given{res, took}
}

// Name is the label.
func (g *Given) Name() string { return g.Label }

// Plan implements model.Planner: it returns the result that was added.
func (g *Given) Plan(_ context.Context, in *model.Instance) (model.Result, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.results[in].Result, nil
}

// took is what a result took when it was made, and forgets the result.
func (g *Given) took(in *model.Instance) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	defer delete(g.results, in)
	return g.results[in].took
}
