package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"memplan/results"
)

// benchFlags are the flags of bench.
type benchFlags struct {
	solver     solverFlags
	lower      lowerFlags
	table      tableFlags
	planners   []string
	experiment string
	shard      string
	records    string
	plans      string
	proofs     string
	resume     bool
	json       bool
	jobs       int
}

func benchVerb(e *env, args []string) error {
	var o benchFlags
	f := e.flags()
	f.StringSliceVar(&o.planners, "planner", nil, "names, or all (default: every heuristic, and exact)")
	o.solver.add(f, "10s", 1)
	f.StringVarP(&o.experiment, "file", "f", "", "run the experiment of this file")
	f.Var(count(&o.jobs, 0), "jobs", "instances worked on at once; 0 is one a processor")
	f.StringVar(&o.shard, "shard", "", "I/N: only every N-th instance, beginning with number I, from 0; in a job array /N, or nothing")
	f.StringVar(&o.records, "records", "", "append each record to this file when it is made")
	f.BoolVar(&o.resume, "resume", false, "leave out what --records has already")
	f.StringVar(&o.plans, "plans", "", "keep every plan in this folder, beside its instance; verify --records checks them again")
	f.StringVar(&o.proofs, "certificates", "", "keep the certificates of bounds above the load in this folder")
	f.BoolVar(&o.json, "json", false, "tell progress as one line of JSON a run, on standard error")
	o.table.add(f)
	o.lower.add(f)
	names, err := e.parse(f, args, 0, -1)
	if err != nil {
		return err
	}
	if err := o.table.check(); err != nil {
		return err
	}
	if err := o.outputs(append(names, o.experiment)); err != nil {
		return err
	}
	run, err := e.plannedRun(names, &o)
	if err != nil {
		return err
	}
	if err := o.solver.apply(run.Planners()); err != nil {
		return err
	}
	shard, err := results.ParseShard(o.shard, os.Getenv)
	if err != nil {
		return fail(exitUsage, "%w", err)
	}
	all := len(run.Cases)
	run.Cases = shard.Part(run.Cases)
	e.tellShard(shard, len(run.Cases), all, o.shard == "")
	records, err := e.bench(run, &o)
	if err != nil {
		return err
	}
	return failures(records, exitInternal)
}

// outputs is an error where the table or the records cannot be written.
func (o *benchFlags) outputs(inputs []string) error {
	if err := distinct([2]string{"--records", o.records}, [2]string{"-o", o.table.out}); err != nil {
		return err
	}
	return errors.Join(writable("--records", o.records, inputs...), writable("-o", o.table.out, inputs...))
}

// tellShard says which part of a run this is where nobody asked for one, and where
// the part holds nothing.
func (e *env) tellShard(s results.Shard, part, all int, unasked bool) {
	if unasked && s.Of > 1 {
		fmt.Fprintf(e.err, "memplan: shard %d/%d, as the variables of the job array say: %d of %d instances; --shard 0/1 runs all\n", s.Index, s.Of, part, all)
	}
	if part == 0 && all > 0 {
		fmt.Fprintf(e.err, "memplan: shard %d/%d is empty: the instances in all are %d\n", s.Index, s.Of, all)
	}
}

// plannedRun is what the arguments, or the experiment's file, ask for.
func (e *env) plannedRun(names []string, o *benchFlags) (run *results.Bench, err error) {
	run = &results.Bench{Jobs: o.jobs}
	if o.experiment != "" {
		if len(names) > 0 || len(o.planners) > 0 {
			return nil, fail(exitUsage, "with -f, the experiment's file names instances and planners")
		}
		return run, e.experiment(run, o)
	}
	if run.Cases, err = e.contested(names, o); err != nil {
		return nil, err
	}
	run.Choices, err = chosen(o.planners, o.solver.settings(nil))
	return run, err
}

// contested are the instances to compare planners on; memory spaces are settled
// by the exact planner.
func (e *env) contested(names []string, o *benchFlags) ([]results.Case, error) {
	exact, err := o.solver.choose("exact", nil)
	if err != nil {
		return nil, err
	}
	return e.cases(names, o.lower, &exact)
}

// bench runs, keeps the records, and writes the table of what there is, even
// where the run was cut short.
func (e *env) bench(run *results.Bench, o *benchFlags) ([]results.Record, error) {
	k, err := e.keep(o)
	if err != nil {
		return nil, err
	}
	run.Earlier, run.Emit = k.before, k.emit
	if o.plans != "" || o.proofs != "" {
		run.Keep = (&keepsake{e, o.plans, o.proofs}).keep
	}
	p := e.progress()
	run.Progress = p.count
	if o.json {
		run.Progress = e.event
	} else {
		p.count(0, run.Total())
	}
	err = run.Run(e.ctx)
	p.done()
	if closed := k.close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, fail(exitInternal, "writing %s: %w", o.records, err)
	}
	if err := e.writeTable(k.records, &o.table); err != nil {
		return nil, err
	}
	if e.ctx.Err() != nil {
		return nil, fail(exitLimit, "interrupted: %d of %d runs", len(k.records), len(run.Cases)*len(run.Choices))
	}
	return k.records, nil
}

// event tells a machine how far the run is.
func (e *env) event(done, total int) {
	fmt.Fprintf(e.err, "{\"event\":\"progress\",\"done\":%d,\"total\":%d}\n", done, total)
}

// failures is an error where a record has one: the table shows the rows, the
// exit status says that there are some, and the text what was the matter, each
// thing once. Where no instance was even read the input is to blame, else what
// code says.
func failures(records []results.Record, code int) error {
	const most = 10
	failed, unread := 0, 0
	told := make(map[string]bool)
	var says []string
	for i := range records {
		r := &records[i]
		if r.Error == "" {
			continue
		}
		failed++
		if r.Hash == "" {
			unread++
		}
		if !told[r.Error] && len(told) < most {
			says = append(says, fmt.Sprintf("%s on %s: %s", r.Planner, r.Instance, r.Error))
		}
		told[r.Error] = true
	}
	if failed == 0 {
		return nil
	}
	if failed == unread {
		code = exitUsage
	}
	if n := len(told) - len(says); n > 0 {
		says = append(says, fmt.Sprintf("and %d other errors, which the records have", n))
	}
	return fail(code, "%d of %d runs failed, the first: %s", failed, len(records), strings.Join(says, "\n"))
}

// chosen are the planners of these names, in the order of the list of planners;
// of no names every heuristic, and exact.
func chosen(names []string, s results.Settings) ([]results.Choice, error) {
	if len(names) == 0 {
		names = append(results.Heuristics(), "exact")
	}
	for _, name := range names {
		if name != "all" {
			if _, err := results.Find(name, s); err != nil {
				return nil, fail(exitUsage, "%w", err)
			}
		}
	}
	var list []results.Choice
	for _, c := range results.Planners(s) {
		if slices.Contains(names, c.Planner.Name()) || slices.Contains(names, "all") {
			list = append(list, c)
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
