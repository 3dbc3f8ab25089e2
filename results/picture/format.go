package picture

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
	"gonum.org/v1/plot/vg/vgtex"
)

// A Format is a way to write a picture.
type Format string

// The formats: SVG; PNG; PDF; and PGF, a pgfpicture that a LaTeX document with
// \usepackage{pgf} takes by \input.
const (
	SVG Format = "svg"
	PNG Format = "png"
	PDF Format = "pdf"
	PGF Format = "pgf"
)

// Formats are all of them.
var Formats = []Format{SVG, PNG, PDF, PGF}

// ParseFormat is the format of that name; tikz and tex are other names of PGF.
func ParseFormat(name string) (Format, error) {
	switch f := Format(strings.ToLower(name)); f {
	case SVG, PNG, PDF, PGF:
		return f, nil
	case "tikz", "tex":
		return PGF, nil
	}
	return "", fmt.Errorf("picture %q: want svg, png, pdf, or pgf (also tikz, tex)", name)
}

// FormatOf is the format that a file's name asks for, SVG where it has no
// extension.
func FormatOf(file string) (Format, error) {
	ext := filepath.Ext(file)
	if ext == "" {
		return SVG, nil
	}
	return ParseFormat(ext[1:])
}

// pixel is the unit of the sizes of pictures: a 96th of an inch.
const pixel = vg.Inch / 96

// newCanvas makes a canvas of a format.
func newCanvas(format Format, w, h vg.Length) (vg.CanvasWriterTo, error) {
	switch format {
	case SVG:
		return vgsvg.New(w, h), nil
	case PNG:
		return vgimg.PngCanvas{Canvas: vgimg.New(w, h)}, nil
	case PDF:
		return pdfCanvas{vgpdf.New(w, h)}, nil
	case PGF:
		return pgfCanvas{vgtex.New(w, h)}, nil
	}
	return nil, fmt.Errorf("picture %q: want one of %v", format, Formats)
}

// A pdfCanvas leaves out when the picture was made: the same picture is the same
// bytes.
type pdfCanvas struct{ *vgpdf.Canvas }

var dates = regexp.MustCompile(`/(CreationDate|ModDate) \(D:[0-9]{14}`)

func (c pdfCanvas) WriteTo(w io.Writer) (int64, error) {
	var out bytes.Buffer
	if _, err := c.Canvas.WriteTo(&out); err != nil {
		return 0, err
	}
	n, err := w.Write(dates.ReplaceAll(out.Bytes(), []byte("/$1 (D:20000101000000")))
	return int64(n), err
}

// A pgfCanvas writes text as LaTeX has it, with its begin where it is wanted.
type pgfCanvas struct{ *vgtex.Canvas }

var latex = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`,
	"{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`)

// WriteTo writes paths by their names of today, and closes those that are closed.
func (c pgfCanvas) WriteTo(w io.Writer) (int64, error) {
	var out bytes.Buffer
	if _, err := c.Canvas.WriteTo(&out); err != nil {
		return 0, err
	}
	text := strings.NewReplacer(`\pgflineto`, `\pgfpathlineto`, "% path-close", `\pgfpathclose`).Replace(out.String())
	n, err := io.WriteString(w, text)
	return int64(n), err
}

func (c pgfCanvas) FillString(f font.Face, at vg.Point, text string) {
	escaped := latex.Replace(text)
	at.X += (f.Width(text) - f.Width(escaped)) / 2 // vgtex centres by the width of what it is given
	c.Canvas.FillString(f, at, escaped)
}
