package main

import (
	"os"
	"strings"
	"testing"

	"memplan/results"
)

// The release that the program names is the one that is described and cited.
func TestVersionsAgree(t *testing.T) {
	for file, want := range map[string]string{
		"CHANGELOG.md": "\n## " + results.Version,
		"CITATION.cff": "\nversion: " + results.Version + "\n",
	} {
		text, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		if _, rest, found := strings.Cut(string(text), "\n## "); found && !strings.HasPrefix("\n## "+rest, want) || !strings.Contains(string(text), want) {
			t.Errorf("%s does not speak of %s", file, results.Version)
		}
	}
}
