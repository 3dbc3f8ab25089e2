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
	head    int64
	shared  []string // bytes that are shared on purpose
	kernels string   // with which that is right; "" where it does not depend on them
	fault   error    // what is wrong with it besides
}

var errNoPlan = errors.New("the model holds no plan: memplan tflm writes one")

// inside checks the plan that a file holds. Overlaps between tensors that are
// known to share bytes on purpose are no faults: those that kernels allow must
// be declared beside the plan. named: whoever asks named the kernels, and those
// that the file names do not count.
func inside(ctx context.Context, f *tflite.File, opt tflite.Options, named bool) (planInside, error) {
	offsets, err := f.Plan()
	if err != nil {
		return planInside{}, err
	}
	if offsets == nil {
		return planInside{}, errNoPlan
	}
	d, err := f.Declaration()
	if err != nil {
		return planInside{}, err
	}
	opt.Overlap, opt.Only = d != nil || named, nil
	if d != nil {
		opt.Only = d.Overlaps
		if !named {
			opt.Kernels = d.Kernels
		}
	}
	a, err := f.Arena(opt)
	if err != nil {
		return planInside{}, err
	}
	layout, err := a.Layout(ctx, heuristics.TFLMGreedy{}, offsets)
	if err != nil {
		return planInside{}, err
	}
	shared, notes := a.Shared(layout)
	in := planInside{head: a.Head(layout), shared: notes, fault: verify.Plan(shared, layout)}
	if len(a.Overlaps(layout)) > 0 {
		in.kernels = opt.Kernels.String()
	}
	switch {
	case in.fault == nil:
	case d == nil && !named:
		in.fault = fmt.Errorf("%w\nthe file names no kernels that would let outputs lie over inputs", in.fault)
	default:
		in.fault = fmt.Errorf("with the kernels %s: %w", opt.Kernels, in.fault)
	}
	return in, nil
}

// verifyInside checks the plan that a model holds.
func (e *env) verifyInside(path string, capacity bytesValue, named string) error {
	data, err := e.read(path)
	if err != nil {
		return err
	}
	if named != "" && kindOf(path, data) != kindTFLite {
		return fail(exitUsage, "--kernels means nothing to %s, which is no .tflite model", path)
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
	var opt tflite.Options
	if opt.Kernels, err = library(named, false); err != nil {
		return err
	}
	in, err := inside(e.ctx, f, opt, named != "")
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
		if in.kernels != "" {
			fmt.Fprintf(w, "%-11s  %s: with others the answers are wrong\n", "kernels", in.kernels)
		}
		for _, bytes := range in.shared {
			fmt.Fprintf(w, "%-11s  %s\n", "shared", bytes)
		}
		return nil
	})
}
