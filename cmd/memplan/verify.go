package main

import (
	"errors"

	"memplan/model"
	"memplan/verify"
	"memplan/verify/copies"
)

func verifyVerb(e *env, args []string) error {
	var o lowerFlags
	var capacity bytesValue
	f := e.flags()
	f.Var(&capacity, "capacity", "bytes that the plan may take; 0 is none, and overrides FILE's")
	certificate := f.String("certificate", "", "also check this proof that no plan takes less; with --of, also that nothing less is moved")
	optimal := f.Bool("require-optimal", false, "exit 3 when neither the certificate nor the load proves the plan optimal")
	records := f.String("records", "", "check every plan that bench --plans kept, by the records of this file")
	of := f.String("of", "", "also check that FILE is this graph, with copies from one memory into another")
	o.add(f)
	files, err := e.parse(f, args, 0, 2)
	if err != nil {
		return err
	}
	switch {
	case *records != "" && (len(files) > 0 || f.NFlag() > 1):
		return fail(exitUsage, "--records names all there is to check: nothing else may stand beside it")
	case *records != "":
		return e.verifyRecords(*records)
	case len(files) == 0:
		return fail(exitUsage, "usage: memplan %s", e.cmd.usage())
	}
	if len(files) == 1 {
		for _, name := range append([]string{"certificate", "require-optimal", "overlap"}, graphFlags...) {
			if f.Changed(name) {
				return fail(exitUsage, "--%s is for FILE and PLAN; of a model alone the plan in it is checked", name)
			}
		}
		return e.verifyInside(files[0], capacity, o.kernels)
	}
	src, err := e.load(files[0], o)
	if err != nil {
		return err
	}
	plans, err := src.readPlan(e, files[1])
	if err != nil {
		return err
	}
	if err := (&planFlags{capacity: capacity}).setCapacity(src); err != nil {
		return err
	}
	if err := src.holds(files[1], plans); err != nil {
		return err
	}
	fitted := fitting{src: src}
	if *of != "" {
		if fitted.before, err = e.verifyCopies(*of, files[0], src, o); err != nil {
			return err
		}
	}
	switch {
	case *certificate != "":
		return e.verifyCertificates(*certificate, fitted, plans, *optimal)
	case *optimal:
		return atLoad(files[1], src.task.Arenas, plans)
	}
	return nil
}

// atLoad is an error where a plan's peak is above the load, and so not proven
// optimal by itself.
func atLoad(file string, arenas []*model.Instance, plans []model.Plan) error {
	for k, in := range arenas {
		if peak, load := plans[k].Peak(in), in.Load(); peak > load {
			return fail(exitLimit, "%s: the peak is %d, the load %d: nothing proves the plan optimal; --certificate names a proof", file, peak, load)
		}
	}
	return nil
}

// holds checks the plans of a source's arenas, read from a file.
func (s *source) holds(file string, plans []model.Plan) error {
	var faults []error
	for i, in := range s.task.Arenas {
		faults = append(faults, verify.Plan(in, plans[i]))
	}
	if err := errors.Join(faults...); err != nil {
		return fail(exitNo, "%s does not hold:\n%w", file, err)
	}
	return nil
}

// verifyCopies checks that a graph does what the one of another file does, which it
// returns.
func (e *env) verifyCopies(of, file string, src *source, o lowerFlags) (*source, error) {
	before, err := e.load(of, o)
	if err != nil {
		return nil, err
	}
	if src.graph == nil || before.graph == nil {
		return nil, fail(exitUsage, "--of compares two graphs: %s and %s are not both", of, file)
	}
	if err := copies.Check(before.graph.Graph, src.graph.Graph); err != nil {
		return nil, fail(exitNo, "%s does not do what %s does:\n%w", file, of, err)
	}
	return before, nil
}
