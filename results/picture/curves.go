package picture

import (
	"cmp"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"memplan/results"
)

// A Curve is one line of a diagram.
type Curve struct {
	Name string
	X, Y []float64
	Step bool // keeps its height up to the next point
}

// A Diagram is a set of curves over common axes.
type Diagram struct {
	Title, X, Y string
	Curves      []Curve // the most important first: where they are many, the last are faint and have no name
	LogX, LogY  bool
	Ends        bool     // with a dot where a curve ends
	Lanes       []string // curves are dots, in lanes with these names, the lowest at 0

	Width, Height int // in pixels; 0: 960 and 576
}

// Profile is the performance profile of the planners: over a factor, the share
// of the instances on which the planner's peak is within that factor of the
// bound. Instances without a plan count as never. The planners with the largest
// area below their curves come first.
func Profile(c *results.Comparison) Diagram {
	d := Diagram{Title: fmt.Sprintf("Performance profile, %d instances", len(c.Rows)), X: "peak / bound, at most", Y: "share of instances"}
	end := 1.01
	ratios := make([][]float64, len(c.Columns))
	for k := range c.Columns {
		for i := range c.Rows {
			if r := c.Rows[i].Cells[k]; r != nil && r.Peak != nil && c.Rows[i].Bound > 0 {
				ratios[k] = append(ratios[k], float64(*r.Peak)/float64(c.Rows[i].Bound))
			}
		}
		slices.Sort(ratios[k])
		if n := len(ratios[k]); n > 0 {
			end = max(end, min(ratios[k][n-1], farthest))
		}
	}
	for k, name := range c.Columns {
		curve := Curve{Name: name, X: []float64{1}, Y: []float64{0}, Step: true}
		for i, v := range ratios[k] {
			if v > end {
				break
			}
			curve.X, curve.Y = append(curve.X, v), append(curve.Y, float64(i+1)/float64(len(c.Rows)))
		}
		last := len(curve.Y) - 1
		curve.X, curve.Y = append(curve.X, end), append(curve.Y, curve.Y[last])
		d.Curves = append(d.Curves, curve)
	}
	slices.SortStableFunc(d.Curves, func(a, b Curve) int { return cmp.Compare(b.area(), a.area()) })
	return d
}

// area is what lies below a curve of steps.
func (c *Curve) area() (sum float64) {
	for k := 1; k < len(c.X); k++ {
		sum += (c.X[k] - c.X[k-1]) * c.Y[k-1]
	}
	return sum
}

// farthest is the factor at which a performance profile ends: what needs more
// than that is no rival.
const farthest = 2

// Gap is the gap between best peak and bound as runs went on: over work, which
// is the same in every run, or over seconds. A record without a trace is the point
// where it ended; what came before the first plan is left out, and gaps above a
// hundred percent stand at a hundred. Those that end with the smallest gap come
// first, of these the earliest.
func Gap(records []results.Record, seconds bool) Diagram {
	d := Diagram{Title: "Gap between the best plan and the bound", X: "work, in the units of each planner", Y: "peak / bound - 1, %", Ends: true}
	if seconds {
		d.X = "seconds"
	}
	instances := make(map[string]bool)
	for i := range records {
		instances[records[i].Instance] = true
	}
	for i := range records {
		curve := course(&records[i], seconds)
		if len(instances) > 1 {
			curve.Name = records[i].Instance + " " + curve.Name
		}
		if len(curve.X) > 0 {
			d.Curves = append(d.Curves, curve)
		}
	}
	slices.SortStableFunc(d.Curves, func(a, b Curve) int {
		m, n := len(a.X)-1, len(b.X)-1
		return cmp.Or(cmp.Compare(a.Y[m], b.Y[n]), cmp.Compare(a.X[m], b.X[n]))
	})
	d.LogX = d.wide()
	return d
}

