package main

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"memplan/results"
	"memplan/results/picture"
)

// plotFlags are the flags of plot.
type plotFlags struct {
	out      string
	format   string
	planners []string
	seconds  bool
	width    int
	height   int
	lower    lowerFlags
}

func plotVerb(e *env, args []string) error {
	var o plotFlags
	f := e.flags()
	f.StringVarP(&o.out, "output", "o", "", "write the picture to this file")
	f.StringVar(&o.format, "format", "", "svg or png (default: after the output's extension, else svg)")
	f.StringSliceVar(&o.planners, "planner", nil, "curves of these planners alone")
	f.BoolVar(&o.seconds, "seconds", false, "gap over seconds, not over counted work")
	f.IntVar(&o.width, "width", 1000, "of a plan's picture, in pixels")
	f.IntVar(&o.height, "height", 600, "of a plan's picture, in pixels")
	o.lower.add(f)
	names, err := e.parse(f, args, 2, -1)
	if err != nil {
		return err
	}
	if o.format == "" {
		o.format = "svg"
		if strings.EqualFold(filepath.Ext(o.out), ".png") {
			o.format = "png"
		}
	}
	if o.format != "svg" && o.format != "png" {
		return fail(exitUsage, "format %q: want svg or png", o.format)
	}
	what, names := names[0], names[1:]
	if err := o.apply(f, what); err != nil {
		return err
	}
	if err := spares("-o", o.out, names...); err != nil {
		return err
	}
	if what == "plan" {
		return e.plotPlan(names, &o)
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
	case "gap":
		d = picture.Gap(results.Latest(records), o.seconds)
	case "growth":
		d = picture.Growth(records)
	default:
		return fail(exitUsage, "plot %q: want plan, profile, gap or growth", what)
	}
	return e.write(o.out, func(w io.Writer) error { return d.Write(w, o.format) })
}

// apply is an error where a flag was given that means nothing to that picture.
func (o *plotFlags) apply(f *pflag.FlagSet, what string) error {
	idle := slices.Concat(graphFlags, []string{runtimeFlag, "granularity"})
	if what == "plan" {
		idle = []string{"planner"}
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
	if o.width < 300 || o.height < 200 || o.width > 20000 || o.height > 20000 {
		return fail(exitUsage, "%d x %d pixels: want 300 x 200 to 20000 x 20000", o.width, o.height)
	}
	src, err := e.load(names[0], o.lower)
	if err != nil {
		return err
	}
	plans, err := src.readPlan(e, names[1])
	if err != nil {
		return err
	}
	if len(plans) != 1 {
		return fail(exitUsage, "%s has %d memory spaces", names[0], len(plans))
	}
	in := src.task.Arenas[0]
	capacity := in.Capacity
	in.Capacity = 0 // a plan that is too large may be looked at
	if err := src.holds(names[1], plans); err != nil {
		return err
	}
	in.Capacity = capacity
	p := picture.Plan{In: in, Of: plans[0], Width: o.width, Height: o.height}
	write := p.WriteSVG
	if o.format == "png" {
		write = p.WritePNG
	}
	return e.write(o.out, write)
}
