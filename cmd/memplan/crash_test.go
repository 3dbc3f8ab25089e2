package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// program is the program as a process of its own.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), "MEMPLAN_TEST_AS_PROGRAM=1")
	return cmd
}

// crashBench is a run of a fraction of a second, with 180 records.
func crashBench(records string) []string {
	args := []string{"bench", "--planner", "best-fit-decreasing,birth-first-fit,breadth", "--jobs", "2"}
	for seed := range 60 {
		args = append(args, fmt.Sprintf("uniform-400-60-%d", seed))
	}
	if records != "" {
		args = append(args, "--records", records, "--resume")
	}
	return args
}

// A run that is killed at any moment leaves records that can be read, and the
// run that resumes it ends with the table of an undisturbed one.
func TestKilledRunsResume(t *testing.T) {
	began := time.Now()
	code, undisturbed, says := call(crashBench("")...)
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, says)
	}
	whole := time.Since(began)
	r := rand.New(rand.NewSource(1))
	folder := t.TempDir()
	records, file, torn := "", 0, 0
	for kills := 0; kills < 100; {
		if records == "" {
			records = filepath.Join(folder, fmt.Sprintf("%d.jsonl", file))
			file++
		}
		cmd := program(t, crashBench(records)...)
		var out bytes.Buffer
		cmd.Stdout = &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		select {
		case err := <-done:
			if err != nil || out.String() != undisturbed {
				t.Fatalf("resumed: %v\n%s\nwant\n%s", err, out.String(), undisturbed)
			}
			records = ""
		case <-time.After(time.Duration(r.Int63n(int64(whole / 4)))):
			kills++
			if err := cmd.Process.Kill(); err != nil && !strings.Contains(err.Error(), "finished") {
				t.Fatal(err)
			}
			<-done
			code, _, says := call("merge", records, "-o", "/dev/null")
			if written, err := os.ReadFile(records); err == nil {
				want := exitDone
				if !bytes.ContainsRune(written, '\n') {
					want = exitUsage // not one record is whole yet
				}
				if code != want {
					t.Fatalf("after kill %d: exit %d, want %d: %s", kills, code, want, says)
				}
			}
			if strings.Contains(says, "not whole") {
				torn++
			}
		}
	}
	if records != "" {
		if code, out, says := call(crashBench(records)...); code != exitDone || out != undisturbed {
			t.Fatalf("exit %d, %s\n%s\nwant\n%s", code, says, out, undisturbed)
		}
	}
	t.Logf("100 kills over %d files, %d left a torn line", file, torn)
}

// A record that cannot be written ends the run with what is wrong, and what was
// written before can be read.
func TestRecordsThatCannotBeWritten(t *testing.T) {
	code, _, says := call("bench", "six-fits", "--planner", "no-reuse", "--records", "/dev/full")
	if code != exitInternal || !strings.Contains(says, "no space left") {
		t.Errorf("full disk: exit %d, %q", code, says)
	}
	folder := t.TempDir()
	code, _, says = call("bench", "six-fits", "--planner", "no-reuse", "--records", folder)
	if code != exitUsage || !strings.Contains(says, "is a folder") {
		t.Errorf("a folder: exit %d, %q", code, says)
	}
	kept := put(t, "kept.jsonl", "")
	if err := os.Chmod(kept, 0o444); err != nil {
		t.Fatal(err)
	}
	code, _, says = call("bench", "six-fits", "--planner", "no-reuse", "--records", kept)
	if info, err := os.Stat(kept); code != exitInternal || !strings.Contains(says, "read-only") || err != nil || info.Size() != 0 {
		t.Errorf("a read-only file: exit %d, %q, %v", code, says, err)
	}
	records := filepath.Join(folder, "r.jsonl")
	cmd := exec.Command("bash", "-c", fmt.Sprintf("ulimit -f 8; trap '' XFSZ; exec %q %s", mustExecutable(t), strings.Join(crashBench(records), " ")))
	cmd.Env = append(os.Environ(), "MEMPLAN_TEST_AS_PROGRAM=1")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != exitInternal || !strings.Contains(string(out), "file too large") {
		t.Errorf("a limit: %v, %s", err, out)
	}
	if code, out, says := call("table", records, "--format", "json"); code != exitDone || strings.Count(out, "\n") < 1 {
		t.Errorf("after a limit: exit %d, %s, %s", code, out, says)
	}
	if code, _, says := call(crashBench(records)...); code != exitDone {
		t.Errorf("resumed: exit %d, %s", code, says)
	}
}

func mustExecutable(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return self
}

// A reader that has had enough, as head has, is told nothing more of it; the exit
// status says that the output is not whole, and the records are kept.
func TestClosedPipe(t *testing.T) {
	records := filepath.Join(t.TempDir(), "r.jsonl")
	cmd := program(t, "bench", "six-fits", "eight-above", "--planner", "no-reuse", "--records", records)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	var says bytes.Buffer
	cmd.Stdout, cmd.Stderr = w, &says
	err = cmd.Run()
	w.Close()
	if cmd.ProcessState.ExitCode() != exitInternal || says.String() != "" {
		t.Errorf("%v, %q", err, says.String())
	}
	if code, out, _ := call("table", records, "--format", "json"); code != exitDone || strings.Count(out, "\n") != 2 {
		t.Errorf("exit %d, %s", code, out)
	}
}

// An interrupted bench prints the table of what it did, and exit 3.
func TestInterruptedBench(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	code, out, says := callWith(ctx, "", "bench", "six-fits", "--planner", "no-reuse")
	if code != exitLimit || !strings.Contains(out, "By instance") || !strings.Contains(says, "interrupted") {
		t.Errorf("exit %d, %q, %q", code, out, says)
	}
}

// A signal ends a search with the best plan so far, which holds, and exit 3.
func TestSignal(t *testing.T) {
	folder := t.TempDir()
	open := filepath.Join(folder, "open.csv")
	if code, _, says := call("corpus", "pinwheel-1001-1", "-o", folder); code != exitDone {
		t.Fatalf("exit %d: %s", code, says)
	}
	if err := os.Rename(filepath.Join(folder, "pinwheel-1001-1.csv"), open); err != nil {
		t.Fatal(err)
	}
	plan := filepath.Join(folder, "plan.csv")
	cmd := program(t, "plan", open, "-v", "--time-limit", "none", "-o", plan)
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 1)
	if _, err := errs.Read(first); err != nil { // it is under way
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	says, err := io.ReadAll(errs)
	if err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	if cmd.ProcessState.ExitCode() != exitLimit || !strings.Contains(string(says), "interrupted: peak ") {
		t.Errorf("%v, %s", err, says)
	}
	if code, _, says := call("verify", open, plan); code != exitDone {
		t.Errorf("the plan: exit %d, %s", code, says)
	}
}
