package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"memplan/ilp"
	"memplan/model"
	"memplan/results"
)

// solverFlags are the flags of every verb that plans.
type solverFlags struct {
	time    durationValue
	rounds  int
	threads int
	seed    int64

	formulation formulationValue

	flags *pflag.FlagSet // that these are among
}

func (o *solverFlags) add(f *pflag.FlagSet, limit string, threads int) {
	o.flags = f
	_ = o.time.Set(limit) // a constant of the caller
	f.Var(&o.time, "time-limit", "for one planner on one arena: 10s, 500ms, none")
	f.Var(count(&o.rounds, 0), "rounds", "of the exact planner: a limit that gives the same in every run; 0 is none")
	o.threads = threads
	f.Var(count(&o.threads, 0), "threads", "for one planner; 0 is one a processor")
	f.Var(&o.formulation, "formulation", "of the planner ilp: csum, csum-peak, tight, raw")
	among(f, "formulation", "csum", "csum-peak", "tight", "raw")
	if f.Lookup("planner") != nil {
		among(f, "planner", plannerNames()...)
	}
	f.Int64Var(&o.seed, "seed", 0, "of planners that draw")
}

// plannerNames are the names of all planners.
func plannerNames() (names []string) {
	for _, c := range results.Planners(results.Settings{}) {
		names = append(names, c.Planner.Name())
	}
	return names
}

// apply is an error where a flag was given that means nothing to any of the
// planners named.
func (o *solverFlags) apply(planners []string) error {
	if o.flags.Changed("formulation") && !slices.Contains(planners, "ilp") && !slices.Contains(planners, "all") {
		return fail(exitUsage, "--formulation is of the planner ilp, which is not asked for")
	}
	return nil
}

func (o *solverFlags) settings(watch func(model.Point)) results.Settings {
	return results.Settings{Threads: o.threads, Seed: o.seed, Limit: time.Duration(o.time), Rounds: o.rounds,
		Formulation: ilp.Formulation(o.formulation), Watch: watch}
}

func (o *solverFlags) choose(name string, watch func(model.Point)) (results.Choice, error) {
	return results.Find(name, o.settings(watch))
}

// formulationValue is a flag that takes a formulation of the integer program.
type formulationValue ilp.Formulation

func (v *formulationValue) String() string { return ilp.Formulation(*v).String() }
func (v *formulationValue) Type() string   { return "name" }

func (v *formulationValue) Set(text string) error {
	f, known := ilp.ParseFormulation(text)
	if !known {
		return fmt.Errorf("%q: want csum, csum-peak, tight or raw", text)
	}
	*v = formulationValue(f)
	return nil
}
