package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"memplan/results"
)

// benchFlags are the flags of bench.
type benchFlags struct {
	solver     solverFlags
	lower      lowerFlags
	planners   []string
	format     string
	out        string
	records    string
	experiment string
	shard      string
	jobs       int
	resume     bool
	timing     bool
}

func benchVerb(e *env, args []string) error {
	var o benchFlags
	f := e.flags()
	f.StringSliceVar(&o.planners, "planner", nil, "names, or all (default: every heuristic, and exact)")
	o.solver.add(f, "10s", 1)
	f.StringVar(&o.format, "format", "text", strings.Join(results.Formats, ", "))
	f.StringVarP(&o.out, "output", "o", "", "write the table to this file")
	f.BoolVar(&o.timing, "timing", false, "with seconds, which differ from run to run")
	f.IntVar(&o.jobs, "jobs", 0, "instances worked on at once; 0 is one a processor")
	f.StringVar(&o.records, "records", "", "append each record to this file when it is made")
	f.BoolVar(&o.resume, "resume", false, "leave out what --records has already")
	o.lower.add(f)
	names, err := e.parse(f, args, 0, -1)
	if err != nil {
		return err
	}
	if !slices.Contains(results.Formats, o.format) {
		return fail(exitUsage, "format %q: want one of %s", o.format, strings.Join(results.Formats, ", "))
	}
	run := &results.Bench{Limit: o.solver.limit(), Jobs: o.jobs}
	if run.Cases, err = e.cases(names, o.lower); err != nil {
		return err
	}
	if run.Choices, err = o.choices(); err != nil {
		return err
	}
	return e.bench(run, &o)
}

// bench runs, keeps the records, and writes the table of what there is, even
// where the run was cut short.
func (e *env) bench(run *results.Bench, o *benchFlags) error {
	k, err := e.keep(o)
	if err != nil {
		return err
	}
	run.Earlier, run.Emit = k.before, k.emit
	p := e.progress()
	run.Progress = p.count
	err = run.Run(e.ctx)
	p.done()
	if closed := k.close(); err == nil {
		err = closed
	}
	if err != nil {
		return fail(exitInternal, "writing %s: %w", o.records, err)
	}
	table := results.Compare(k.records)
	err = e.write(o.out, func(w io.Writer) error {
		return table.Write(w, results.Options{Format: o.format, Timing: o.timing})
	})
	if err != nil {
		return err
	}
	if e.ctx.Err() != nil {
		return fail(exitLimit, "interrupted: %d of %d runs", len(k.records), len(run.Cases)*len(run.Choices))
	}
	return failures(k.records)
}

// failures is an error where a record has one: the table shows the rows, the
// exit status says that there are some.
func failures(records []results.Record) error {
	var first *results.Record
	failed := 0
	for i := range records {
		if records[i].Error != "" {
			failed++
			if first == nil {
				first = &records[i]
			}
		}
	}
	if first == nil {
		return nil
	}
	return fail(exitInternal, "%d of %d runs failed, the first: %s on %s: %s", failed, len(records), first.Planner, first.Instance, first.Error)
}

// choices are the planners asked for, in the order of the table of planners.
func (o *benchFlags) choices() ([]results.Choice, error) {
	all := results.Planners(o.solver.settings(nil))
	wanted := o.planners
	if len(wanted) == 0 {
		wanted = append(results.Heuristics(), "exact")
	}
	var list []results.Choice
	for _, c := range all {
		if slices.Contains(wanted, c.Planner.Name()) || slices.Contains(wanted, "all") {
			list = append(list, c)
		}
	}
	for _, name := range wanted {
		if name != "all" {
			if _, err := o.solver.choose(name, nil); err != nil {
				return nil, fail(exitUsage, "%w", err)
			}
		}
	}
	return list, nil
}

// A keeper holds the records of a run, and appends them to a log.
type keeper struct {
	log     *results.Log // may be nil
	earlier map[results.Key]*results.Record
	from    *results.Provenance
	records []results.Record
}

// keep opens the log, and reads what it holds where the run is resumed.
func (e *env) keep(o *benchFlags) (*keeper, error) {
	k := &keeper{}
	if o.records == "" {
		if o.resume {
			return nil, fail(exitUsage, "--resume needs --records")
		}
		return k, nil
	}
	k.from = results.Here(e.all)
	if o.resume {
		earlier, err := e.readRecords(o.records)
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		k.earlier = make(map[results.Key]*results.Record, len(earlier))
		for i := range earlier {
			if !earlier[i].Interrupted {
				k.earlier[earlier[i].Key()] = &earlier[i]
			}
		}
	}
	var err error
	if k.log, err = results.OpenLog(o.records); err != nil {
		return nil, fail(exitInternal, "%w", err)
	}
	return k, nil
}

// readRecords reads a log, and says where lines of it are torn.
func (e *env) readRecords(path string) ([]results.Record, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	records, torn, err := results.ReadLog(f, path)
	if torn > 0 {
		fmt.Fprintf(e.err, "memplan: %s: passed over %d lines that are not whole\n", path, torn)
	}
	return records, err
}

func (k *keeper) before(at results.Key) *results.Record { return k.earlier[at] }

func (k *keeper) emit(r results.Record, fresh bool) error {
	if k.log != nil && fresh {
		r.Provenance = k.from
		if err := k.log.Append(&r); err != nil {
			return err
		}
	}
	r.Trace = nil // the log has it
	k.records = append(k.records, r)
	return nil
}

func (k *keeper) close() error {
	if k.log == nil {
		return nil
	}
	return k.log.Close()
}
