package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"

	"memplan/model"
	"memplan/model/csv"
	"memplan/results"
)

// importVerb scores plans made elsewhere: each file is an instance's table with
// the offsets that some planner chose, or a dump that holds the plan of whoever
// wrote it. Beside it stands what our planners find for the same buffers.
func importVerb(e *env, args []string) error {
	var o benchFlags
	f := e.flags()
	name := f.String("name", "", "of the planner that made the plans (default: the maker of a dump, else imported)")
	instances := f.String("instances", "", "folder with the instances, by the same names; else the plans' own sizes and lifetimes are taken")
	f.StringSliceVar(&o.planners, "planner", []string{"exact"}, "names of planners to stand beside them; all; or none, by an empty name")
	o.solver.add(f, "10s", 1)
	f.Var(count(&o.jobs, 0), "jobs", "instances worked on at once; 0 is one a processor")
	f.StringVar(&o.records, "records", "", "append each record to this file when it is made")
	o.table.add(f)
	files, err := e.parse(f, args, 1, -1)
	if err != nil {
		return err
	}
	if err := o.table.check(); err != nil {
		return err
	}
	if err := o.solver.apply(o.planners); err != nil {
		return err
	}
	var beside []results.Choice
	if len(o.planners) > 0 {
		if beside, err = chosen(o.planners, o.solver.settings(nil)); err != nil {
			return err
		}
	}
	made := results.Given{Label: cmp.Or(*name, "imported")}
	run := &results.Bench{Jobs: o.jobs, Choices: beside}
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil {
			if format := foreignOf(data); format != nil {
				run.Cases = append(run.Cases, e.importForeign(format, file, *name))
				continue
			}
		}
		from := e.fileInput(file)
		c := results.Case{Name: from.name, Family: from.family, Given: &results.Choice{Planner: &made, Limit: -1}}
		c.Read = func() (*results.Task, error) {
			in, plan, err := given(file, *instances, from.name)
			if err != nil {
				return nil, err
			}
			made.Add(in, model.Result{Plan: &plan})
			return named(&results.Task{Arenas: []*model.Instance{in}}, from), nil
		}
		run.Cases = append(run.Cases, c)
	}
	records, err := e.bench(run, &o)
	if err != nil {
		return err
	}
	return failures(records, exitNo)
}

// given reads a plan, and the instance that it is for.
func given(file, instances, name string) (*model.Instance, model.Plan, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, model.Plan{}, err
	}
	var table *csv.Document
	if instances == "" {
		table, err = csv.Read(bytes.NewReader(unpinned(data)), file)
	} else {
		table, err = instanceOf(instances, name)
	}
	if err != nil {
		return nil, model.Plan{}, err
	}
	in := table.Instance
	plan, _, err := csv.ReadPlan(bytes.NewReader(data), file, in)
	return in, plan, err
}

var offsetColumn = regexp.MustCompile(`(?i)\boffset\b`)

// unpinned gives the column of offsets a name that means nothing to an
// instance: in a plan made elsewhere it is the plan, not pins.
func unpinned(table []byte) []byte {
	header, rows, _ := bytes.Cut(table, []byte("\n"))
	return slices.Concat(offsetColumn.ReplaceAll(header, []byte("planned")), []byte("\n"), rows)
}

// instanceOf reads the instance of that name in a folder.
func instanceOf(folder, name string) (*csv.Document, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if n, _ := csv.Name(entry.Name()); n != name || entry.IsDir() {
			continue
		}
		path := folder + "/" + entry.Name()
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return csv.Read(f, path)
	}
	return nil, fmt.Errorf("%s: no instance %q", folder, name)
}
