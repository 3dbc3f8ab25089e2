package sharing

import (
	"context"

	"memplan/model"
)

// Relaxed is an engine of the relaxed instance, of which the bounds count and,
// where they are plans of the instance, the plans.
type Relaxed struct {
	model.Engine
	Instance *model.Instance // with pairs
	relaxed  *model.Instance
}

// NewRelaxed gives the relaxed instance to an engine.
func NewRelaxed(in *model.Instance, engine func(*model.Instance) model.Engine) *Relaxed {
	r := in.Relaxed()
	return &Relaxed{engine(r), in, r}
}

// Run implements model.Engine. A plan of the relaxed instance at the best peak
// known is the end: no bound will be as high. So the engine is told of no plan
// but a bound and a height, by a plan that stands for it.
func (r *Relaxed) Run(ctx context.Context, known model.Result, work int64) (model.Finding, error) {
	f, err := r.Engine.Run(ctx, known, work)
	if f.Plan != nil {
		peak := f.Plan.Peak(r.Instance)
		f.Done = f.Done || peak <= known.Bound
		f.Plan = nil
	}
	return f, err
}
