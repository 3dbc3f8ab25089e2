package main

import (
	"bytes"
	"cmp"
	stdcsv "encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"memplan/model"
	"memplan/model/csv"
	"memplan/results"
)

// importVerb scores plans made elsewhere: each file, or each in a folder, is an
// instance's table with the offsets that some planner chose, or a dump that holds the plan of whoever
// wrote it. Beside it stands what our planners find for the same buffers.
func importVerb(e *env, args []string) error {
	var o benchFlags
	f := e.flags()
	name := f.String("name", "", "of the planner that made the plans (default: the maker of a dump, else imported)")
	instances := f.String("instances", "", "folder with the instances, by the same names, or a suite; else the plans' own sizes and lifetimes are taken")
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
	if err := o.outputs(files); err != nil {
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
	im := importer{e: e, name: *name, made: results.Given{Label: cmp.Or(*name, "imported")}}
	if *instances != "" {
		if im.instances, err = e.inputs([]string{*instances}, asGiven); err != nil {
			return err
		}
	}
	run := &results.Bench{Jobs: o.jobs, Choices: beside}
	if run.Cases, err = im.cases(files); err != nil {
		return err
	}
	records, err := e.bench(run, &o)
	if err != nil {
		return err
	}
	return failures(records, exitNo)
}

// An importer reads plans that were made elsewhere.
type importer struct {
	e         *env
	name      string // of the planner, "" where the flag is not given
	made      results.Given
	instances []input // that the plans are for; nil: what the plans say themselves
	alone     bool    // one plan, and one instance, whatever their names
}

// cases are the rows of files and folders of plans. All are read before any is
// looked at: one that cannot be read leaves nothing behind.
func (im *importer) cases(files []string) ([]results.Case, error) {
	var list []input
	for _, file := range files {
		_, held := im.e.files[file]
		switch info, err := os.Stat(file); {
		case held || file == "-":
			list = append(list, im.e.fileInput(file))
		case err != nil:
			return nil, err
		case info.IsDir():
			inside, err := im.e.folderInputs(file)
			if err != nil {
				return nil, err
			}
			list = append(list, inside...)
		default:
			list = append(list, im.e.fileInput(file))
		}
	}
	im.alone = len(list) == 1 && len(im.instances) == 1
	var cases []results.Case
	var faults []error
	for _, from := range list {
		c, err := im.row(from)
		cases, faults = append(cases, c), append(faults, err)
	}
	return cases, errors.Join(faults...)
}

// row is one plan, or one dump with a plan in it, and the instance that it is for.
func (im *importer) row(from input) (results.Case, error) {
	file := cmp.Or(from.path, "-")
	data, err := im.e.read(file)
	if err != nil {
		return results.Case{}, err
	}
	if format := foreignOf(data); format != nil {
		c := im.e.importForeign(format, file, im.name)
		task, err := c.Read()
		c.Read = func() (*results.Task, error) { return task, nil }
		return c, err
	}
	src, of, err := im.instance(from, data)
	if err != nil {
		return results.Case{}, err
	}
	plans, err := src.readPlan(im.e, file)
	if err != nil {
		return results.Case{}, err
	}
	took, err := timeOf(data)
	if err != nil {
		return results.Case{}, fmt.Errorf("%s: %w", file, err)
	}
	for k, in := range src.task.Arenas {
		im.made.Add(in, model.Result{Plan: &plans[k]}, took)
		took = 0 // of all arenas together
	}
	task := named(src.task, of)
	return results.Case{Name: of.name, Family: of.family, Given: &results.Choice{Planner: &im.made, Limit: -1},
		Read: func() (*results.Task, error) { return task, nil }}, nil
}

// instance is what a plan is for: of the instances that one by its name, in a
// folder of the same name where there are several, else what the plan says itself.
func (im *importer) instance(from input, data []byte) (*source, input, error) {
	if im.instances == nil {
		if kindOf(from.path, data) == kindJSON {
			return nil, from, fail(exitUsage, "%s holds offsets alone: name what it is a plan of by --instances", cmp.Or(from.path, "stdin"))
		}
		file := cmp.Or(from.path, "stdin")
		table, err := csv.Read(bytes.NewReader(unpinned(data)), file)
		if err != nil {
			if _, plain := csv.Read(bytes.NewReader(data), file); plain != nil {
				err = plain // in the file's own words
			}
			return nil, from, fmt.Errorf("%w\n%s: where the buffers are in other files, name those by --instances", err, file)
		}
		src, err := single(table.Instance, lowerFlags{})
		return src, from, err
	}
	var found []input
	for _, of := range im.instances {
		switch {
		case im.alone || of.name == from.name && of.family == from.family:
			found = []input{of}
		case of.name == from.name && (len(found) == 0 || found[0].family != from.family):
			found = append(found, of)
		}
	}
	if len(found) != 1 {
		return nil, from, fail(exitUsage, "%s: %d instances of the name %q", from.path, len(found), from.name)
	}
	src, err := found[0].load(asGiven)
	return src, found[0], err
}

// timeColumns are names of columns that say what a plan took, and their units.
var timeColumns = map[string]time.Duration{
	"seconds": time.Second, "time": time.Second, "time_s": time.Second, "milliseconds": time.Millisecond, "time_ms": time.Millisecond,
	"microseconds": time.Microsecond, "time_us": time.Microsecond, "nanoseconds": 1, "time_ns": 1,
}

// timeOf is what a plan took, by a column of its table that says so; 0 where none
// does. Of several rows the largest counts.
func timeOf(table []byte) (took time.Duration, err error) {
	rows := stdcsv.NewReader(bytes.NewReader(table))
	rows.FieldsPerRecord = -1
	header, err := rows.Read()
	if err != nil {
		return 0, nil // not a table
	}
	at := slices.IndexFunc(header, func(name string) bool { return timeColumns[strings.ToLower(strings.TrimSpace(name))] > 0 })
	if at < 0 {
		return 0, nil
	}
	unit := timeColumns[strings.ToLower(strings.TrimSpace(header[at]))]
	for {
		row, err := rows.Read()
		if err != nil {
			return took, nil
		}
		if at >= len(row) || strings.TrimSpace(row[at]) == "" {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(row[at]), 64)
		if err != nil || !(n >= 0) || n*float64(unit) > math.MaxInt64/2 {
			return 0, fmt.Errorf("column %s: %q is no time", header[at], row[at])
		}
		took = max(took, time.Duration(n*float64(unit)))
	}
}

var offsetColumn = regexp.MustCompile(`(?i)\boffset\b`)

// unpinned gives the column of offsets a name that means nothing to an
// instance: in a plan made elsewhere it is the plan, not pins.
func unpinned(table []byte) []byte {
	header, rows, _ := bytes.Cut(table, []byte("\n"))
	return slices.Concat(offsetColumn.ReplaceAll(header, []byte("planned")), []byte("\n"), rows)
}
