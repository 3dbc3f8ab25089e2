package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"memplan/corpus"
	"memplan/model/csv"
)

func corpusVerb(e *env, args []string) error {
	f := e.flags()
	out := f.StringP("output", "o", "", "write the instances into this folder, as CSV")
	var lower lowerFlags
	lower.add(f)
	names, err := e.parse(f, args, 0, -1)
	if err != nil {
		return err
	}
	if len(names) == 0 && *out == "" {
		return e.write("", listCorpus)
	}
	list, err := e.cases(names, lower, nil)
	if err != nil {
		return err
	}
	if *out == "" && len(list) > 1 {
		return e.write("", func(w io.Writer) error {
			for _, c := range list {
				fmt.Fprintln(w, c.Name)
			}
			return nil
		})
	}
	if *out != "" {
		if err := os.MkdirAll(*out, 0o755); err != nil {
			return fail(exitInternal, "%w", err)
		}
	}
	for _, c := range list {
		task, err := c.Read()
		if err != nil {
			return err
		}
		path := ""
		if *out != "" {
			path = filepath.Join(*out, c.Name+".csv")
		}
		err = e.write(path, func(w io.Writer) error { return csv.Write(w, task.Arenas[0], nil, nil) })
		if err != nil {
			return err
		}
	}
	return nil
}

// listCorpus prints the suites with their instances, and the families.
func listCorpus(w io.Writer) error {
	fmt.Fprintf(w, "%-12s  %-28s  %8s  %20s  %20s  %20s\n", "suite", "instance", "buffers", "load", "bound", "best known")
	for _, suite := range corpus.Suites() {
		for _, entry := range corpus.Suite(suite) {
			best := "-"
			if entry.Best > 0 {
				best = fmt.Sprint(entry.Best)
			}
			fmt.Fprintf(w, "%-12s  %-28s  %8d  %20d  %20d  %20s\n", suite, entry.Name, entry.Buffers, entry.Load, entry.Bound, best)
		}
	}
	fmt.Fprintf(w, "\nfamilies\n")
	for _, f := range corpus.Families() {
		name := f.Name
		for _, p := range f.Params {
			name += "-<" + p.Name + ">"
		}
		fmt.Fprintf(w, "%-38s  %s\n", name, f.About)
	}
	return nil
}
