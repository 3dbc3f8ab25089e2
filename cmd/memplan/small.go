package main

import (
	"fmt"
	"io"
	"runtime"

	"memplan/ilp/highs"
	"memplan/results"
)

func plannersVerb(e *env, args []string) error {
	f := e.flags()
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	list := results.Planners(results.Settings{})
	width := 0
	for _, c := range list {
		width = max(width, len(c.Planner.Name()))
	}
	return e.write("", func(w io.Writer) error {
		for _, c := range list {
			fmt.Fprintf(w, "%-*s  %s\n", width, c.Planner.Name(), c.Definition)
		}
		return nil
	})
}

func versionVerb(e *env, args []string) error {
	f := e.flags()
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	return e.write("", func(w io.Writer) error {
		solver := ""
		if version, path, err := highs.Find(); err != nil {
			solver = fmt.Sprintf("HiGHS: %v", err)
		} else {
			solver = fmt.Sprintf("HiGHS %s at %s", version, path)
		}
		_, err := fmt.Fprintf(w, "memplan %s, revision %s\n%s %s/%s\n%s\n", results.Version, results.Revision(), runtime.Version(), runtime.GOOS, runtime.GOARCH, solver)
		return err
	})
}
