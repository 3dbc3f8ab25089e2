package main

import (
	"fmt"
	"io"
	"strings"

	"memplan/results"
)

// manVerb prints the manual page, made of the flags as the verbs define them:
// memplan man | man -l -
func manVerb(e *env, args []string) error {
	if _, err := e.parse(e.flags(), args, 0, 0); err != nil {
		return err
	}
	return e.write("", manual)
}

// roff writes text so that nothing in it is taken for a request or an escape.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`).Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}

func manual(w io.Writer) error {
	fmt.Fprintf(w, ".TH MEMPLAN 1 \"\" \"memplan %s\" \"\"\n.SH NAME\nmemplan \\- optimal static memory planning for tensors\n", results.Version)
	fmt.Fprintf(w, ".SH SYNOPSIS\n.B memplan\n.I VERB\n[flags] [arguments]\n")
	fmt.Fprintf(w, ".SH DESCRIPTION\nGives every tensor of a model a fixed offset in one arena, and proves how small the arena can be.\n"+
		"FILE \\- is standard input; sizes may be written 64KiB. Standard output holds data alone.\n.SH VERBS\n")
	for _, c := range commands() {
		fmt.Fprintf(w, ".SS memplan %s\n%s.\n", roff(c.usage()), roff(c.short))
		for _, f := range flagsOf(c) {
			usage := f.Usage
			if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" && f.DefValue != "0" {
				usage += fmt.Sprintf(" (default %s)", f.DefValue)
			}
			value := ""
			if hasValue(f) {
				value = " " + f.Value.Type()
			}
			fmt.Fprintf(w, ".TP\n.BI %s \"%s\"\n%s\n", roff(strings.Join(spellings(f), ", ")), roff(value), roff(usage))
		}
	}
	fmt.Fprintf(w, ".SH EXIT STATUS\n")
	for code, text := range []string{"done; valid; fits", "the answer is no: an overlap, a regression, a capacity proven too small", "usage or bad input",
		"a limit came first: no plan, a capacity undecided, an optimum unproven", "internal or solver failure, or the output could not be written"} {
		fmt.Fprintf(w, ".TP\n.B %d\n%s\n", code, text)
	}
	_, err := fmt.Fprintf(w, ".SH ENVIRONMENT\n.TP\n.B MEMPLAN_HIGHS\nThe shared library of HiGHS, or the folder that holds it; nothing else is then looked at.\n")
	return err
}
