package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"memplan/corpus"
	"memplan/model/csv"
	"memplan/model/json"
)

func corpusVerb(e *env, args []string) error {
	f := e.flags()
	out := f.StringP("output", "o", "", "write the instances into this folder; one into this file, NAME.csv or NAME.json")
	format := f.String("format", "", "csv, the buffers; or json, graphs where there are any, as they are (default: after OUT's extension, else csv)")
	among(f, "format", "csv", "json")
	var lower lowerFlags
	lower.add(f)
	names, err := e.parse(f, args, 0, -1)
	if err != nil {
		return err
	}
	as, err := formatOf(*format, *out)
	if err != nil || as == "text" {
		return fail(exitUsage, "format %q: want csv or json", *format)
	}
	if len(names) == 0 && *out == "" {
		return e.write("", listCorpus)
	}
	if len(names) == 0 {
		names = []string{builtIn}
	}
	list, err := e.inputs(names, lower)
	if err != nil {
		return err
	}
	if *out == "" && len(list) > 1 {
		return e.write("", func(w io.Writer) error {
			for _, in := range list {
				fmt.Fprintln(w, in.name)
			}
			return nil
		})
	}
	one := namesTable(*out)
	switch {
	case one && len(list) > 1:
		return fail(exitUsage, "-o %s: these are %d instances: name a folder", *out, len(list))
	case one:
		if err := writable("-o", *out, names...); err != nil {
			return err
		}
	case *out != "":
		if err := os.MkdirAll(*out, 0o755); err != nil {
			return fail(exitInternal, "%w", err)
		}
	}
	for _, in := range list {
		src, err := in.load(lower)
		if err != nil {
			return err
		}
		path := *out
		if *out != "" && !one {
			path = filepath.Join(*out, in.name+"."+as)
		}
		named(src.task, in)
		if err := e.write(path, func(w io.Writer) error { return src.export(w, as) }); err != nil {
			return err
		}
	}
	return nil
}

// export writes an instance: its buffers, or as JSON its graph where it has one.
func (s *source) export(w io.Writer, format string) error {
	switch {
	case format == "csv":
		return csv.Write(w, s.task.Arenas[0], nil, nil)
	case s.graph != nil:
		return json.WriteGraph(w, s.graph.Graph)
	}
	return json.WriteInstance(w, s.task.Arenas[0], nil)
}

// listCorpus prints the suites with their instances, and the families.
func listCorpus(w io.Writer) error {
	fmt.Fprintf(w, "%-12s  %-28s  %8s  %20s  %20s  %20s  %s\n", "suite", "instance", "buffers", "load", "bound", "best known", "why")
	for _, suite := range corpus.Suites() {
		for _, entry := range corpus.Suite(suite) {
			best := "-"
			if entry.Best > 0 {
				best = fmt.Sprint(entry.Best)
			}
			fmt.Fprintf(w, "%-12s  %-28s  %8d  %20d  %20d  %20s  %s\n", suite, entry.Name, entry.Buffers, entry.Load, entry.Bound, best, entry.Why())
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
