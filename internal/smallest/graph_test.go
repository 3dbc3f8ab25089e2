package smallest

import "testing"

// TestIntervals: the numbers of interval graphs are those known (OEIS A005975),
// so that none is missed.
func TestIntervals(t *testing.T) {
	for n, want := range []int{1, 1, 2, 4, 10, 27, 92, 369, 1807} {
		got := 0
		Intervals(n, func(Graph) bool { got++; return true })
		if got != want {
			t.Errorf("%d graphs of %d intervals, %d are known", got, n, want)
		}
	}
}
