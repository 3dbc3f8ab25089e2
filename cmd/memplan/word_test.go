package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tiedPair has an optimum of 4, all of it because of the tie: at one step one
// byte is live.
const tiedPair = "id,lower,upper,size,tie\nr,0,1,1,\nt,1,2,1,r+3\n"

// What HiGHS says without a proof decides nothing, unless it is to be taken; what
// is proven does.
func TestSolversWordDecidesNothing(t *testing.T) {
	dir := t.TempDir()
	file, plan, proof := filepath.Join(dir, "tied.csv"), filepath.Join(dir, "plan.csv"), filepath.Join(dir, "c.json")
	if err := os.WriteFile(file, []byte(tiedPair), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--planner", "ilp", "--capacity", "3"}, exitLimit, "HiGHS's word"},
		{[]string{"--planner", "ilp", "--capacity", "3", "--accept-solver"}, exitNo, "(proof: mip)"},
		{[]string{"--planner", "ilp", "--capacity", "4"}, exitDone, ""},
		{[]string{"--planner", "ilp", "--require-optimal"}, exitLimit, "HiGHS's word"},
		{[]string{"--planner", "ilp", "--require-optimal", "--accept-solver"}, exitDone, ""},
		{[]string{"--capacity", "3"}, exitNo, "(proof: search)"},
		{[]string{"--require-optimal", "--certificate", proof, "-o", plan}, exitDone, ""},
	} {
		if code, _, says := call(append([]string{"plan", file}, c.args...)...); code != c.code || !strings.Contains(says, c.says) {
			t.Errorf("%v: exit %d, %q; want %d, %q", c.args, code, says, c.code, c.says)
		}
	}
	if code, _, says := call("verify", file, plan, "--certificate", proof, "--require-optimal"); code != exitDone {
		t.Errorf("verify: exit %d, %q", code, says)
	}
	if code, _, says := call("verify", file, plan, "--require-optimal"); code != exitLimit || !strings.Contains(says, "nothing proves") {
		t.Errorf("verify without a certificate: exit %d, %q", code, says)
	}
}

// Without a certificate the load alone proves a plan optimal.
func TestOptimalWithoutCertificate(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "in.csv")
	six := "id,lower,upper,size\na,0,4,2\nb,1,2,5\nc,4,5,6\nd,3,5,4\ne,2,3,3\nf,0,4,3\n"
	if err := os.WriteFile(file, []byte(six), 0o600); err != nil {
		t.Fatal(err)
	}
	for planner, want := range map[string]int{"first-fit-decreasing": exitLimit, "exact": exitDone} {
		plan := filepath.Join(dir, planner+".csv")
		if code, _, says := call("plan", file, "--planner", planner, "-o", plan); code != exitDone {
			t.Fatalf("%s: exit %d, %s", planner, code, says)
		}
		if code, _, says := call("verify", file, plan, "--require-optimal"); code != want {
			t.Errorf("%s: exit %d, %q; want %d", planner, code, says, want)
		}
	}
}

// A buffer without bytes takes no room, wherever it is pinned; and what cannot
// fit in int64 is said at once, before any planner begins.
func TestEmptyAndEndless(t *testing.T) {
	dir := t.TempDir()
	empty, endless := filepath.Join(dir, "empty.csv"), filepath.Join(dir, "endless.csv")
	for file, text := range map[string]string{
		empty:   "id,lower,upper,size,offset\na,0,2,0,100\nb,1,3,4,\n",
		endless: "id,lower,upper,size,alignment\na,0,2,4,9223372036854775807\nb,0,2,4,9223372036854775807\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if code, plan := planned(t, empty, "--capacity", "4"); code != exitDone || plan["status"] != "optimal" {
		t.Errorf("exit %d, %v", code, plan)
	}
	if code, _, says := call("plan", endless); code != exitUsage || !strings.Contains(says, "int64") || !strings.Contains(says, `"b"`) {
		t.Errorf("exit %d, %q", code, says)
	}
}
