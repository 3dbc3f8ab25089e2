package main

import (
	"errors"
	"fmt"
	"io"

	"memplan/corpus/adversary"
	"memplan/model"
	"memplan/model/csv"
	"memplan/results"
)

// adversaryVerb searches for the instance on which a planner is worst.
func adversaryVerb(e *env, args []string) error {
	var size bytesValue
	f := e.flags()
	planner := f.String("planner", "best-fit-decreasing", "that is to do badly")
	rival := f.String("against", "", "measure against this planner's peaks, not against the optimum")
	s := adversary.Search{Buffers: 8, Steps: 6, Tries: 100_000}
	f.Var(count(&s.Buffers, 1), "buffers", "at most so many")
	f.Var(&size, "max-size", "of a buffer, in bytes; 0 is 16")
	f.Var(count(&s.Steps, 1), "steps", "lives are within so many")
	f.Var(count(&s.Tries, 1), "tries", "instances to look at")
	f.BoolVar(&s.Overlaps, "overlaps", false, "buffers may lie over others that die where they begin")
	f.Uint64Var(&s.Seed, "seed", 0, "of the search")
	out := f.StringP("output", "o", "", "write the instance to this file")
	certificate := f.String("certificate", "", "write the certificate of its optimum to this file")
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	if *certificate != "" && *rival != "" {
		return fail(exitUsage, "--certificate is of an optimum: with --against none is asked for")
	}
	if err := distinct([2]string{"-o", *out}, [2]string{"--certificate", *certificate}); err != nil {
		return err
	}
	if err := errors.Join(writable("-o", *out), writable("--certificate", *certificate)); err != nil {
		return err
	}
	s.MaxSize = size.bytes
	settings := results.Settings{Threads: 1, Limit: -1, Rounds: 2}
	for _, p := range []struct {
		name string
		into func(results.Choice)
	}{
		{*planner, func(c results.Choice) { s.Victim = c.Planner }},
		{"exact", func(c results.Choice) { s.Oracle = c.Planner }},
		{*rival, func(c results.Choice) { s.Rival = c.Planner }},
	} {
		if p.name == "" {
			continue
		}
		choice, err := results.Find(p.name, settings)
		if err != nil {
			return fail(exitUsage, "%w", err)
		}
		p.into(choice)
	}
	p := e.progress()
	s.Progress = func(done, total int64) { p.count(int(done), int(total)) }
	find, err := s.Run(e.ctx)
	p.done()
	switch {
	case find == nil && e.ctx.Err() != nil:
		return fail(exitLimit, "interrupted before any instance was decided")
	case err != nil:
		return fail(exitInternal, "%w", err)
	}
	if err := e.write(*out, func(w io.Writer) error { return csv.Write(w, find.Instance, nil, nil) }); err != nil {
		return err
	}
	what := "optimum"
	if s.Rival != nil {
		what = *rival
	}
	fmt.Fprintf(e.err, "%s %d, %s %d: %.4f times as much, of %d instances\n", *planner, find.Peak, what, find.Best,
		float64(find.Peak)/float64(find.Best), find.Tries)
	if *certificate != "" && s.Rival == nil {
		if err := e.writeCertificates([]*model.Instance{find.Instance}, []model.Result{find.Result}, *certificate); err != nil {
			return err
		}
	}
	if e.ctx.Err() != nil {
		return fail(exitLimit, "interrupted: the worst of %d instances, not of %d", find.Tries, s.Tries)
	}
	return nil
}
