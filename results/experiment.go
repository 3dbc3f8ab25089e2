package results

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"memplan/results/command"
)

// An Experiment is a run written down in a file of JSON:
//
//	{"schema": 1,
//	 "instances": ["built-in", "models/", "A.1048576.csv"],
//	 "planners": ["best-fit-decreasing", {"name": "exact", "time_limit": "30s"}],
//	 "seeds": [1, 2, 3],
//	 "time_limit": "10s"}
//
// A planner that is a program of its own is named with the command that runs it, in
// the file's folder (see package command):
//
//	{"name": "mine", "command": ["python3", "mine.py"], "time_limit": "30s", "memory": 1073741824, "draws": true}
//
// memory, in bytes, is for all its processes together; with draws it is run with
// each of the seeds. Instances are files, folders, suites or instances of the corpus; paths are
// relative to the file. Only instances are needed. Times and rounds are those of
// planners that have none of their own.
type Experiment struct {
	Schema    int       `json:"schema"`
	Instances []string  `json:"instances"`
	Planners  []Entrant `json:"planners"`
	Seeds     []int64   `json:"seeds"`
	TimeLimit Limit     `json:"time_limit"`
	Rounds    int       `json:"rounds"`
}

// An Entrant is a planner of an experiment, with its parameters.
type Entrant struct {
	Name      string `json:"name"`
	TimeLimit Limit  `json:"time_limit"`
	Rounds    int    `json:"rounds"`
	Threads   int    `json:"threads"`

	Command []string `json:"command"` // of a planner that is a program of its own
	Memory  int64    `json:"memory"`  // bytes that it may take; 0: defaultMemory
	Draws   bool     `json:"draws"`   // its result depends on the seed
}

// defaultMemory is what a program may take where nothing else is said, in bytes.
const defaultMemory = 4 << 30

// Choice is the planner of a command, which runs in a folder.
func (p *Entrant) Choice(folder string, s Settings) Choice {
	memory := cmp.Or(p.Memory, defaultMemory)
	c := Choice{Planner: command.Planner{Title: p.Name, Argv: p.Command, Dir: folder, Seed: s.Seed, Memory: memory},
		Definition: "the program " + strings.Join(p.Command, " "), Draws: p.Draws, Limit: s.Limit, Params: map[string]string{"command": strings.Join(p.Command, " ")}}
	if p.Draws {
		c.Seed = s.Seed
	}
	if s.Limit >= 0 {
		c.Params["time_limit"] = s.Limit.String()
	}
	if p.Memory > 0 {
		c.Params["memory"] = strconv.FormatInt(p.Memory, 10)
	}
	return c
}

// check finds what a planner cannot be.
func (p *Entrant) check() error {
	_, err := Find(p.Name, Settings{})
	switch {
	case p.Name == "":
		return errors.New("a planner has no name")
	case p.Rounds < 0 || p.Threads < 0 || p.Memory < 0:
		return fmt.Errorf("planner %q: rounds, threads and memory are at least 0", p.Name)
	case p.Command == nil && (p.Memory > 0 || p.Draws):
		return fmt.Errorf("planner %q: memory and draws are for one with a command", p.Name)
	case p.Command == nil:
		return nil
	case len(p.Command) == 0 || p.Command[0] == "":
		return fmt.Errorf("planner %q: its command is empty", p.Name)
	case err == nil || p.Name == "all":
		return fmt.Errorf("planner %q: one of our own has that name", p.Name)
	case p.Rounds > 0 || p.Threads > 0:
		return fmt.Errorf("planner %q: rounds and threads are not for a command, which may have them as arguments", p.Name)
	}
	return nil
}

// A Limit is a time, or nil where the file says none.
type Limit struct{ *time.Duration }

// Or is the limit, or else where there is none.
func (l Limit) Or(other time.Duration) time.Duration {
	if l.Duration == nil {
		return other
	}
	return *l.Duration
}

func (l *Limit) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("time_limit %s: want a text such as \"10s\" or \"none\"", data)
	}
	d := time.Duration(-1)
	if text != "none" {
		var err error
		if d, err = time.ParseDuration(text); err != nil || d < 0 {
			return fmt.Errorf("time_limit %q: want a time such as 10s, or none", text)
		}
	}
	l.Duration = &d
	return nil
}

// UnmarshalJSON takes a name alone, or an object with parameters.
func (p *Entrant) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &p.Name) == nil {
		return nil
	}
	type plain Entrant
	return strict(data, (*plain)(p))
}

// ReadExperiment reads an experiment. Unknown keys are errors that name the key.
func ReadExperiment(r io.Reader, name string) (*Experiment, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	x := &Experiment{}
	if err := strict(data, x); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	switch {
	case x.Schema != 1:
		return nil, fmt.Errorf("%s: schema %d: this program reads 1", name, x.Schema)
	case len(x.Instances) == 0:
		return nil, fmt.Errorf("%s: no instances", name)
	case x.Rounds < 0:
		return nil, fmt.Errorf("%s: rounds are at least 0", name)
	}
	for i := range x.Planners {
		if err := x.Planners[i].check(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return x, nil
}

func strict(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one object")
	}
	return nil
}
