package picture

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"strconv"
)

// writeSVG draws the plan as SVG, with a title on each buffer.
func (p *Plan) writeSVG(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%d" font-family="sans-serif">`+"\n", p.width(), p.height(), p.height())
	p.draw(&svg{out})
	fmt.Fprintln(out, "</svg>")
	return out.Flush()
}

type svg struct{ w *bufio.Writer }

// num is a coordinate, to a hundredth of a pixel.
func num(v float64) string { return strconv.FormatFloat(float64(int64(v*100+0.5))/100, 'f', -1, 64) }

func (s *svg) rect(x, y, w, h float64, fill, edge string, width float64, title string) {
	fmt.Fprintf(s.w, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s"`, num(x), num(y), num(w), num(h), fill)
	if edge != "" {
		fmt.Fprintf(s.w, ` stroke="%s" stroke-width="%s"`, edge, num(width))
	}
	if title == "" {
		fmt.Fprint(s.w, "/>\n")
		return
	}
	fmt.Fprintf(s.w, "><title>%s</title></rect>\n", html.EscapeString(title))
}

func (s *svg) line(x1, y1, x2, y2 float64, colour string, dashed bool) {
	dash := ""
	if dashed {
		dash = ` stroke-dasharray="5 3"`
	}
	fmt.Fprintf(s.w, `<line x1="%s" y1="%s" x2="%s" y2="%s" stroke="%s"%s/>`+"\n", num(x1), num(y1), num(x2), num(y2), colour, dash)
}

func (s *svg) text(x, y, size float64, where int, colour, text string) {
	anchor := [...]string{"start", "middle", "end"}[where+1]
	fmt.Fprintf(s.w, `<text x="%s" y="%s" font-size="%s" text-anchor="%s" fill="%s" pointer-events="none">%s</text>`+"\n",
		num(x), num(y), num(size), anchor, colour, html.EscapeString(text))
}
