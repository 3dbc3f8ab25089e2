package shared

import (
	"bufio"
	"io"
	"os/exec"
	"testing"
)

// Child starts a program that answers on its standard output what it is asked
// on its standard input, until the test ends; then it must end without an error.
func Child(t testing.TB, cmd *exec.Cmd) (in io.Writer, out *bufio.Reader) {
	t.Helper()
	asked, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		asked.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", cmd.Path, err)
		}
	})
	return asked, bufio.NewReader(answers)
}
