package results

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// A Format is a way to write a table.
type Format string

// The formats: four for people, three for machines.
const (
	Text     Format = "text"
	Markdown Format = "markdown"
	LaTeX    Format = "latex"
	HTML     Format = "html"
	CSV      Format = "csv"
	JSON     Format = "json"
	Benchfmt Format = "benchfmt"
)

// Formats are those that a comparison is written in, OrderFormats those of a
// table of orders.
var (
	Formats      = []Format{Text, Markdown, CSV, JSON, LaTeX, HTML, Benchfmt}
	OrderFormats = []Format{Text, Markdown, CSV, JSON}
)

// extensions are the formats of files by the ends of their names.
var extensions = map[string]Format{".md": Markdown, ".csv": CSV, ".json": JSON, ".jsonl": JSON, ".tex": LaTeX, ".html": HTML}

// ParseFormat is the format of that name, which must be one of those; of no name,
// the one that the extension of a file says, else Text.
func ParseFormat(name, file string, of []Format) (Format, error) {
	if name == "" {
		name = cmp.Or(string(extensions[strings.ToLower(filepath.Ext(file))]), string(Text))
	}
	return parse("format", Format(name), of)
}

// A Grouping is what the rows of a table are.
type Grouping string

// The groupings.
const (
	ByInstance Grouping = "instance"
	ByFamily   Grouping = "family"
	ByPlanner  Grouping = "planner"
)

// Groupings are all of them.
var Groupings = []Grouping{ByInstance, ByFamily, ByPlanner}

// ParseGrouping is the grouping of that name.
func ParseGrouping(name string) (Grouping, error) { return parse("by", Grouping(name), Groupings) }

// parse finds a name among several.
func parse[T ~string](what string, name T, of []T) (T, error) {
	if slices.Contains(of, name) {
		return name, nil
	}
	return "", fmt.Errorf("%s %q: want one of %s", what, string(name), Names(of))
}

// Names lists names for people.
func Names[T ~string](list []T) string {
	names := make([]string, len(list))
	for k, name := range list {
		names[k] = string(name)
	}
	return strings.Join(names, ", ")
}

// Options say how a comparison is written.
type Options struct {
	Format Format
	By     Grouping
	Timing bool // with seconds, which differ from run to run
	Work   bool // with nodes of searches and placements of the rest
	Hard   bool // with the columns that say why an instance is hard, where rows are instances
}
