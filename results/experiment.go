package results

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"memplan/model/json"
	"memplan/results/command"
)

// defaultMemory is what a program may take where nothing else is said, in bytes.
const defaultMemory = 4 << 30

// Program is the planner of an experiment that is a program of its own, which runs in
// a folder (see package command).
func Program(p *json.Entrant, folder string, s Settings) Choice {
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

// unfit says what a planner of an experiment cannot be, nil where it can.
func unfit(p *json.Entrant) error {
	_, unknown := Find(p.Name, Settings{})
	ours := unknown == nil || p.Name == "all"
	switch {
	case p.Name == "":
		return errors.New("a planner has no name")
	case p.Command == nil && (p.Memory > 0 || p.Draws):
		return fmt.Errorf("planner %q: memory and draws are for one with a command", p.Name)
	case p.Command == nil && !ours:
		return unknown
	case p.Command == nil:
		return nil
	case len(p.Command) == 0 || p.Command[0] == "":
		return fmt.Errorf("planner %q: its command is empty", p.Name)
	case ours:
		return fmt.Errorf("planner %q: one of our own has that name", p.Name)
	case p.Rounds > 0 || p.Threads > 0:
		return fmt.Errorf("planner %q: rounds and threads are not for a command, which may have them as arguments", p.Name)
	}
	return nil
}

// ReadExperiment reads an experiment, and finds what its planners cannot be.
func ReadExperiment(r io.Reader, name string) (*json.Experiment, error) {
	return json.ReadExperiment(r, name, unfit)
}
