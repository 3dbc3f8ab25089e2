package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
)

// choices is the annotation of a flag that holds the values it takes.
const choices = "choices"

// among says which values a flag takes, for completion.
func among(f *pflag.FlagSet, flag string, values ...string) {
	_ = f.SetAnnotation(flag, choices, values) // a flag of the caller's own
}

// completionVerb prints a shell's script. It is made of the flags as the verbs
// define them, so that it is never behind.
func completionVerb(e *env, args []string) error {
	names, err := e.parse(e.flags(), args, 1, 1)
	if err != nil {
		return err
	}
	shells := map[string]func(io.Writer){"bash": bashScript, "zsh": zshScript, "fish": fishScript}
	script := shells[names[0]]
	if script == nil {
		return fail(exitUsage, "shell %q: want bash, zsh or fish", names[0])
	}
	return e.write("", func(w io.Writer) error { script(w); return nil })
}

// verbs are the names of all verbs.
func verbs() (names []string) {
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// words are the values that complete a verb's own argument; nil: files.
func words(c command) []string {
	switch c.name {
	case "completion":
		return strings.Split(c.args, "|")
	case "plot":
		return []string{"plan", "profile", "spread", "gap", "growth"}
	}
	return nil
}

// spellings are the ways to write a flag.
func spellings(f *pflag.Flag) []string {
	if f.Shorthand == "" {
		return []string{"--" + f.Name}
	}
	return []string{"--" + f.Name, "-" + f.Shorthand}
}

// hasValue reports whether a value follows the flag.
func hasValue(f *pflag.Flag) bool { return f.NoOptDefVal == "" }

func bashScript(w io.Writer) {
	fmt.Fprintf(w, `# memplan's completion for bash: source <(memplan completion bash)
_memplan() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]} list=
	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		COMPREPLY=($(compgen -W "%s help" -- "$cur"))
		return
	fi
	case "$verb $prev" in
`, strings.Join(verbs(), " "))
	for _, c := range commands() {
		for _, f := range flagsOf(c) {
			for _, spelling := range spellings(f) {
				if values := f.Annotations[choices]; values != nil {
					fmt.Fprintf(w, "\t\"%s %s\") list=\"%s\" ;;\n", c.name, spelling, strings.Join(values, " "))
				} else if hasValue(f) {
					fmt.Fprintf(w, "\t\"%s %s\") return ;;\n", c.name, spelling)
				}
			}
		}
		if list := words(c); list != nil {
			fmt.Fprintf(w, "\t\"%s %[1]s\") list=\"%s\" ;;\n", c.name, strings.Join(list, " "))
		}
	}
	fmt.Fprintf(w, "\t\"help help\") list=\"%s\" ;;\n", strings.Join(verbs(), " "))
	fmt.Fprintf(w, "\tesac\n\tcase \"$cur\" in\n\t-*)\n\t\tcase \"$verb\" in\n")
	for _, c := range commands() {
		var all []string
		for _, f := range flagsOf(c) {
			all = append(all, spellings(f)...)
		}
		fmt.Fprintf(w, "\t\t%s) list=\"%s\" ;;\n", c.name, strings.Join(append(all, "--help"), " "))
	}
	fmt.Fprint(w, `		esac ;;
	esac
	local before=
	case "$cur" in
	*,*) before="${cur%,*}," ;;
	esac
	[ -z "$list" ] || COMPREPLY=($(compgen -P "$before" -W "$list" -- "${cur#"$before"}"))
}
complete -o default -F _memplan memplan
`)
}

func zshScript(w io.Writer) {
	quote := strings.NewReplacer("'", "'\\''", "[", "(", "]", ")", ":", "\\:").Replace
	fmt.Fprintf(w, "#compdef memplan\n# memplan's completion for zsh: source <(memplan completion zsh)\n_memplan() {\n\tlocal -a verbs\n\tverbs=(\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "\t\t'%s:%s'\n", c.name, quote(c.short))
	}
	fmt.Fprintf(w, "\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe verb verbs\n\t\treturn\n\tfi\n\tlocal verb=$words[2]\n\tshift words\n\t(( CURRENT-- ))\n\tcase $verb in\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "\t%s)\n\t\t_arguments", c.name)
		for _, f := range flagsOf(c) {
			value := ""
			if values := f.Annotations[choices]; values != nil {
				value = fmt.Sprintf(":%s:(%s)", f.Value.Type(), strings.Join(values, " "))
			} else if hasValue(f) {
				value = fmt.Sprintf(":%s:_files", f.Value.Type())
			}
			for _, spelling := range spellings(f) {
				fmt.Fprintf(w, " \\\n\t\t\t'%s[%s]%s'", spelling, quote(f.Usage), value)
			}
		}
		if list := words(c); list != nil {
			fmt.Fprintf(w, " \\\n\t\t\t'1:what:(%s)'", strings.Join(list, " "))
		}
		fmt.Fprintf(w, " \\\n\t\t\t'*:file:_files' ;;\n")
	}
	fmt.Fprint(w, "\tesac\n}\ncompdef _memplan memplan\n")
}

func fishScript(w io.Writer) {
	quote := strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace
	fmt.Fprintf(w, "# memplan's completion for fish: memplan completion fish | source\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "complete -c memplan -n __fish_use_subcommand -f -a %s -d '%s'\n", c.name, quote(c.short))
		from := fmt.Sprintf("complete -c memplan -n '__fish_seen_subcommand_from %s'", c.name)
		for _, f := range flagsOf(c) {
			line := from + " -l " + f.Name
			if f.Shorthand != "" {
				line += " -s " + f.Shorthand
			}
			if values := f.Annotations[choices]; values != nil {
				line += fmt.Sprintf(" -x -a '%s'", quote(strings.Join(values, " ")))
			} else if hasValue(f) {
				line += " -r"
			}
			fmt.Fprintf(w, "%s -d '%s'\n", line, quote(f.Usage))
		}
		if list := words(c); list != nil {
			fmt.Fprintf(w, "%s -a '%s'\n", from, strings.Join(list, " "))
		}
	}
}
