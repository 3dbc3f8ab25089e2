package main

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// In bash, every verb is completed with its flags, a flag with its values, and
// what takes neither with files.
func TestBashCompletion(t *testing.T) {
	code, script, says := call("completion", "bash")
	if code != exitDone {
		t.Fatal(says)
	}
	for _, c := range []struct{ line, want, not string }{
		{"memplan pla", "plan", "verify"},
		{"memplan plan --pl", "--planner", "--format"},
		{"memplan plan x.csv --planner best-", "best-fit-decreasing", "exact"},
		{"memplan plan --format ", "json", "markdown"},
		{"memplan bench --format ", "benchfmt", ""},
		{"memplan bench --by ", "family", ""},
		{"memplan stat -", "--schedule", "--planner"},
		{"memplan lower --schedule o", "optimal", "given"},
		{"memplan plot ", "growth", ""},
		{"memplan completion ", "fish", ""},
		{"memplan plan --capacity ", "", "json"},
		{"memplan plan ", "", "json"},
		{"memplan help pla", "planners", "verify"},
		{"memplan bench --planner exact,sky", "exact,skyline", "skyline"},
	} {
		words := strings.Split(c.line, " ")
		run := script + "\nCOMP_WORDS=(" + strings.Join(append(words[:len(words)-1:len(words)-1], "'"+words[len(words)-1]+"'"), " ") + ")\nCOMP_CWORD=$((${#COMP_WORDS[@]}-1))\n_memplan\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n"
		out, err := exec.Command("bash", "-c", run).CombinedOutput()
		got := strings.Fields(string(out))
		if err != nil || c.want != "" && !slices.Contains(got, c.want) || c.want == "" && len(got) > 0 || c.not != "" && slices.Contains(got, c.not) {
			t.Errorf("%q: %v, %q; want %q and not %q", c.line, err, got, c.want, c.not)
		}
	}
}

// Each shell's script names every flag of every verb, and the shell takes it.
func TestCompletionIsWhole(t *testing.T) {
	flags := 0
	for _, shell := range []struct{ name, flag string }{{"bash", "--"}, {"zsh", "'--"}, {"fish", "-l "}} {
		code, script, says := call("completion", shell.name)
		if code != exitDone {
			t.Fatal(says)
		}
		for _, c := range commands() {
			if !strings.Contains(script, c.name) {
				t.Errorf("%s: no %s", shell.name, c.name)
			}
			for _, f := range flagsOf(c) {
				if flags++; !strings.Contains(script, shell.flag+f.Name) {
					t.Errorf("%s: %s has no --%s", shell.name, c.name, f.Name)
				}
			}
		}
		path, err := exec.LookPath(shell.name)
		if err != nil {
			t.Logf("NOT TESTED: there is no %s to read its script", shell.name)
			continue
		}
		cmd := exec.CommandContext(context.Background(), path, "-n")
		cmd.Stdin = strings.NewReader(script)
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v, %s", shell.name, err, out)
		}
	}
	if flags < 300 {
		t.Errorf("%d flags", flags)
	}
	if code, _, says := call("completion", "tcsh"); code != exitUsage || !strings.Contains(says, `"tcsh"`) {
		t.Errorf("exit %d, %q", code, says)
	}
}

func TestVersionAsFlag(t *testing.T) {
	_, want, _ := call("version")
	if code, got, says := call("--version"); code != exitDone || got != want || !strings.HasPrefix(got, "memplan ") {
		t.Errorf("exit %d, %q, %q; want %q", code, got, says, want)
	}
}

// An interrupted search for the worst instance says so by its exit status: with
// what it has found, or without.
func TestAdversaryInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if code, out, says := callWith(ctx, "", "adversary"); code != exitLimit || !strings.Contains(says, "interrupted") {
		t.Errorf("exit %d, %q, %q", code, out, says)
	}
}
