package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memplan/ilp/highs"
)

// TestMain lets the tests' binary be the program: the console tests run it as
// memplan in a shell.
func TestMain(m *testing.M) {
	if os.Getenv("MEMPLAN_TEST_AS_PROGRAM") != "" {
		main()
	}
	if _, path, err := highs.Find(); err == nil { // in whatever folder they run it
		os.Setenv(highs.Variable, path)
	}
	os.Exit(m.Run())
}

// call runs the program in the process.
func call(args ...string) (code int, out, errOut string) {
	return callWith(context.Background(), "", args...)
}

func callWith(ctx context.Context, in string, args ...string) (code int, out, errOut string) {
	var stdout, stderr bytes.Buffer
	code = run(ctx, strings.NewReader(in), &stdout, &stderr, args)
	return code, stdout.String(), stderr.String()
}

// put writes a file into a folder of the test's own.
func put(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// eightAbove has a load of 4 and an optimum of 5.
const eightAbove = `id,lower,upper,size
a,0,1,2
b,0,2,2
c,1,3,1
d,2,3,1
e,2,4,1
f,1,4,1
g,3,5,2
h,4,5,2
`

// Each exit code, by each of the ways that lead to it.
func TestExitCodes(t *testing.T) {
	good := put(t, "good.csv", "id,lower,upper,size\na,0,2,3\nb,1,3,5\n")
	plan := put(t, "plan.csv", "id,offset\na,0\nb,3\n")
	overlap := put(t, "overlap.csv", "id,offset\na,0\nb,2\n")
	bad := put(t, "bad.csv", "id,lower,upper,size\na,2,0,3\n")
	above := put(t, "above.csv", eightAbove)
	missing := filepath.Join(t.TempDir(), "nowhere", "out.csv")
	for _, c := range []struct {
		name string
		code int
		says string // on standard error
		args []string
	}{
		{"plans", exitDone, "", []string{"plan", good, "--planner", "first-fit-decreasing"}},
		{"help", exitDone, "", []string{"plan", "--help"}},
		{"help of a verb", exitDone, "", []string{"help", "plan"}},
		{"help of none", exitUsage, "unknown verb", []string{"help", "--help"}},
		{"valid", exitDone, "", []string{"verify", good, plan}},
		{"fits", exitDone, "", []string{"plan", good, "--capacity", "8"}},
		{"overlap", exitNo, `"a" at [0,3) and "b" at [2,7)`, []string{"verify", good, overlap}},
		{"over capacity", exitNo, "beyond the capacity 7", []string{"verify", good, plan, "--capacity", "7"}},
		{"does not fit", exitNo, "1 short", []string{"plan", good, "--capacity", "7"}},
		{"no verb", exitUsage, "a verb is missing", nil},
		{"unknown verb", exitUsage, `"plant"`, []string{"plant"}},
		{"unknown flag", exitUsage, "--fast", []string{"plan", good, "--fast"}},
		{"no file named", exitUsage, "usage: memplan plan FILE", []string{"plan"}},
		{"no such file", exitUsage, "nowhere", []string{"plan", missing}},
		{"bad input", exitUsage, "bad.csv:2:", []string{"stat", bad}},
		{"unknown planner", exitUsage, `"best"`, []string{"plan", good, "--planner", "best"}},
		{"unknown format", exitUsage, `"xml"`, []string{"bench", good, "--format", "xml"}},
		{"unknown instance", exitUsage, "nonesuch", []string{"bench", "nonesuch"}},
		{"bad size", exitUsage, "64KiB", []string{"plan", good, "--capacity", "many"}},
		{"unproven", exitLimit, "not proven optimal", []string{"plan", above, "--planner", "best-fit-decreasing", "--require-optimal"}},
		{"undecided", exitLimit, "undecided", []string{"plan", above, "--planner", "no-reuse", "--capacity", "5"}},
		{"no plan in time", exitLimit, "no plan within the limit", []string{"plan", above, "--planner", "first-fit-decreasing", "--time-limit", "0"}},
		{"no such folder", exitUsage, "nowhere", []string{"plan", good, "-o", missing}},
		{"a folder that takes no files", exitInternal, "memplan: -o /sys/out.csv: permission denied", []string{"bench", good, "-o", "/sys/out.csv"}},
		{"disk full", exitInternal, "no space left", []string{"plan", good, "-o", "/dev/full"}},
	} {
		code, _, says := call(c.args...)
		if code != c.code || !strings.Contains(says, c.says) || c.says == "" && says != "" {
			t.Errorf("%s: memplan %s: exit %d, %q; want %d, %q", c.name, strings.Join(c.args, " "), code, says, c.code, c.says)
		}
	}
}

// An interrupt leaves the best plan so far, and exit 3.
func TestInterruptKeepsThePlan(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	code, out, says := callWith(ctx, eightAbove, "plan", "-", "-v")
	if code != exitLimit || !strings.Contains(out, "id,lower,upper,size,offset\na,0,1,2,") || !strings.Contains(says, "interrupted") {
		t.Errorf("exit %d, %q, %q", code, out, says)
	}
}

// A file that cannot be written keeps what it had.
func TestOutputIsWholeOrUntouched(t *testing.T) {
	good := put(t, "good.csv", "id,lower,upper,size\na,0,2,3\nb,1,3,5\n")
	out := put(t, "out.csv", "precious\n")
	if err := os.Chmod(out, 0o444); err != nil {
		t.Fatal(err)
	}
	if code, _, says := call("plan", good, "-o", out); code != exitInternal || !strings.Contains(says, "read-only") {
		t.Errorf("read-only: exit %d, %q", code, says)
	}
	if err := os.Chmod(out, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, says := call("plan", good, "-o", out, "--capacity", "1"); code != exitNo {
		t.Errorf("does not fit: exit %d, %q", code, says)
	}
	if got, _ := os.ReadFile(out); string(got) != "precious\n" {
		t.Errorf("the file was overwritten: %q", got)
	}
	if code, _, says := call("plan", good, "-o", out); code != exitDone || says != "" {
		t.Errorf("exit %d, %q", code, says)
	}
	info, err := os.Stat(out)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600 as before", info.Mode(), err)
	}
	if got, _ := os.ReadFile(out); !strings.HasPrefix(string(got), "id,lower,upper,size,offset\na,0,2,3,") {
		t.Errorf("wrote %q", got)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(out), ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestSizesAndTimes(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "65536": 65536, "64KiB": 65536, "1.5 MB": 1500000, "1MiB": 1 << 20, "3kB": 3000, "7B": 7, "9223372036854775807": 1<<63 - 1} {
		var v bytesValue
		if err := v.Set(text); err != nil || v.bytes != want {
			t.Errorf("%q is %d, %v; want %d", text, v.bytes, err, want)
		}
	}
	for _, text := range []string{"", "-1", "1/2", "0.3", "1e9", "9223372036854775808", "64K", "KiB", "0x10"} {
		var v bytesValue
		if err := v.Set(text); err == nil {
			t.Errorf("%q is taken for %d bytes", text, v.bytes)
		}
	}
	for text, want := range map[string]string{"0": "0s", "0.001": "1ms", "2": "2s", "1m": "1m0s", "none": "none"} {
		var v durationValue
		if err := v.Set(text); err != nil || v.String() != want {
			t.Errorf("%q is %s, %v; want %s", text, v.String(), err, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 1000: "1 kB", 1024: "1 KiB", 384 << 20: "384 MiB", 384e6: "384 MB", 1025: "1.00 KiB", 1 << 62: "4194304 TiB"} {
		if got := human(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}
