package main

import (
	"errors"
	"io"
	"io/fs"

	"memplan/results"
)

func regressVerb(e *env, args []string) error {
	f := e.flags()
	accept := f.Bool("accept", false, "write what is better, and new, into BASELINE, which need not exist")
	tolerance := shareValue(0.1)
	f.Var(&tolerance, "tolerance", "share by which work counters may grow")
	files, err := e.parse(f, args, 2, 2)
	if err != nil {
		return err
	}
	baseline, err := e.readAll(files[:1])
	if err != nil && !(*accept && errors.Is(err, fs.ErrNotExist)) {
		return err
	}
	if err := writable("--accept", files[0]); *accept && err != nil {
		return err
	}
	now, err := e.readAll(files[1:])
	if err != nil {
		return err
	}
	baseline, now = results.Latest(baseline), results.Latest(now)
	r := results.Regress(baseline, now, float64(tolerance))
	if err := e.write("", r.Write); err != nil {
		return err
	}
	if *accept && len(r.Better)+len(r.Added) > 0 {
		err := e.write(files[0], func(w io.Writer) error { return results.WriteLog(w, r.Accepted(baseline)) })
		if err != nil {
			return err
		}
	}
	if len(r.Worse) > 0 {
		return fail(exitNo, "%d of %d records are worse than in %s", len(r.Worse), len(baseline), files[0])
	}
	return nil
}
