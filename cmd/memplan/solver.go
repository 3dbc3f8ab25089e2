package main

import (
	"time"

	"github.com/spf13/pflag"

	"memplan/model"
	"memplan/results"
)

// solverFlags are the flags of every verb that plans.
type solverFlags struct {
	time    durationValue
	rounds  int
	threads int
	seed    int64
}

func (o *solverFlags) add(f *pflag.FlagSet, limit string, threads int) {
	_ = o.time.Set(limit) // a constant of the caller
	f.Var(&o.time, "time-limit", "for one planner on one arena: 10s, 500ms, none")
	f.IntVar(&o.rounds, "rounds", 0, "of the exact planner: a limit that gives the same in every run; 0 is none")
	f.IntVar(&o.threads, "threads", threads, "for one planner; 0 is one a processor")
	f.Int64Var(&o.seed, "seed", 0, "of planners that draw")
}

func (o *solverFlags) settings(watch func(model.Point)) results.Settings {
	return results.Settings{Threads: o.threads, Seed: o.seed, Limit: time.Duration(o.time), Rounds: o.rounds, Watch: watch}
}

func (o *solverFlags) choose(name string, watch func(model.Point)) (results.Choice, error) {
	return results.Find(name, o.settings(watch))
}
