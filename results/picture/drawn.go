package picture

import (
	"image/color"
	"io"
	"strconv"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// Write draws the plan. In SVG buffers have titles, for pictures that can be
// pointed at.
func (p *Plan) Write(w io.Writer, format Format) error {
	width, height := vg.Length(p.width()), vg.Length(p.height())
	d := &drawn{height: p.height(), unit: pixel, fonts: font.NewCache(liberation.Collection())}
	var out vg.CanvasWriterTo
	var err error
	switch format {
	case SVG:
		return p.writeSVG(w)
	case PNG:
		const scale = 2 // dots a pixel, for sharp screens
		// At 72 dots an inch a point is a dot.
		out, d.unit = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(72*scale))}, 1
	default:
		out, err = newCanvas(format, width*pixel, height*pixel)
	}
	if err != nil {
		return err
	}
	d.c = out
	p.draw(d)
	_, err = out.WriteTo(w)
	return err
}

// drawn draws on a canvas whose own coordinates count upwards.
type drawn struct {
	c      vg.Canvas
	height int
	unit   vg.Length // of a pixel
	fonts  *font.Cache
}

func (d *drawn) point(x, y float64) vg.Point {
	return vg.Point{X: vg.Length(x) * d.unit, Y: vg.Length(float64(d.height)-y) * d.unit}
}

// rgb is the colour of a text such as #d55e00; all of them are in this package.
func rgb(text string) color.Color {
	v, _ := strconv.ParseUint(text[1:], 16, 32)
	return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255}
}

func (d *drawn) rect(x, y, w, h float64, fill, edge string, width float64, _ string) {
	var path vg.Path
	path.Move(d.point(x, y))
	path.Line(d.point(x+w, y))
	path.Line(d.point(x+w, y+h))
	path.Line(d.point(x, y+h))
	path.Close()
	d.c.SetColor(rgb(fill))
	d.c.Fill(path)
	if edge != "" {
		d.c.SetColor(rgb(edge))
		d.c.SetLineWidth(vg.Length(width) * d.unit)
		d.c.SetLineDash(nil, 0)
		d.c.Stroke(path)
	}
}

func (d *drawn) line(x1, y1, x2, y2 float64, colour string, dashed bool) {
	var path vg.Path
	path.Move(d.point(x1, y1))
	path.Line(d.point(x2, y2))
	d.c.SetColor(rgb(colour))
	d.c.SetLineWidth(d.unit)
	d.c.SetLineDash(nil, 0)
	if dashed {
		d.c.SetLineDash([]vg.Length{5 * d.unit, 3 * d.unit}, 0)
	}
	d.c.Stroke(path)
}

func (d *drawn) text(x, y, size float64, where int, colour, text string) {
	face := d.fonts.Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Length(size)*d.unit)
	x -= float64(face.Width(text)/d.unit) * float64(where+1) / 2 // 0, a half, all of it
	d.c.SetColor(rgb(colour))
	d.c.FillString(face, d.point(x, y), text)
}
