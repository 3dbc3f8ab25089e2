package ilp

import "testing"

// WithStride makes plans longer by so few steps at a time, until the test's end.
func WithStride(t *testing.T, steps int64) {
	before := stride
	stride = steps
	t.Cleanup(func() { stride = before })
}
