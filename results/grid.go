package results

import (
	"encoding/csv"
	"fmt"
	"html"
	"io"
	"strings"
	"unicode/utf8"
)

// A grid is a table ready to be written: text cells in rows.
type grid struct {
	title string
	note  string // below the table
	left  int    // columns aligned to the left; the others hold numbers
	fixed int    // columns repeated in each band where a table is split
	head  []string
	rows  [][]string
}

// writer collects the first error of a series of writes.
type writer struct {
	w   io.Writer
	err error
}

func (w *writer) printf(format string, args ...any) {
	if w.err == nil {
		_, w.err = fmt.Fprintf(w.w, format, args...)
	}
}

// bands splits g by columns so that each part is at most width characters
// wide; a part has at least one column beside the fixed ones.
func (g *grid) bands(width int) []grid {
	widths := g.widths()
	base := 0
	for _, w := range widths[:g.fixed] {
		base += w + gutter
	}
	var parts []grid
	for from := g.fixed; from < len(g.head); {
		to, used := from, base
		for to < len(g.head) && (to == from || used+widths[to] <= width) {
			used += widths[to] + gutter
			to++
		}
		parts = append(parts, g.part(from, to))
		from = to
	}
	if len(parts) == 0 {
		return []grid{*g}
	}
	parts[0].title = g.title
	parts[len(parts)-1].note = g.note
	return parts
}

// part is g with its fixed columns and columns [from, to).
func (g *grid) part(from, to int) grid {
	pick := func(row []string) []string {
		return append(append([]string{}, row[:g.fixed]...), row[from:to]...)
	}
	p := grid{left: g.left, fixed: g.fixed, head: pick(g.head)}
	for _, row := range g.rows {
		p.rows = append(p.rows, pick(row))
	}
	return p
}

const (
	gutter    = 2   // spaces between columns of text
	lineWidth = 120 // of text, where columns allow it
)

func (g *grid) widths() []int {
	widths := make([]int, len(g.head))
	for _, row := range append([][]string{g.head}, g.rows...) {
		for k, cell := range row {
			widths[k] = max(widths[k], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

func (g *grid) text(w *writer) {
	for k, part := range g.bands(lineWidth) {
		if k > 0 {
			w.printf("\n")
		}
		part.textBand(w)
	}
}

func (g *grid) textBand(w *writer) {
	if g.title != "" {
		w.printf("%s\n", g.title)
	}
	widths := g.widths()
	for _, row := range append([][]string{g.head}, g.rows...) {
		var line strings.Builder
		for k, cell := range row {
			pad := strings.Repeat(" ", widths[k]-utf8.RuneCountInString(cell))
			if k > 0 {
				line.WriteString(strings.Repeat(" ", gutter))
			}
			if k < g.left {
				line.WriteString(cell + pad)
			} else {
				line.WriteString(pad + cell)
			}
		}
		w.printf("%s\n", strings.TrimRight(line.String(), " "))
	}
	if g.note != "" {
		w.printf("%s\n", g.note)
	}
}

func (g *grid) markdown(w *writer) {
	escape := strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`, "\n", " ", "<", "&lt;")
	if g.title != "" {
		w.printf("**%s**\n\n", escape.Replace(g.title))
	}
	line := func(row []string) {
		cells := make([]string, len(row))
		for k, cell := range row {
			cells[k] = escape.Replace(cell)
		}
		w.printf("| %s |\n", strings.Join(cells, " | "))
	}
	line(g.head)
	rule := make([]string, len(g.head))
	for k := range rule {
		rule[k] = "--:"
		if k < g.left {
			rule[k] = ":--"
		}
	}
	w.printf("| %s |\n", strings.Join(rule, " | "))
	for _, row := range g.rows {
		line(row)
	}
	if g.note != "" {
		w.printf("\n%s\n", escape.Replace(g.note))
	}
}

// latex writes one tabular with the rules of booktabs, so that a table or a box
// may hold it. What else there is to say stands in comments.
func (g *grid) latex(w *writer) {
	escape := strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`,
		"{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "†", `\dag{}`, "*", `$^*$`,
		"[", "{[}", "]", "{]}", "\n", " ")
	w.printf("%% %s, one tabular; needs \\usepackage{booktabs}\n", g.title)
	for _, text := range strings.Split(g.note, ";  ") {
		w.printf("%% %s\n", escape.Replace(text))
	}
	w.printf("\\begin{tabular}{%s%s}\n\\toprule\n", strings.Repeat("l", g.left), strings.Repeat("r", len(g.head)-g.left))
	line := func(row []string) {
		cells := make([]string, len(row))
		for k, cell := range row {
			cells[k] = escape.Replace(cell)
		}
		w.printf("%s \\\\\n", strings.Join(cells, " & "))
	}
	line(g.head)
	w.printf("\\midrule\n")
	for _, row := range g.rows {
		line(row)
	}
	w.printf("\\bottomrule\n\\end{tabular}\n")
}

func (g *grid) html(w *writer) {
	w.printf("<table>\n")
	if g.title != "" {
		w.printf("<caption>%s</caption>\n", html.EscapeString(g.title))
	}
	line := func(tag string, row []string) {
		w.printf("<tr>")
		for k, cell := range row {
			class := ` class="n"`
			if k < g.left {
				class = ""
			}
			w.printf("<%s%s>%s</%s>", tag, class, html.EscapeString(cell), tag)
		}
		w.printf("</tr>\n")
	}
	w.printf("<thead>")
	line("th", g.head)
	w.printf("</thead>\n<tbody>\n")
	for _, row := range g.rows {
		line("td", row)
	}
	w.printf("</tbody>\n</table>\n")
	if g.note != "" {
		w.printf("<p>%s</p>\n", html.EscapeString(g.note))
	}
}

func (g *grid) csv(w *writer) {
	if w.err != nil {
		return
	}
	out := csv.NewWriter(w.w)
	_ = out.Write(g.head) // the writer keeps its first error
	_ = out.WriteAll(g.rows)
	w.err = out.Error()
}
