package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"memplan/heuristics"
	"memplan/model/tflite"
	"memplan/verify"
)

// A planInside is what a check of the plan in a file found.
type planInside struct {
	head   int64
	shared []string // bytes that are shared on purpose
	fault  error    // what is wrong with it besides
}

var errNoPlan = errors.New("the model holds no plan: memplan tflm writes one")

// inside checks the plan that a file holds. Overlaps between tensors that are
// known to share bytes on purpose are no faults.
func inside(ctx context.Context, f *tflite.File, a *tflite.Arena) (planInside, error) {
	offsets, err := f.Plan()
	if err != nil {
		return planInside{}, err
	}
	if offsets == nil {
		return planInside{}, errNoPlan
	}
	layout, err := a.Layout(ctx, heuristics.TFLMGreedy{}, offsets)
	if err != nil {
		return planInside{}, err
	}
	shared, notes := a.Shared(layout)
	return planInside{a.Head(layout), notes, verify.Plan(shared, layout)}, nil
}

// verifyInside checks the plan that a model holds.
func (e *env) verifyInside(path string, capacity bytesValue) error {
	data, err := e.read(path)
	if err != nil {
		return err
	}
	if foreignOf(data) != nil {
		return e.verifyForeign(path, capacity)
	}
	if kindOf(path, data) != kindTFLite {
		return fail(exitUsage, "usage: memplan %s; only a .tflite model or a compiler's dump can hold its plan itself", e.cmd.usage())
	}
	f, err := tflite.Read(data)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	a, err := f.Arena(tflite.Options{})
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	in, err := inside(e.ctx, f, a)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if capacity.bytes > 0 && in.head > capacity.bytes {
		in.fault = errors.Join(in.fault, fmt.Errorf("the head is %d bytes, the capacity %d", in.head, capacity.bytes))
	}
	if in.fault != nil {
		return fail(exitNo, "%s: its plan does not hold:\n%w", path, in.fault)
	}
	return e.write("", func(w io.Writer) error {
		fmt.Fprintf(w, "%-11s  %d bytes\n", "head", in.head)
		for _, bytes := range in.shared {
			fmt.Fprintf(w, "%-11s  %s\n", "shared", bytes)
		}
		return nil
	})
}
