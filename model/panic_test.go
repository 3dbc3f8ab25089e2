package model_test

import (
	"errors"
	"strings"
	"testing"

	"memplan/model"
)

// spoilt panics with an index out of range.
func spoilt(list []int) (n int, err error) {
	defer model.Recover(&err)
	return list[7], nil
}

func TestRecover(t *testing.T) {
	_, err := spoilt(nil)
	var p *model.Panic
	if !errors.As(err, &p) || !strings.Contains(string(p.Stack), "spoilt") {
		t.Fatalf("%v", err)
	}
	if got := err.Error(); !strings.HasPrefix(got, "panicked: runtime error: index out of range [7] with length 0, in ") ||
		!strings.Contains(got, "spoilt (panic_test.go:") || strings.Contains(got, "\n") {
		t.Error(got)
	}
	if _, err := spoilt(make([]int, 8)); err != nil {
		t.Error(err)
	}
}
