package model

import (
	"strings"
	"testing"
)

// Of very many faults the first are told, and none is longer than a page.
func TestFaultsAreLimited(t *testing.T) {
	f := Faults{File: "f"}
	for i := range 1000 {
		f.At(1000-i, "fault %d", i)
	}
	f.At(1, "%s", strings.Repeat("é", 5000))
	lines := strings.Split(f.Err().Error(), "\n")
	if len(lines) != maxFaults+1 || lines[0] != "f:1: fault 999" || lines[maxFaults] != "f: and 901 faults more" {
		t.Errorf("%d lines, %q, %q", len(lines), lines[0], lines[len(lines)-1])
	}
	if n := len(lines[1]); n > maxBytes+20 || !strings.HasSuffix(lines[1], "é ...") {
		t.Errorf("%d bytes, ending in %q", n, lines[1][n-10:])
	}
}
