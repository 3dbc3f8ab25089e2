//go:build !unix

package command

import (
	"os"
	"os/exec"
)

// inGroup does nothing where there are no process groups.
func inGroup(*exec.Cmd) {}

// guard does nothing where there are no process groups.
func guard(*os.Process) (stop func()) { return func() {} }

// killGroup kills the process alone. It may have ended.
func killGroup(leader *os.Process) { _ = leader.Kill() }
