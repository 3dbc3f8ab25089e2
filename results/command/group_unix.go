//go:build unix

package command

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// inGroup gives a program a process group of its own.
func inGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// guard has the group killed when this program ends without doing it, by whatever:
// a shell waits for the end of a pipe that only this program holds. Stop ends it.
// Without a shell there is none.
func guard(leader *os.Process) (stop func()) {
	cmd := exec.Command("sh", "-c", `read end; kill -s KILL -- "-$0"`, strconv.Itoa(leader.Pid))
	inGroup(cmd)
	ours, err := cmd.StdinPipe()
	if err != nil || cmd.Start() != nil {
		return func() {}
	}
	return func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		ours.Close()
	}
}

// killGroup kills the process group that a process leads. It may have ended.
func killGroup(leader *os.Process) { _ = syscall.Kill(-leader.Pid, syscall.SIGKILL) }
