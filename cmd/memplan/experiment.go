package main

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"

	"memplan/model/json"
	"memplan/results"
)

// experiment fills a run from the experiment's file.
func (e *env) experiment(run *results.Bench, o *benchFlags) error {
	data, err := e.read(o.experiment)
	if err != nil {
		return err
	}
	x, err := results.ReadExperiment(bytes.NewReader(data), o.experiment)
	if err != nil {
		return err
	}
	names := make([]string, len(x.Instances))
	for k, name := range x.Instances {
		names[k] = name
		if path := filepath.Join(filepath.Dir(o.experiment), name); !filepath.IsAbs(name) {
			if _, err := os.Stat(path); err == nil {
				names[k] = path
			}
		}
	}
	if run.Cases, err = e.contested(names, o); err != nil {
		return err
	}
	run.Choices, err = entrants(x, o)
	return err
}

// entrants are the planners of an experiment: each with its parameters, and
// with each seed where it draws. What the file does not say the flags do.
func entrants(x *json.Experiment, o *benchFlags) ([]results.Choice, error) {
	planners := x.Planners
	if len(planners) == 0 {
		for _, name := range append(results.Heuristics(), "exact") {
			planners = append(planners, json.Entrant{Name: name})
		}
	}
	seeds := x.Seeds
	if len(seeds) == 0 {
		seeds = []int64{o.solver.seed}
	}
	var list []results.Choice
	for _, p := range planners {
		for k, seed := range seeds {
			s := o.solver.settings(nil)
			s.Seed = seed
			s.Limit = p.TimeLimit.Or(x.TimeLimit.Or(s.Limit))
			s.Rounds = cmp.Or(int(p.Rounds), int(x.Rounds), s.Rounds)
			s.Threads = cmp.Or(int(p.Threads), s.Threads)
			if p.Command != nil {
				if k == 0 || p.Draws {
					list = append(list, results.Program(&p, filepath.Dir(o.experiment), s))
				}
				continue
			}
			more, err := chosen([]string{p.Name}, s)
			if err != nil {
				return nil, err
			}
			for _, c := range more {
				if k == 0 || c.Draws {
					list = append(list, c)
				}
			}
		}
	}
	return list, nil
}
