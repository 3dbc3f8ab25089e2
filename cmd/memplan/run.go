package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"memplan/ilp/highs"
	"memplan/model"
)

// A command is one verb.
type command struct {
	name, args, short string
	run               func(*env, []string) error
}

// usage is the verb and what it takes, but flags.
func (c command) usage() string { return strings.TrimSpace(c.name + " " + c.args) }

func commands() []command {
	return []command{
		{"plan", "FILE|SUITE ...", "give every buffer of FILE an offset", planVerb},
		{"verify", "FILE [PLAN] | --records RECORDS", "check a plan, and a certificate", verifyVerb},
		{"stat", "FILE", "print what is known of FILE without planning it", statVerb},
		{"tflm", "MODEL.tflite", "plan the arena of TensorFlow Lite Micro, and write the plan into the model", tflmVerb},
		{"iree", "MODULE.mlir", "plan the memory of a module of IREE's, and write the plan into it", ireeVerb},
		{"executorch", "PROGRAM.pte", "plan the memories of an ExecuTorch program, and write the plans into it", executorchVerb},
		{"fit", "GRAPH", "make a graph fit into a small memory: by another order, overlap, or a slow memory with as little traffic as possible", fitVerb},
		{"lower", "GRAPH", "print the buffers that a graph needs, as CSV", lowerVerb},
		{"schedules", "[GRAPH|SUITE ...]", "compare orders of operators: the load by each, and the least peak over orders and offsets", schedulesVerb},
		{"traffic", "GRAPH|FOLDER|SUITE ...", "compare what graphs move to and from a slow memory at least, by capacity of the fast one and way to use the slow", trafficVerb},
		{"bench", "[FILE|FOLDER|SUITE ...]", "compare planners with the proven optimum, on the built-in instances where none are named", benchVerb},
		{"table", "RECORDS ...", "print the table of records that bench kept", tableVerb},
		{"merge", "RECORDS ...", "put files of records together, one record a run", mergeVerb},
		{"regress", "BASELINE NEW", "find what got worse since a baseline", regressVerb},
		{"import-plans", "PLAN ...", "score plans that were made elsewhere", importVerb},
		{"plot", "plan FILE PLAN | traffic GRAPH | profile|spread|gap|growth RECORDS ...", "draw a plan, what a graph moves, or curves of records", plotVerb},
		{"report", "RECORDS ...", "write one page of HTML with tables, profiles and plans", reportVerb},
		{"corpus", "[NAME]", "list the built-in instances, or write them", corpusVerb},
		{"adversary", "", "search for the instance on which a planner is worst", adversaryVerb},
		{"planners", "", "list the planners", plannersVerb},
		{"serve", "", "answer requests on standard input, for programs that plan often", serveVerb},
		{"version", "", "print what this program was made from", versionVerb},
		{"man", "", "print the manual page, as memplan man | man -l - takes it", manVerb},
		{"completion", "bash|zsh|fish", "print a script that completes verbs, flags and their values in a shell", completionVerb},
	}
}

// env is what a command gets from outside.
type env struct {
	ctx context.Context
	in  io.Reader
	out io.Writer
	err io.Writer
	cmd command
	all []string // the arguments of the whole program

	// Of a request to serve:
	files map[string]string // read in place of files of these names
	given *columns          // standard input as buffers; nil: none
	watch func(model.Point) // told of every improvement of a plan; may be nil

	describe func(*pflag.FlagSet) // where not nil, parse gives it the flags in place of parsing
}

// Exit codes; the table is in the program's doc comment.
const (
	exitDone     = 0
	exitNo       = 1
	exitUsage    = 2
	exitLimit    = 3
	exitInternal = 4
)

// A failure is an error with its exit code.
type failure struct {
	code int
	err  error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func fail(code int, format string, args ...any) error {
	return &failure{code, fmt.Errorf(format, args...)}
}

// run is the whole program. Errors without a code of their own are bad input.
func run(ctx context.Context, in io.Reader, out, errOut io.Writer, args []string) int {
	e := &env{ctx: ctx, in: in, out: out, err: errOut, all: args}
	return e.exit(args)
}

// exit runs a command line, and is its exit status.
func (e *env) exit(args []string) int {
	err := e.dispatch(args)
	if err == nil || errors.Is(err, pflag.ErrHelp) {
		return exitDone
	}
	if text := err.Error(); text != "" {
		fmt.Fprintf(e.err, "memplan: %s\n", text)
	}
	if bug := (*model.Panic)(nil); errors.As(err, &bug) {
		e.err.Write(bug.Stack)
		return exitInternal
	}
	return codeOf(err)
}

// codeOf is the exit code that an error asks for.
func codeOf(err error) int {
	if f := (*failure)(nil); errors.As(err, &f) {
		return f.code
	}
	if errors.Is(err, highs.ErrAbsent) {
		return exitInternal
	}
	return exitUsage
}

func (e *env) dispatch(args []string) error {
	if len(args) == 0 {
		e.help(e.err)
		return fail(exitUsage, "a verb is missing")
	}
	switch {
	case args[0] == "help" && len(args) > 1:
		args = []string{args[1], "--help"}
	case slices.Contains([]string{"help", "-h", "--help"}, args[0]):
		e.help(e.out)
		return nil
	}
	if args[0] == "--version" {
		args = append([]string{"version"}, args[1:]...)
	}
	for _, c := range commands() {
		if c.name == args[0] {
			e.cmd = c
			return c.run(e, args[1:])
		}
	}
	return fail(exitUsage, "unknown verb %q; memplan help lists the verbs", args[0])
}

func (e *env) help(w io.Writer) {
	fmt.Fprintf(w, "memplan gives every tensor a fixed offset in one arena, and proves how small the arena can be.\n\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  memplan %-30s  %s\n", c.usage(), c.short)
	}
	fmt.Fprintf(w, "\nmemplan VERB --help lists a verb's flags. FILE - is standard input. Exit status: 0 done, 1 the answer is no,\n"+
		"2 usage or bad input, 3 a limit came first, 4 failure.\n")
}

// flags makes the verb's flag set.
func (e *env) flags() *pflag.FlagSet {
	f := pflag.NewFlagSet(e.cmd.name, pflag.ContinueOnError)
	f.SortFlags = false
	f.SetOutput(io.Discard) // run prints errors
	f.Usage = func() {
		fmt.Fprintf(e.out, "memplan %s\n%s.\n\n%s", e.cmd.usage(), e.cmd.short, f.FlagUsages())
	}
	return f
}

// errDescribed ends a verb whose flags alone were wanted.
var errDescribed = errors.New("described")

// flagsOf lists the flags of a verb, as the verb itself defines them.
func flagsOf(c command) (list []*pflag.Flag) {
	e := &env{cmd: c, describe: func(f *pflag.FlagSet) {
		f.VisitAll(func(flag *pflag.Flag) {
			if !flag.Hidden {
				list = append(list, flag)
			}
		})
	}}
	_ = c.run(e, nil) // errDescribed
	return list
}

// parse parses the verb's arguments and returns those that are not flags, of
// which there must be least to most (any number, for most < 0).
func (e *env) parse(f *pflag.FlagSet, args []string, least, most int) ([]string, error) {
	if e.describe != nil {
		e.describe(f)
		return nil, errDescribed
	}
	if err := f.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return nil, err
		}
		return nil, fail(exitUsage, "%s: %w", e.cmd.name, err)
	}
	if n := f.NArg(); n < least || most >= 0 && n > most {
		return nil, fail(exitUsage, "usage: memplan %s", e.cmd.usage())
	}
	return f.Args(), nil
}
