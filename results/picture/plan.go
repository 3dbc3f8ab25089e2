package picture

import (
	"fmt"
	"slices"
	"strconv"

	"memplan/model"
)

// A Plan is a plan to be drawn: time from left to right, addresses upwards, a
// rectangle a buffer (with gaps, one a live part). Time is drawn by events: the
// steps at which something is born or dies stand at equal distances, so that
// long quiet stretches take no room.
type Plan struct {
	In            *model.Instance
	Of            model.Plan
	Bound         int64 // proven lower bound, bytes; drawn where it is not the load
	Width, Height int   // in pixels; 0: 1000 and 600
}

// colours are those of Okabe and Ito, which the colour-blind tell apart, paler.
var colours = []string{"#88c5ea", "#f0c267", "#66c4a8", "#e8d44d", "#e29a66", "#dda5c6", "#9bb4d8", "#c9c9c9"}

const (
	critical = "#d55e00" // outline of the critical path
	loaded   = "#0072b2" // level and step of the load
	ink      = "#222222"
	faint    = "#888888"
)

// A canvas takes the parts of a picture, in pixels from the upper left corner.
type canvas interface {
	// rect draws a rectangle; edge is the colour of its outline, "" for none.
	// title is shown where pictures can be pointed at.
	rect(x, y, w, h float64, fill, edge string, width float64, title string)
	line(x1, y1, x2, y2 float64, colour string, dashed bool)
	// text draws text of that size; where is -1, 0 or 1 for text that begins, is
	// centred or ends at x; y is the baseline.
	text(x, y float64, size float64, where int, colour, text string)
}

// frame maps events and addresses to pixels.
type frame struct {
	left, top, right, bottom float64
	steps                    []int64 // the events, in order
	peak                     int64
	loadX                    float64 // where the step of the load stands
}

func (p *Plan) frame() frame {
	f := frame{left: 90, top: 30, right: float64(p.width()) - 110, bottom: float64(p.height()) - 40}
	for i := range p.In.Buffers {
		for part := range p.In.Buffers[i].Live() {
			f.steps = append(f.steps, part.Start, part.End)
		}
	}
	slices.Sort(f.steps)
	f.steps = slices.Compact(f.steps)
	f.peak = max(p.Of.Peak(p.In), p.In.Capacity, p.Bound, 1)
	step, _ := p.In.LoadStep()
	f.loadX = f.x(step)
	return f
}

func (p *Plan) width() int {
	if p.Width > 0 {
		return p.Width
	}
	return 1000
}

func (p *Plan) height() int {
	if p.Height > 0 {
		return p.Height
	}
	return 600
}

// x is where an event stands.
func (f *frame) x(step int64) float64 {
	k, _ := slices.BinarySearch(f.steps, step)
	return f.left + (f.right-f.left)*float64(k)/float64(max(len(f.steps)-1, 1))
}

// y is where an address stands.
func (f *frame) y(address int64) float64 {
	return f.bottom - (f.bottom-f.top)*(float64(address)/float64(f.peak))
}

// draw draws the plan.
func (p *Plan) draw(c canvas) {
	f := p.frame()
	w, h := float64(p.width()), float64(p.height())
	c.rect(0, 0, w, h, "#ffffff", "", 0, "")
	c.text(f.left, 18, 13, -1, ink, fmt.Sprintf("%s: %d buffers, peak %d bytes, load %d", p.In.Name, len(p.In.Buffers), p.Of.Peak(p.In), p.In.Load()))
	path := CriticalPath(p.In, p.Of)
	edge, outline := "", 0.7
	if len(p.In.Buffers) <= 400 { // room for outlines
		edge, outline = "#ffffff", 1.5
	}
	for i := range p.In.Buffers {
		p.buffer(c, &f, i, colours[i%len(colours)], edge, 0.5)
	}
	for _, i := range path {
		p.buffer(c, &f, i, colours[i%len(colours)], critical, outline)
	}
	p.axes(c, &f)
	p.levels(c, &f)
	if w >= 600 { // room beside the name of the axis
		p.key(c, w-5, h-8)
	}
}

