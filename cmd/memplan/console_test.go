package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"memplan/internal/shared"
)

// A block is one ```console block of a document: commands, each after "$ ", with
// further lines of theirs after "> ", and below them what they print.
type block struct {
	file  string
	line  int
	lines []string
}

// blocks lists the console blocks of a document.
func blocks(t *testing.T, file string) []block {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []block
	inside := false
	for k, line := range strings.Split(string(data), "\n") {
		switch {
		case strings.HasPrefix(line, "```console"):
			list, inside = append(list, block{file: filepath.Base(file), line: k + 1}), true
		case strings.HasPrefix(line, "```"):
			inside = false
		case inside:
			b := &list[len(list)-1]
			b.lines = append(b.lines, line)
		}
	}
	return list
}

// A shell runs commands with memplan on its path, in an empty folder.
type shell struct{ folder, path string }

func newShell(t *testing.T) *shell {
	t.Helper()
	root := t.TempDir()
	s := &shell{filepath.Join(root, "main"), filepath.Join(root, "bin")}
	for _, dir := range []string{s.folder, s.path, filepath.Join(s.folder, "bin")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\nMEMPLAN_TEST_AS_PROGRAM=1 exec %q \"$@\"\n", self)
	for _, dir := range []string{s.path, filepath.Join(s.folder, "bin")} {
		if err := os.WriteFile(filepath.Join(dir, "memplan"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s *shell) run(command string) string {
	cmd := exec.Command("bash", "-c", command)
	cmd.Dir = s.folder
	cmd.Env = append(os.Environ(), "PATH="+s.path+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		out = append(out, fmt.Sprintf("(%v)\n", err)...)
	}
	return string(out)
}

// check runs a block's commands and compares what they print; in what is
// expected, a line "..." stands for any number of lines.
func (s *shell) check(t *testing.T, b block) []string {
	t.Helper()
	var now []string // the block as it should be
	for k := 0; k < len(b.lines); {
		command, ok := strings.CutPrefix(b.lines[k], "$ ")
		if !ok {
			t.Fatalf("%s:%d: %q is not a command", b.file, b.line+k+1, b.lines[k])
		}
		at := k
		for k++; k < len(b.lines) && strings.HasSuffix(command, `\`); k++ {
			command = strings.TrimSuffix(command, `\`) + b.lines[k]
		}
		for ; k < len(b.lines) && strings.HasPrefix(b.lines[k], "> "); k++ {
			command += "\n" + b.lines[k][2:]
		}
		var want []string
		for ; k < len(b.lines) && !strings.HasPrefix(b.lines[k], "$ "); k++ {
			want = append(want, strings.TrimRight(b.lines[k], " "))
		}
		now = append(now, b.lines[at:k-len(want)]...)
		got := printed(s.run(command))
		if elided(want, got) {
			now = append(now, want...)
			continue
		}
		now = append(now, got...)
		if os.Getenv("UPDATE") == "" {
			t.Errorf("%s:%d: $ %s\nprints\n%s\nwant\n%s", b.file, b.line+at+1, command, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	return now
}

// printed is output as lines, without spaces at their ends.
func printed(out string) []string {
	if out == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

// checkAll checks the blocks of a document, in their order. UPDATE=1 in the
// environment writes what the commands print into it.
func (s *shell) checkAll(t *testing.T, file string) {
	t.Helper()
	list := blocks(t, file)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, b := range list {
		now := s.check(t, b)
		text = strings.Replace(text, "```console\n"+join(b.lines), "```console\n"+join(now), 1)
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func join(lines []string) string { return strings.Join(append(lines, ""), "\n") }

// elided reports whether got is want, with anything in place of "..." lines.
func elided(want, got []string) bool {
	if len(want) == 0 {
		return len(got) == 0
	}
	if want[0] == "..." {
		for k := 0; k <= len(got); k++ {
			if elided(want[1:], got[k:]) {
				return true
			}
		}
		return false
	}
	return len(got) > 0 && got[0] == want[0] && elided(want[1:], got[1:])
}

// Every console block of testdata prints what it says.
func TestConsole(t *testing.T) {
	files, err := filepath.Glob("testdata/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents in testdata: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), "../shared/") {
				shared.Path(t, "cases")
			}
			s := newShell(t)
			if err := os.Symlink(filepath.Join(filepath.Dir(shared.Root(t)), "shared"), filepath.Join(s.folder, "..", "shared")); err != nil {
				t.Fatal(err)
			}
			if len(blocks(t, file)) == 0 {
				t.Fatalf("%s has no console block", file)
			}
			s.checkAll(t, file)
		})
	}
}

// Every console block of the README and of docs prints what it says, in a clone
// without the data beside it: what they need is made by themselves, or is among
// the models that make fetches.
func TestDocs(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents in docs: %v", err)
	}
	for _, file := range append(files, "../../README.md") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			s := newShell(t)
			for _, folder := range []string{".deps", "model", "docs"} {
				if err := os.Symlink(filepath.Join(shared.Root(t), folder), filepath.Join(s.folder, folder)); err != nil {
					t.Fatal(err)
				}
			}
			s.checkAll(t, file)
		})
	}
}

// A document that says something false is found out.
func TestConsoleObjects(t *testing.T) {
	for _, c := range []struct {
		want, got string
		same      bool
	}{
		{"a\nb", "a\nb", true},
		{"a", "a\nb", false},
		{"a\n...", "a\nb\nc", true},
		{"...\nc", "a\nb\nc", true},
		{"a\n...\nd", "a\nb\nc", false},
		{"...", "", true},
		{"", "a", false},
		{"a", "", false},
	} {
		if elided(printed(c.want), printed(c.got)) != c.same {
			t.Errorf("%q for %q: want %v", c.want, c.got, c.same)
		}
	}
}
