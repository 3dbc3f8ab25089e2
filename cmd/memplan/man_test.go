package main

import (
	"os/exec"
	"strings"
	"testing"
)

// The manual page has every verb with every flag, and nothing that is not shown.
func TestManual(t *testing.T) {
	code, page, says := call("man")
	if code != exitDone {
		t.Fatal(says)
	}
	for _, c := range commands() {
		_, after, found := strings.Cut(page, ".SS memplan "+roff(c.name))
		part, _, _ := strings.Cut(after, ".SS ")
		if !found || !strings.Contains(part, roff(c.short)) {
			t.Errorf("%s is missing", c.name)
		}
		for _, f := range flagsOf(c) {
			if !strings.Contains(part, roff("--"+f.Name)) {
				t.Errorf("%s --%s is missing", c.name, f.Name)
			}
		}
	}
	for _, line := range strings.Split(page, "\n") {
		if macro, _, _ := strings.Cut(line, " "); strings.HasPrefix(line, ".") && !strings.Contains(".TH .SH .SS .TP .B .BI .I", macro) {
			t.Errorf("no request of man's: %s", line)
		}
	}
	if groff, err := exec.LookPath("groff"); err == nil {
		cmd := exec.Command(groff, "-man", "-Tutf8", "-ww")
		cmd.Stdin = strings.NewReader(page)
		if out, err := cmd.CombinedOutput(); err != nil || len(out) < len(page) || strings.Contains(string(out), "warning:") {
			t.Errorf("groff: %v\n%.500s", err, out)
		}
	}
}
