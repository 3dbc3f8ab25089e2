//go:build !static && (linux || darwin || windows) && (amd64 || arm64)

package highs

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Every place is told in its turn, and the variable, where it is set, is alone.
func TestPlaces(t *testing.T) {
	env := t.TempDir()
	at := layouts[runtime.GOOS]
	var boxed []string
	for _, python := range []string{"python3.9", "python3.12"} {
		file := filepath.Join(env, "lib", python, "site-packages", at.box, at.file)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		boxed = append(boxed, file)
	}
	slices.Sort(boxed)
	t.Setenv(Variable, "")
	t.Setenv("VIRTUAL_ENV", env)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin, err := filepath.EvalSymlinks(filepath.Dir(program))
	if err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Dir(bin)
	want := append([]string{
		filepath.Join(bin, at.file), filepath.Join(root, "lib", at.file), at.clone(root),
		filepath.Join(root, "lib/python3*/site-packages", at.box, at.file), at.clone(here),
	}, append(boxed, at.file)...)
	if got := places(); !slices.Equal(got, want) {
		t.Errorf("places\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}

	for told, want := range map[string]string{"/nowhere/else.so": "/nowhere/else.so", env: filepath.Join(env, at.file)} {
		t.Setenv(Variable, told)
		if got := places(); !slices.Equal(got, []string{want}) {
			t.Errorf("%s=%s: %q, want %s alone", Variable, told, got, want)
		}
	}
}

// What is no HiGHS of the version that is known here is refused, and why.
func TestOpenRefuses(t *testing.T) {
	l, err := find()
	if err != nil {
		t.Fatal(err)
	}
	other, none := filepath.Join(t.TempDir(), "other.so"), filepath.Join(t.TempDir(), "none.so")
	data, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	later := bytes.ReplaceAll(data, []byte("1.15.1\x00"), []byte("1.16.1\x00"))
	if bytes.Equal(later, data) {
		t.Fatal("the library does not hold its version as text: this test has lost its point")
	}
	if err := errors.Join(os.WriteFile(other, later, 0o755), os.WriteFile(none, []byte("no library"), 0o755)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{other: "it is HiGHS 1.16.1, and not 1.15.x", none: "none.so", "/nowhere/at.all": "no such file"} {
		if _, err := open(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}
