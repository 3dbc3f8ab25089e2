package main

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"memplan/results"
	"memplan/results/picture"
)

// plotFlags are the flags of plot.
type plotFlags struct {
	out      string
	format   picture.Format
	planners []string
	seconds  bool
	width    int
	height   int
	space    string
	lower    lowerFlags
}

func plotVerb(e *env, args []string) error {
	var o plotFlags
	f := e.flags()
	f.StringVarP(&o.out, "output", "o", "", "write the picture to this file")
	format := f.String("format", "", "svg, png, pdf, or pgf for LaTeX (default: after the output's extension, else svg)")
	among(f, "format", "svg", "png", "pdf", "pgf")
	f.StringSliceVar(&o.planners, "planner", nil, "curves of these planners alone")
	f.BoolVar(&o.seconds, "seconds", false, "gap over seconds, not over counted work")
	f.Var(count(&o.width, 0), "width", "of the picture in pixels, 96 to an inch; 0 is 1000 for a plan, else 960")
	f.Var(count(&o.height, 0), "height", "of the picture in pixels; 0 is 600 for a plan, else 576")
	f.StringVar(&o.space, "space", "", "the memory space to draw, where a plan is of several")
	o.lower.add(f)
	names, err := e.parse(f, args, 2, -1)
	if err != nil {
		return err
	}
	what, names := names[0], names[1:]
	if err := writable("-o", o.out, names...); err != nil {
		return err
	}
	if err := o.settle(*format); err != nil {
		return err
	}
	if err := o.apply(f, what); err != nil {
		return err
	}
	switch what {
	case "plan":
		return e.plotPlan(names, &o)
	case "traffic":
		return e.plotTraffic(names, &o)
	}
	records, err := e.readAll(names)
	if err != nil {
		return err
	}
	if len(o.planners) > 0 {
		records = slices.DeleteFunc(records, func(r results.Record) bool { return !slices.Contains(o.planners, r.Planner) })
		if len(records) == 0 {
			return fail(exitUsage, "not one record of %s in %s", strings.Join(o.planners, ", "), strings.Join(names, ", "))
		}
	}
	var d picture.Diagram
	switch what {
	case "profile":
		d = picture.Profile(results.Compare(records))
	case "spread":
		d = picture.Spread(results.Compare(records))
	case "gap":
		d = picture.Gap(results.Latest(records), o.seconds)
	case "growth":
		d = picture.Growth(records)
	default:
		return fail(exitUsage, "plot %q: want plan, traffic, profile, spread, gap or growth", what)
	}
	d.Width, d.Height = o.width, o.height
	return e.write(o.out, func(w io.Writer) error { return d.Write(w, o.format) })
}

// settle reads the format, and looks at the size.
func (o *plotFlags) settle(format string) (err error) {
	if format != "" {
		o.format, err = picture.ParseFormat(format)
	} else {
		o.format, err = picture.FormatOf(o.out)
	}
	if err != nil {
		return fail(exitUsage, "%w", err)
	}
	const least, most = 200, 20000
	for _, pixels := range []int{o.width, o.height} {
		if pixels != 0 && (pixels < least || pixels > most) {
			return fail(exitUsage, "%d pixels: want %d to %d", pixels, least, most)
		}
	}
	return nil
}

// apply is an error where a flag was given that means nothing to that picture.
func (o *plotFlags) apply(f *pflag.FlagSet, what string) error {
	idle := slices.Concat(graphFlags, tfliteFlags, []string{"space", "granularity"})
	switch what {
	case "plan":
		idle = []string{"planner"}
	case "traffic":
		idle = []string{"planner", "space", "kept", "concat"}
	}
	if what != "gap" {
		idle = append(idle, "seconds")
	}
	for _, name := range idle {
		if f.Changed(name) {
			return fail(exitUsage, "--%s means nothing to plot %s", name, what)
		}
	}
	return nil
}

// plotPlan draws the plan of FILE that PLAN holds.
func (e *env) plotPlan(names []string, o *plotFlags) error {
	if len(names) != 2 {
		return fail(exitUsage, "usage: memplan plot plan FILE PLAN")
	}
	src, err := e.load(names[0], o.lower)
	if err != nil {
		return err
	}
	plans, err := src.readPlan(e, names[1])
	if err != nil {
		return err
	}
	in, err := src.space(o.space)
	if err != nil {
		return err
	}
	capacity := in.Capacity
	in.Capacity = 0 // a plan that is too large may be looked at
	if err := src.holds(names[1], plans); err != nil {
		return err
	}
	in.Capacity = capacity
	p := picture.Plan{In: in, Of: plans[slices.Index(src.task.Arenas, in)], Width: o.width, Height: o.height}
	return e.write(o.out, func(w io.Writer) error { return p.Write(w, o.format) })
}
