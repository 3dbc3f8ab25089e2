package shared

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// outcome is what became of a test.
type outcome struct {
	testing.TB
	how string
}

func (o *outcome) Helper()      {}
func (o *outcome) Skip(...any)  { o.how = "skipped"; runtime.Goexit() }
func (o *outcome) Fatal(...any) { o.how = "failed"; runtime.Goexit() }

// of runs a test apart.
func of(test func(testing.TB)) string {
	o := &outcome{how: "passed"}
	done := make(chan struct{})
	go func() {
		defer close(done)
		test(o)
	}()
	<-done
	return o.how
}

// What is missing skips a test, and fails it in CI; what is there does neither.
func TestMissing(t *testing.T) {
	root := t.TempDir()
	data := filepath.Join(root, "shared", "data", "models")
	inner := filepath.Join(root, "repository", "a", "b")
	for _, dir := range []string{data, inner} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{filepath.Join(data, "x.tflite"), filepath.Join(root, "repository", "go.mod")} {
		if err := os.WriteFile(file, []byte("it"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(inner)
	for _, c := range []struct{ name, ci, want string }{
		{"models/x.tflite", "", "passed"},
		{"models/x.tflite", "true", "passed"},
		{"models/*.tflite", "true", "passed"},
		{"models/y.tflite", "", "skipped"},
		{"models/y.tflite", "true", "failed"},
		{"nothing/*", "", "skipped"},
		{"nothing/*", "true", "failed"},
	} {
		t.Setenv("CI", c.ci)
		if got := of(func(t testing.TB) { Path(t, c.name) }); got != c.want {
			t.Errorf("%s, CI=%q: %s, want %s", c.name, c.ci, got, c.want)
		}
	}
	if got := string(Read(t, "models/x.tflite")); got != "it" {
		t.Errorf("read %q", got)
	}
}
