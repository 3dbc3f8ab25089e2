package main

import (
	"io"

	"github.com/spf13/pflag"

	"memplan/model/csv"
)

// lowerFlags are the flags of every verb that reads graphs.
type lowerFlags struct {
	schedule  string
	copyViews bool
}

func (o *lowerFlags) add(f *pflag.FlagSet) {
	f.StringVar(&o.schedule, "schedule", "given", "of a graph's operators: given, kahn, dfs")
	f.BoolVar(&o.copyViews, "copy-views", false, "views are copies, with bytes of their own")
}

func lowerVerb(e *env, args []string) error {
	var o lowerFlags
	f := e.flags()
	o.add(f)
	out := f.StringP("output", "o", "", "write the buffers to this file")
	files, err := e.parse(f, args, 1, 1)
	if err != nil {
		return err
	}
	src, err := e.load(files[0], o)
	if err != nil {
		return err
	}
	if len(src.task.Arenas) != 1 {
		return fail(exitUsage, "%s has %d memory spaces; choose one with --space", files[0], len(src.task.Arenas))
	}
	return e.write(*out, func(w io.Writer) error { return csv.Write(w, src.task.Arenas[0], nil) })
}
