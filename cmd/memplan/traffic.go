package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"memplan/model"
	"memplan/results"
	"memplan/results/picture"
	"memplan/spill"
)

// trafficFlags are the flags of traffic.
type trafficFlags struct {
	solver     solverFlags
	lower      lowerFlags
	capacities []string
	ways       []string
	read       int64
	write      int64
	format     string
	timing     bool
	out        string
}

// slowWays are the ways to use a slow memory, by name.
var slowWays = []spill.Way{spill.Whole, spill.Pieces, spill.Staged}

// trafficVerb compares what graphs move at least over capacities of the fast memory.
func trafficVerb(e *env, args []string) error {
	var o trafficFlags
	f := e.flags()
	f.StringSliceVar(&o.capacities, "capacities", []string{"90%", "75%", "50%", "33%"}, "of the fast memory: parts of what the graph needs, or bytes, 256KiB")
	names := wayNames()
	f.StringSliceVar(&o.ways, "ways", names, "whole tensors in slow memory; direct: pieces, which operators also reach there; copy: pieces that are only copied in and out")
	among(f, "ways", names...)
	o.read, o.write = 1, 1
	f.Var(count(&o.read, 1), "slow-read", "what a byte costs that is read from slow memory")
	f.Var(count(&o.write, 1), "slow-write", "what a byte costs that is written to it")
	f.StringVar(&o.format, "format", "", results.Names(results.OrderFormats)+afterOut)
	among(f, "format", strings.Split(results.Names(results.OrderFormats), ", ")...)
	f.BoolVar(&o.timing, "timing", false, "with seconds, which differ from run to run")
	f.StringVarP(&o.out, "output", "o", "", "write the table to this file")
	o.solver.add(f, "10s", 1)
	o.lower.add(f)
	files, err := e.parse(f, args, 1, -1)
	if err != nil {
		return err
	}
	if err := o.check(f, files); err != nil {
		return err
	}
	as, err := results.ParseFormat(o.format, o.out, results.OrderFormats)
	if err != nil {
		return fail(exitUsage, "%w", err)
	}
	list, err := e.inputs(files, o.lower)
	if err != nil {
		return err
	}
	rows, err := e.trafficOf(list, &o)
	if err != nil {
		return err
	}
	err = e.write(o.out, func(w io.Writer) error { return results.WriteTraffic(w, as, rows, o.timing) })
	if err == nil && e.ctx.Err() != nil {
		err = fail(exitLimit, "interrupted: %d of %d answers", len(rows), len(list)*len(o.capacities)*len(o.ways))
	}
	return err
}

// check looks at the flags, whatever the graphs hold.
func (o *trafficFlags) check(f *pflag.FlagSet, files []string) error {
	for _, text := range o.capacities {
		if _, err := capacityOf(text, 0); err != nil {
			return err
		}
	}
	for _, name := range o.ways {
		if _, err := wayOf(name); err != nil {
			return err
		}
	}
	if len(o.lower.kept) > 0 || o.lower.concat == "in-place" {
		return fail(exitUsage, "traffic moves what it may: --kept and --concat in-place are not for it")
	}
	return cmp.Or(o.solver.apply([]string{"exact"}), writable("-o", o.out, files...))
}

// capacityOf is a capacity as a flag says it, of a graph of some load: 75%, rounded
// down, or bytes.
func capacityOf(text string, load int64) (int64, error) {
	percent, part := strings.CutSuffix(text, "%")
	if !part {
		var v bytesValue
		if err := v.Set(text); err != nil || v.bytes == 0 {
			return 0, fail(exitUsage, "capacity %q: want a part of the load, as 75%%, or bytes, as 256KiB", text)
		}
		return v.bytes, nil
	}
	p, err := strconv.ParseInt(percent, 10, 64)
	if err != nil || p < 1 || p > 100 {
		return 0, fail(exitUsage, "capacity %q: want 1%% to 100%% of the load", text)
	}
	return max(load/100*p+load%100*p/100, 1), nil
}

func wayOf(name string) (spill.Way, error) {
	for _, w := range slowWays {
		if w.String() == name {
			return w, nil
		}
	}
	return 0, fail(exitUsage, "way %q: want %s", name, strings.Join(wayNames(), ", "))
}

func wayNames() (names []string) {
	for _, w := range slowWays {
		names = append(names, w.String())
	}
	return names
}

// trafficOf asks for each graph, capacity and way, until it is interrupted.
func (e *env) trafficOf(list []input, o *trafficFlags) (rows []results.Traffic, err error) {
	for _, in := range list {
		src, err := in.load(o.lower)
		if err != nil {
			return nil, err
		}
		if err := src.movable(in.name); err != nil {
			return nil, err
		}
		load := src.task.Arenas[0].Load()
		for _, text := range o.capacities {
			capacity, err := capacityOf(text, load)
			if err != nil {
				return nil, err
			}
			for _, name := range o.ways {
				way, err := wayOf(name)
				if err != nil || e.ctx.Err() != nil {
					return rows, err
				}
				if way != spill.Whole {
					if err := src.copyable(in.name); err != nil {
						return nil, err
					}
				}
				q := src.question(way)
				q.Capacity, q.Read, q.Write = capacity, o.read, o.write
				row := results.Traffic{Graph: in.name, Load: load, Capacity: capacity, Way: name}
				s := o.solver.settings(nil)
				if err := errors.Join(e.moved(q, &row, s), e.why(q, &row, s)); err != nil {
					return nil, notAsked(in.name, err)
				}
				rows = append(rows, row)
			}
		}
	}
	return rows, nil
}