// key says what the outline and the upright line are, in a line that ends at x.
func (p *Plan) key(c canvas, x, y float64) {
	c.rect(x-172, y-8, 12, 9, "#ffffff", critical, 1.5, "")
	c.text(x-156, y, 10, -1, critical, "critical path")
	c.line(x-80, y-9, x-80, y+2, loaded, true)
	c.text(x, y, 10, 1, loaded, "step of the load")
}

// buffer draws one buffer, with its name where there is room.
func (p *Plan) buffer(c canvas, f *frame, i int, fill, edge string, width float64) {
	b := &p.In.Buffers[i]
	if b.Size == 0 {
		return
	}
	at := p.Of.Offsets[i]
	title := fmt.Sprintf("%s: %d bytes at %d, live %v", b.ID, b.Size, at, b.Life)
	y, h := f.y(at+b.Size), f.y(at)-f.y(at+b.Size)
	for part := range b.Live() {
		x, w := f.x(part.Start), f.x(part.End)-f.x(part.Start)
		c.rect(x, y, w, h, fill, edge, width, title)
		const size, glyph = 10, 6.2
		if h >= size+2 && w >= glyph*float64(len(b.ID))+4 {
			c.text(f.beside(x, x+w, glyph*float64(len(b.ID))+4), y+h/2+size*0.35, size, 0, ink, b.ID)
		}
	}
}

// beside is the middle of [from, to), or of its larger part beside the step of
// the load, where a text of that width has room there.
func (f *frame) beside(from, to, width float64) float64 {
	switch at := f.loadX; {
	case at <= from || at >= to:
	case at-from >= max(to-at, width):
		to = at
	case to-at >= max(at-from, width):
		from = at
	}
	return (from + to) / 2
}

// axes draws time below and addresses on the left.
func (p *Plan) axes(c canvas, f *frame) {
	c.line(f.left, f.bottom, f.right, f.bottom, ink, false)
	c.line(f.left, f.top, f.left, f.bottom, ink, false)
	for _, k := range ticks(len(f.steps)) {
		x := f.x(f.steps[k])
		c.line(x, f.bottom, x, f.bottom+4, ink, false)
		c.text(x, f.bottom+16, 10, 0, ink, strconv.FormatInt(f.steps[k], 10))
	}
	c.text((f.left+f.right)/2, f.bottom+32, 11, 0, ink, "step, at births and deaths")
	c.text(f.left-7, f.top-12, 10, 1, ink, "address, bytes")
	const parts = 4
	for k := range int64(parts + 1) {
		at := f.peak / parts * k
		c.line(f.left-4, f.y(at), f.left, f.y(at), ink, false)
		c.text(f.left-7, f.y(at)+3.5, 10, 1, ink, strconv.FormatInt(at, 10))
	}
}

// ticks chooses up to 11 of n events, evenly.
func ticks(n int) []int {
	const most = 11
	var list []int
	step := max((n+most-2)/(most-1), 1)
	for k := 0; k < n; k += step {
		list = append(list, k)
	}
	return list
}

// levels draws peak, bound, load and capacity, and the step of the load. Names
// that would lie on each other are moved apart.
func (p *Plan) levels(c canvas, f *frame) {
	type level struct {
		name   string
		at     int64
		colour string
	}
	load := p.In.Load()
	list := []level{{"peak", p.Of.Peak(p.In), critical}, {"load", load, loaded}}
	if p.Bound > load {
		list = append(list, level{"bound", p.Bound, "#009e73"})
	}
	if p.In.Capacity > 0 {
		list = append(list, level{"capacity", p.In.Capacity, faint})
	}
	slices.SortStableFunc(list, func(a, b level) int { return int(max(-1, min(1, b.at-a.at))) })
	lowest := f.top - 20
	for _, l := range list {
		y := f.y(l.at)
		c.line(f.left, y, f.right, y, l.colour, true)
		lowest = max(lowest+12, y+3.5)
		c.text(f.right+5, lowest, 10, -1, l.colour, l.name+" "+strconv.FormatInt(l.at, 10))
	}
	if load > 0 {
		c.line(f.loadX, f.top, f.loadX, f.bottom, loaded, true)
	}
}
