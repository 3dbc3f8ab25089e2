package results

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"memplan/model"
	"memplan/model/json"
)

// A Case is an instance by name. It is read when its turn comes, so that a run
// over many instances holds only those that it works on.
type Case struct {
	Name, Family string
	Given        *Choice // a planner of this case alone, before the others; may be nil
	Read         func() (*Task, error)
}

// A Bench runs every planner on every case.
type Bench struct {
	Cases   []Case
	Choices []Choice
	Jobs    int // cases worked on at once; 0: one a processor

	// Earlier is the record of a run that was done before and is not done again;
	// nil where there is none. Asked by several goroutines at once; may be nil.
	Earlier func(Key) *Record
	// Emit gets each record, one at a time; fresh unless it is an earlier one.
	Emit func(r Record, fresh bool) error
	// Keep keeps what is to be kept of an outcome, and names the files in its
	// record. Asked by several goroutines at once; may be nil.
	Keep func(*Task, *Outcome) error
	// Progress is told after each run, one at a time; may be nil.
	Progress func(done, total int)
}

// Run works through the cases. Records reach Emit in the order in which they
// are made, which only with one job is that of the cases. It stops at the
// first error of Emit, or when ctx ends: then the runs under way still give
// their records, marked as interrupted, and Run returns nil.
func (b *Bench) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	turn := make(chan Case)
	records := make(chan made)
	var workers sync.WaitGroup
	for range b.jobs() {
		workers.Go(func() {
			for c := range turn {
				b.runCase(ctx, c, records)
			}
		})
	}
	go func() {
		defer close(records)
		defer workers.Wait()
		defer close(turn)
		for _, c := range b.Cases {
			select {
			case turn <- c:
			case <-ctx.Done():
				return
			}
		}
	}()
	return b.collect(records, stop)
}

// made is a record on its way to Emit.
type made struct {
	record Record
	fresh  bool
}

// collect hands the records on; after an error it stops the run and only
// drains.
func (b *Bench) collect(records <-chan made, stop func()) (err error) {
	done, total := 0, b.Total()
	for m := range records {
		done++
		if err == nil {
			if err = b.Emit(m.record, m.fresh); err != nil {
				stop()
			}
		}
		if b.Progress != nil {
			b.Progress(done, total)
		}
	}
	return err
}

// runCase runs every planner on one case. A case that cannot be read is a
// failure of each planner: rows, all the same.
func (b *Bench) runCase(ctx context.Context, c Case, records chan<- made) {
	task, err := c.Read()
	if err == nil {
		for _, in := range task.Arenas {
			if err = in.Validate(); err != nil {
				break
			}
		}
	}
	for _, choice := range c.choices(b.Choices) {
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			records <- made{unread(c, choice, err), true}
			continue
		}
		if r := b.earlier(choice.key(task)); r != nil {
			records <- made{*r, false}
			continue
		}
		records <- made{b.run(ctx, task, choice), true}
	}
}

// choices are the planners to run on the case.
func (c *Case) choices(of []Choice) []Choice {
	if c.Given == nil {
		return of
	}
	return append([]Choice{*c.Given}, of...)
}

// run runs one planner on a task that was read. What cannot be kept is a failure
// of the run.
func (b *Bench) run(ctx context.Context, task *Task, choice Choice) Record {
	out := Run(ctx, task, choice)
	r := &out.Record
	r.Hash, r.Hardness = task.known().hash, &task.known().hardness
	if b.Keep != nil {
		if err := b.Keep(task, &out); err != nil && r.Error == "" {
			r.Error = err.Error()
		}
	}
	return *r
}

func (b *Bench) earlier(k Key) *Record {
	if b.Earlier == nil {
		return nil
	}
	return b.Earlier(k)
}

// unread is the record of a planner on a case that could not be read.
func unread(c Case, choice Choice, err error) Record {
	return Record{
		Plan:   json.Plan{Schema: 1, Instance: c.Name, Planner: choice.Planner.Name(), Status: model.Unknown.String(), Proof: model.ProofNone},
		Family: c.Family, Seed: choice.Seed, Params: choice.Params, Error: err.Error(),
	}
}

func (b *Bench) jobs() int {
	if b.Jobs > 0 {
		return b.Jobs
	}
	return runtime.GOMAXPROCS(0)
}

// Planners are the names of the planners that are run, each once.
func (b *Bench) Planners() []string {
	var names []string
	for _, c := range b.Choices {
		if name := c.Planner.Name(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Total is the number of runs.
func (b *Bench) Total() (n int) {
	for _, c := range b.Cases {
		n += len(c.choices(b.Choices))
	}
	return n
}