// moved asks one question, within the time that there is for one.
func (e *env) moved(q *spill.Question, row *results.Traffic, s results.Settings) (err error) {
	ctx, stop := e.within(s.Limit)
	defer stop()
	began := time.Now()
	row.Answer, err = results.Fit(ctx, q, s)
	row.Seconds = time.Since(began).Seconds()
	return err
}

// why asks for the proof of an answer, within as much time again.
func (e *env) why(q *spill.Question, row *results.Traffic, s results.Settings) error {
	if row.Answer == nil {
		return nil
	}
	ctx, stop := e.within(s.Limit)
	defer stop()
	began := time.Now()
	defer func() { row.Seconds += time.Since(began).Seconds() }()
	return results.ProveFit(ctx, q, s, row.Answer)
}

// notAsked is why there is no answer: what is moved may be too much to be told apart.
func notAsked(name string, err error) error {
	code := exitInternal
	if errors.Is(err, spill.ErrTooLarge) {
		code = exitUsage
	}
	return fail(code, "%s: %w", name, err)
}

// within is the time that there is, a limit below 0 being none.
func (e *env) within(limit time.Duration) (context.Context, context.CancelFunc) {
	if limit < 0 {
		return context.WithCancel(e.ctx)
	}
	return context.WithTimeout(e.ctx, limit)
}

// movable is an error where a file holds nothing that a slow memory could be added
// to.
func (s *source) movable(file string) error {
	switch {
	case s.graph == nil:
		return fail(exitUsage, "%s is %v: a slow memory is for graphs, whose operators say when what is needed", file, s.content)
	case len(s.task.Arenas) > 1:
		return fail(exitUsage, "%s has the memory spaces %s: a slow one is added to one", file, strings.Join(s.task.Spaces, ", "))
	}
	return nil
}

// copyable is an error where copies of a tensor may hold what it was before.
func (s *source) copyable(file string) error {
	if s.arenas == nil {
		return nil
	}
	list := s.arenas.Rewritten()
	if len(list) == 0 {
		return nil
	}
	return fail(exitUsage, "%s has tensors that are written again after they were made, so that copies of them would be old: %s; --ways whole makes none", file, shortened(list))
}

// shares is at how many capacities, in equal parts of the load, traffic is asked
// for.
const shares = 32

// plotTraffic draws what GRAPH moves at least over the capacity of the fast
// memory, in the order of its operators: a curve for each way to use a slow one,
// from the capacity on with which it is possible.
func (e *env) plotTraffic(names []string, o *plotFlags) error {
	if len(names) != 1 {
		return fail(exitUsage, "usage: memplan plot traffic GRAPH")
	}
	src, err := e.load(names[0], o.lower)
	if err != nil {
		return err
	}
	if err := src.movable(names[0]); err != nil {
		return err
	}
	if err := src.copyable(names[0]); err != nil {
		return err
	}
	load := src.task.Arenas[0].Load()
	d := picture.Diagram{Title: "What " + src.task.Name + " moves at least", X: "fast memory, bytes", Y: "bytes read and written in slow memory", Width: o.width, Height: o.height}
	open := 0
	for way, name := range []string{"whole tensors", "pieces, reached there", "pieces, copied"} {
		curve := picture.Curve{Name: name}
		for _, capacity := range capacities(load) {
			q := src.question(slowWays[way])
			q.Capacity = capacity
			var row results.Traffic
			if err := e.moved(q, &row, results.Settings{Limit: hintTime}); err != nil {
				return notAsked(names[0], err)
			}
			switch row.Status() {
			case model.Optimal:
				t := row.Answer.Fitted.Traffic
				curve.X, curve.Y = append(curve.X, float64(capacity)), append(curve.Y, float64(t.Read+t.Written))
			case model.Feasible, model.Unknown:
				open++
			}
		}
		if len(curve.X) > 0 {
			d.Curves = append(d.Curves, curve)
		}
	}
	if err := e.write(o.out, func(w io.Writer) error { return d.Write(w, o.format) }); err != nil {
		return err
	}
	if open > 0 {
		return fail(exitLimit, "%d points are not known", open)
	}
	return nil
}

// capacities are equal parts of a load, up to all of it.
func capacities(load int64) (list []int64) {
	for k := int64(1); k <= shares; k++ {
		part := load / shares * k
		if k == shares {
			part = load
		}
		list = append(list, max(part, 1))
	}
	return slices.Compact(list)
}
