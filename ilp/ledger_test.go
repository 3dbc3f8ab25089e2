package ilp

import (
	"context"
	"errors"
	"testing"

	"memplan/model"
)

// caller is a solver that calls back with a solution, and stops.
type caller struct{}

func (caller) Version() string { return "caller" }
func (caller) Solve(_ context.Context, _ *Program, o Options) (Outcome, error) {
	o.Watch(Progress{Values: []float64{}})
	return Outcome{Verdict: Stopped}, nil
}

// A panic in what the solver calls back does not pass through the solver.
func TestCallBackPanics(t *testing.T) {
	c := climb{in: &model.Instance{}, solver: caller{}, ledger: ledger{ctx: context.Background(), left: 1 << 20}}
	l := &layout{Program: Program{Columns: make([]Column, 1)}}
	spoilt := func(values []float64) error { return errors.New(string(rune(values[5]))) }
	_, err := c.solve(context.Background(), l, Options{}, question{found: spoilt, moot: func() bool { return false }})
	var bug *model.Panic
	if !errors.As(err, &bug) {
		t.Errorf("%v", err)
	}
}