// course is the gap of one run; empty where it found no plan.
func course(r *results.Record, seconds bool) Curve {
	curve := Curve{Name: r.Planner, Step: true}
	add := func(peak *int64, bound int64, x float64) {
		if peak != nil && bound > 0 {
			curve.X = append(curve.X, x)
			curve.Y = append(curve.Y, min(100*(float64(*peak)/float64(bound)-1), 100*(farthest-1)))
		}
	}
	for _, p := range r.Trace {
		if seconds {
			add(p.Peak, p.Bound, float64(p.Nanoseconds)/1e9)
		} else {
			add(p.Peak, p.Bound, float64(p.Work))
		}
	}
	end := float64(r.Nanoseconds) / 1e9
	if n := len(curve.X); seconds && n > 0 && end > curve.X[n-1] {
		add(r.Peak, r.Bound, end)
		curve.Y[n] = curve.Y[n-1]
	} else if n == 0 && seconds {
		add(r.Peak, r.Bound, end)
	} else if n == 0 {
		add(r.Peak, r.Bound, float64(max(r.Placements, r.Nodes)))
	}
	return curve
}

// wide reports whether the curves go over so many powers of ten that only a
// logarithm shows them all. It leaves none of them at 0, where it has no place.
func (d *Diagram) wide() bool {
	var all []float64
	for _, c := range d.Curves {
		all = append(all, slices.DeleteFunc(slices.Clone(c.X), func(x float64) bool { return x <= 0 })...)
	}
	if len(all) == 0 || slices.Max(all) < 1000*slices.Min(all) {
		return false
	}
	for _, c := range d.Curves {
		for k := range c.X {
			c.X[k] = max(c.X[k], slices.Min(all))
		}
	}
	return true
}

// Growth is the time that planners take over the number of buffers: for each
// planner and number the median, in microseconds.
func Growth(records []results.Record) Diagram {
	d := Diagram{Title: "Time over the number of buffers", X: "buffers", Y: "microseconds", LogX: true, LogY: true}
	times := make(map[string]map[int][]float64)
	var planners []string
	for _, r := range results.Latest(records) {
		if r.Peak == nil || r.Buffers == 0 || r.Nanoseconds == 0 {
			continue
		}
		if times[r.Planner] == nil {
			times[r.Planner] = make(map[int][]float64)
			planners = append(planners, r.Planner)
		}
		times[r.Planner][r.Buffers] = append(times[r.Planner][r.Buffers], float64(r.Nanoseconds)/1e3)
	}
	slices.SortFunc(planners, results.ByPlace)
	for _, name := range planners {
		curve := Curve{Name: name}
		for n := range times[name] {
			curve.X = append(curve.X, float64(n))
		}
		slices.Sort(curve.X)
		for _, n := range curve.X {
			list := times[name][int(n)]
			slices.Sort(list)
			curve.Y = append(curve.Y, stat.Quantile(0.5, stat.Empirical, list, nil))
		}
		d.Curves = append(d.Curves, curve)
	}
	return d
}

// strong are colours for lines, those of Okabe and Ito; where they run out the
// dashes change.
var strong = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"}

// pale is the colour of the curves that do not stand out.
const pale = "#c9c9c9"

var dashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 3, 2, 3}}

// ends mark the ends of curves, as dashes do their lines.
var ends = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}}

// maxNames is the number of curves that stand out: more of them nobody tells
// apart. A low picture has room for fewer.
const maxNames = 21

func (d *Diagram) names() int {
	const margins, line = 40, 15 // pixels
	return min(maxNames, max(1, (cmp.Or(d.Height, 576)-margins)/line-1))
}

// Write draws the diagram, with the names of its curves on the right.
func (d *Diagram) Write(w io.Writer, format Format) error {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = d.Title, d.X, d.Y
	p.BackgroundColor = color.White
	p.Add(plotter.NewGrid())
	names, err := d.draw(p)
	if err != nil {
		return err
	}
	d.axes(p)
	for _, f := range []*font.Font{&p.Title.TextStyle.Font, &p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font,
		&p.X.Tick.Label.Font, &p.Y.Tick.Label.Font, &names.TextStyle.Font} {
		f.Variant = "Sans"
	}
	width, height := vg.Length(cmp.Or(d.Width, 960))*pixel, vg.Length(cmp.Or(d.Height, 576))*pixel
	c, err := newCanvas(format, width, height)
	if err != nil {
		return err
	}
	all := draw.New(c)
	all.SetColor(color.White)
	all.Fill(all.Rectangle.Path())
	right := min(2.6*vg.Inch, width*2/5)
	p.Draw(draw.Crop(all, 8, -right, 8, -8))
	names.Top, names.Left, names.Padding = true, true, 3
	names.TextStyle.Font.Size, names.ThumbnailWidth = 9, 24
	names.Draw(draw.Crop(all, width-right+12, -4, 8, -20))
	_, err = c.WriteTo(w)
	return err
}

