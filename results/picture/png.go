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

// WritePNG draws the plan as PNG.
func (p *Plan) WritePNG(w io.Writer) error {
	const scale = 2 // dots a pixel, for sharp screens
	// At 72 dots an inch a point is a dot.
	c := vgimg.NewWith(vgimg.UseWH(vg.Length(p.width()), vg.Length(p.height())), vgimg.UseDPI(72*scale))
	p.draw(&raster{c, float64(p.height()), font.NewCache(liberation.Collection())})
	_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
	return err
}

// raster draws on an image; its own coordinates count upwards.
type raster struct {
	c      *vgimg.Canvas
	height float64
	fonts  *font.Cache
}

func (r *raster) point(x, y float64) vg.Point {
	return vg.Point{X: vg.Length(x), Y: vg.Length(r.height - y)}
}

// rgb is the colour of a text such as #d55e00; all of them are in this package.
func rgb(text string) color.Color {
	v, _ := strconv.ParseUint(text[1:], 16, 32)
	return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255}
}

func (r *raster) rect(x, y, w, h float64, fill, edge string, width float64, _ string) {
	var path vg.Path
	path.Move(r.point(x, y))
	path.Line(r.point(x+w, y))
	path.Line(r.point(x+w, y+h))
	path.Line(r.point(x, y+h))
	path.Close()
	r.c.SetColor(rgb(fill))
	r.c.Fill(path)
	if edge != "" {
		r.c.SetColor(rgb(edge))
		r.c.SetLineWidth(vg.Length(width))
		r.c.SetLineDash(nil, 0)
		r.c.Stroke(path)
	}
}

func (r *raster) line(x1, y1, x2, y2 float64, colour string, dashed bool) {
	var path vg.Path
	path.Move(r.point(x1, y1))
	path.Line(r.point(x2, y2))
	r.c.SetColor(rgb(colour))
	r.c.SetLineWidth(1)
	r.c.SetLineDash(nil, 0)
	if dashed {
		r.c.SetLineDash([]vg.Length{5, 3}, 0)
	}
	r.c.Stroke(path)
}

func (r *raster) text(x, y, size float64, where int, colour, text string) {
	face := r.fonts.Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Length(size))
	x -= float64(face.Width(text)) * float64(where+1) / 2 // 0, a half, all of it
	r.c.SetColor(rgb(colour))
	r.c.FillString(face, r.point(x, y), text)
}
