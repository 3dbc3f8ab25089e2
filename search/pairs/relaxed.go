package pairs

import (
	"context"

	"memplan/model"
)

// A Relaxed lends an engine for plain instances: its bounds of the relaxed
// instance are bounds whatever is shared.
type Relaxed struct{ engine model.Engine }

// NewRelaxed gives the relaxed instance to a new engine.
func NewRelaxed(in *model.Instance, engine func(*model.Instance) model.Engine) Relaxed {
	return Relaxed{engine(in.Relaxed())}
}

// Name is the engine's.
func (r Relaxed) Name() string { return r.engine.Name() }

// Run implements model.Engine. Every plan of the instance is one of the relaxed
// instance; of those that the engine finds nothing is said.
func (r Relaxed) Run(ctx context.Context, known model.Result, work int64) (model.Finding, error) {
	f, err := r.engine.Run(ctx, known, work)
	f.Plan = nil
	return f, err
}

// A Merged lends an engine for plain instances: it looks for plans of the
// instance in which all equal pairs are merged that can be together.
type Merged struct {
	merged *model.Merged
	engine model.Engine
	best   model.Result // of the merged instance
}

// NewMerged gives the merged instance to a new engine.
func NewMerged(in *model.Instance, engine func(*model.Instance) model.Engine) *Merged {
	m := in.Merge(model.TakeAll)
	return &Merged{merged: m, engine: engine(m.Instance)}
}

// Name is the engine's.
func (m *Merged) Name() string { return m.engine.Name() }

// Run implements model.Engine. The engine hears of the bound and of its own plans.
func (m *Merged) Run(ctx context.Context, known model.Result, work int64) (model.Finding, error) {
	m.best.Bound, m.best.Certificate = known.Bound, known.Certificate
	f, err := m.engine.Run(ctx, m.best, work)
	f.Bound, f.Certificate = 0, nil
	if f.Plan != nil {
		m.best.Plan = f.Plan
		plan := m.merged.Lift(*f.Plan)
		f.Plan = &plan
	}
	return f, err
}
