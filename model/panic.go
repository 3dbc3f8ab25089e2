package model

import (
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// A Panic is the error for a bug that showed itself while a planner was at work:
// its result is worth nothing, but whoever asked goes on.
type Panic struct {
	Value any    // what it panicked with
	Place string // function and line
	Stack []byte // as debug.Stack prints it
}

// Error is one line, the same in every run.
func (p *Panic) Error() string { return fmt.Sprintf("panicked: %v, in %s", p.Value, p.Place) }

// Recover turns a panic into a *Panic. Defer it where a goroutine starts, for a
// panic that leaves a goroutine ends the program.
func Recover(err *error) {
	if value := recover(); value != nil {
		*err = &Panic{value, place(), debug.Stack()}
	}
}

// place is where the panic that is being recovered from began.
func place() string {
	var calls [64]uintptr
	frames := runtime.CallersFrames(calls[:runtime.Callers(1, calls[:])])
	begun := false
	for {
		f, more := frames.Next()
		if begun && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s (%s:%d)", f.Function, filepath.Base(f.File), f.Line)
		}
		begun = begun || f.Function == "runtime.gopanic"
		if !more {
			return "an unknown place"
		}
	}
}
