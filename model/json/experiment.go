package json

import (
	"io"
	"time"
)

// An Experiment is a run written down in a file:
//
//	{"schema": 1,
//	 "instances": ["built-in", "models/", "A.1048576.csv"],
//	 "planners": ["best-fit-decreasing", {"name": "exact", "time_limit": "30s"}],
//	 "seeds": [1, 2, 3],
//	 "time_limit": "10s"}
//
// A planner that is a program of its own is named with the command that runs it, in
// the file's folder:
//
//	{"name": "mine", "command": ["python3", "mine.py"], "time_limit": "30s", "memory": 1073741824, "draws": true}
//
// memory, in bytes, is for all its processes together; with draws it is run with
// each of the seeds. Instances are files, folders, suites or instances of the corpus; paths are
// relative to the file. Only instances are needed. Times and rounds are those of
// planners that have none of their own.
type Experiment struct {
	Instances []string
	Planners  []Entrant
	Seeds     []int64
	TimeLimit Limit
	Rounds    int64
}

// An Entrant is a planner of an experiment, with its parameters.
type Entrant struct {
	Name      string
	TimeLimit Limit
	Rounds    int64
	Threads   int64

	Command []string // of a planner that is a program of its own
	Memory  int64    // bytes that it may take; 0: nothing is said
	Draws   bool     // its result depends on the seed
}

// A Limit is a time, below 0 for none, or nil where the file says nothing.
type Limit struct{ *time.Duration }

// Or is the limit, or else where there is none.
func (l Limit) Or(other time.Duration) time.Duration {
	if l.Duration == nil {
		return other
	}
	return *l.Duration
}

// ReadExperiment reads an experiment; check says what is wrong with a planner, nil
// where nothing is.
func ReadExperiment(r io.Reader, file string, check func(*Entrant) error) (*Experiment, error) {
	p, err := newParser(r, file)
	if err != nil {
		return nil, err
	}
	x := &Experiment{}
	p.object("experiment",
		member{"schema", p.schema},
		member{"instances", func() { x.Instances = p.texts("instances") }},
		member{"planners", func() { p.list("planners", func() { x.Planners = append(x.Planners, p.entrant(check)) }) }},
		member{"seeds", func() { p.list("seeds", func() { x.Seeds = append(x.Seeds, p.integer("seed")) }) }},
		member{"time_limit", func() { x.TimeLimit = p.limit() }},
		member{"rounds", func() { x.Rounds = p.natural("rounds") }})
	p.end()
	if len(x.Instances) == 0 && p.faults.Empty() {
		p.faults.At(0, "no instances")
	}
	if err := p.faults.Err(); err != nil {
		return nil, err
	}
	return x, nil
}

// entrant reads a planner: a name alone, or an object with parameters.
func (p *parser) entrant(check func(*Entrant) error) (e Entrant) {
	named := false
	if e.Name, named = p.peekString(); !named {
		p.object("planner",
			member{"name", func() { e.Name = p.str("name") }},
			member{"time_limit", func() { e.TimeLimit = p.limit() }},
			member{"rounds", func() { e.Rounds = p.natural("rounds") }},
			member{"threads", func() { e.Threads = p.natural("threads") }},
			member{"command", func() { e.Command = p.texts("command") }},
			member{"memory", func() { e.Memory = p.natural("memory") }},
			member{"draws", func() { e.Draws = p.truth("draws") }})
	}
	if p.broken {
		return e
	}
	if err := check(&e); err != nil {
		p.fault("%v", err)
	}
	return e
}

// texts reads a list of strings, which is not nil.
func (p *parser) texts(what string) []string {
	list := []string{}
	p.list(what, func() { list = append(list, p.str(what)) })
	return list
}

// natural reads a whole number from 0.
func (p *parser) natural(what string) int64 {
	n := p.integer(what)
	if n < 0 {
		p.fault("%s: %d is below 0", what, n)
	}
	return max(n, 0)
}

// limit reads a time, or that there is none.
func (p *parser) limit() Limit {
	tok := p.token()
	text, ok := tok.(string)
	if !ok {
		p.want("time_limit", `a text such as "10s" or "none"`, tok)
		return Limit{}
	}
	d := time.Duration(-1)
	if text != "none" {
		var err error
		if d, err = time.ParseDuration(text); err != nil || d < 0 {
			p.fault("time_limit %q: want a time such as 10s, or none", text)
		}
	}
	return Limit{&d}
}
