package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// An Experiment is a run written down in a file of JSON:
//
//	{"schema": 1,
//	 "instances": ["built-in", "models/", "A.1048576.csv"],
//	 "planners": ["best-fit-decreasing", {"name": "exact", "time_limit": "30s"}],
//	 "seeds": [1, 2, 3],
//	 "time_limit": "10s"}
//
// Instances are files, folders, suites or instances of the corpus; paths are
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
