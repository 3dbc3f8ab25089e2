// Package shared finds, for tests alone, what they need and the repository does
// not hold: data in the folder ../shared/data beside it, and programs that are
// installed. Where that is missing a test is skipped, and says so; in continuous
// integration, where CI is "true", it fails, so that no check is lost unseen.
package shared

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var times = flag.Int("times", 1, "look at so many times as many random cases")

// Many is how many random cases a test looks at: n, and with -times K so many
// times as many, as `make long` does.
func Many(n int) int { return n * *times }

// Missing ends a test that cannot run, for the reason given.
func Missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal("missing, and this is CI: " + why)
	}
	t.Skip("SKIPPED, NOT TESTED: " + why)
}

// Root is the repository's folder.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if up := filepath.Dir(dir); up != dir {
			dir = up
			continue
		}
		t.Fatal("no go.mod in any folder above")
	}
}

// Path is where a file or folder of the shared data is, by its slash-separated
// name there.
func Path(t testing.TB, name string) string {
	t.Helper()
	paths := Glob(t, name)
	return paths[0]
}

// Glob lists the files of the shared data that match a pattern: at least one.
func Glob(t testing.TB, pattern string) []string {
	t.Helper()
	full := filepath.Join(filepath.Dir(Root(t)), "shared", "data", filepath.FromSlash(pattern))
	paths, err := filepath.Glob(full)
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		Missing(t, "there is no "+full)
	}
	return paths
}

// Open opens a file of the shared data until the test ends.
func Open(t testing.TB, name string) *os.File {
	t.Helper()
	f, err := os.Open(Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// Read reads a file of the shared data.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
