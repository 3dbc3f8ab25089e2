package results

import (
	"bufio"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"memplan/ilp/highs"
)

// maxCommand is the longest command line that each record repeats, in bytes.
const maxCommand = 300

// Here is the provenance of records made by this program, run with args. A long
// command line is cut short.
func Here(args []string) *Provenance {
	command := strings.Join(append([]string{"memplan"}, args...), " ")
	if len(command) > maxCommand {
		command = strings.ToValidUTF8(command[:maxCommand], "") + " ..."
	}
	return &Provenance{
		Revision: Revision(),
		Go:       runtime.Version(),
		HiGHS:    highs.Solver{}.Version(),
		CPU:      cpu(),
		Command:  command,
	}
}

// Version is the release that these sources are, or will be; wheels, archives,
// CHANGELOG.md and CITATION.cff carry the same.
const Version = "0.1.0"

// revision is set by the Makefile: builds there do without version control.
var revision string

// Revision is the commit that the program was built from, "+" where it was
// changed since; "unknown" where nothing says so.
func Revision() string {
	if revision != "" {
		return revision
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	commit, changed := "unknown", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+"
		}
	}
	return commit + changed
}

// cpu is the processor's name where the system tells it, else its kind.
func cpu() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if key, name, _ := strings.Cut(s.Text(), ":"); strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(name)
		}
	}
	return runtime.GOARCH
}