// draw adds the curves to the plot, the important ones on top, and names them.
func (d *Diagram) draw(p *plot.Plot) (plot.Legend, error) {
	names, most := plot.NewLegend(), d.names()
	signs := make([][]plot.Thumbnailer, len(d.Curves)) // beside the names
	for k := len(d.Curves) - 1; k >= 0; k-- {
		c := &d.Curves[k]
		points := c.points(d.LogX, d.LogY)
		if d.Lanes != nil {
			dots, err := plotter.NewScatter(points)
			if err != nil {
				return names, fmt.Errorf("%s: %w", c.Name, err)
			}
			dots.GlyphStyle = draw.GlyphStyle{Color: rgb(strong[k%len(strong)]), Radius: 3, Shape: draw.CircleGlyph{}}
			p.Add(dots)
			signs[k] = append(signs[k], dots)
			continue
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return names, fmt.Errorf("%s: %w", c.Name, err)
		}
		line.Color, line.Width = rgb(pale), 0.7
		if k < most {
			line.Color, line.Width = rgb(strong[k%len(strong)]), 1.5
			line.Dashes = dashes[k/len(strong)%len(dashes)]
		}
		if c.Step {
			line.StepStyle = plotter.PostStep
		}
		p.Add(line)
		signs[k] = append(signs[k], line)
		if d.Ends {
			end, err := plotter.NewScatter(points[len(points)-1:])
			if err != nil {
				return names, fmt.Errorf("%s: %w", c.Name, err)
			}
			end.GlyphStyle = draw.GlyphStyle{Color: line.Color, Radius: 3, Shape: ends[k%most/len(strong)%len(ends)]}
			p.Add(end)
			signs[k] = append(signs[k], end)
		}
	}
	for k := range min(len(signs), most) {
		names.Add(d.Curves[k].Name, signs[k]...)
	}
	if more := len(signs) - most; more > 0 {
		names.Add(fmt.Sprintf("and %d more", more), signs[most]...)
	}
	return names, nil
}

func (d *Diagram) axes(p *plot.Plot) {
	if d.Ends { // runs begin at 0
		p.Y.Min = 0
		if !d.LogX {
			p.X.Min = 0
		}
	}
	if d.Lanes != nil {
		p.X.Min, p.Y.Min, p.Y.Max = 0, -0.3, float64(len(d.Lanes))
		var ticks []plot.Tick
		for k, name := range d.Lanes {
			ticks = append(ticks, plot.Tick{Value: float64(k), Label: name})
		}
		p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	}
	if len(d.Curves) == 0 { // an empty diagram still has axes
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 1, 10, 1, 10
	}
	if d.LogX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	if d.LogY {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		if _, log := a.Scale.(plot.LogScale); log { // whole decades, so that there are numbers to read
			a.Min, a.Max = math.Pow(10, math.Floor(math.Log10(a.Min))), math.Pow(10, math.Ceil(math.Log10(a.Max)))
		}
		if a.Max <= a.Min {
			a.Max = a.Min + 1
		}
	}
	p.Title.TextStyle.Font.Size = 12
}

// points are the curve's, without those that a logarithm has no place for.
func (c *Curve) points(logX, logY bool) plotter.XYs {
	var list plotter.XYs
	for k := range c.X {
		x, y := c.X[k], c.Y[k]
		if logX && x <= 0 || logY && y <= 0 || math.IsNaN(x+y) || math.IsInf(x+y, 0) {
			continue
		}
		list = append(list, plotter.XY{X: x, Y: y})
	}
	if len(list) == 0 {
		list = plotter.XYs{{X: 1, Y: 1}}
	}
	return list
}
