package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"memplan/model"
	"memplan/model/json"
	"memplan/results"
	"memplan/verify"
)

// shape is one choice of sizes for a graph's dimensions.
type shape []int64

// shapes lists the choices that flags such as batch=1,2,4 ask for: every
// combination. A dimension that no flag names has its largest size.
func shapes(g *model.Graph, flags []string) ([]shape, error) {
	sizes := make([][]int64, len(g.Dims))
	for k, d := range g.Dims {
		sizes[k] = []int64{d.Max}
	}
	for _, flag := range flags {
		name, list, _ := strings.Cut(flag, "=")
		k := slices.IndexFunc(g.Dims, func(d model.Dim) bool { return d.ID == name })
		if k < 0 {
			return nil, fail(exitUsage, "--dim %q: %s has no such dimension", flag, g.Name)
		}
		sizes[k] = nil
		for _, text := range strings.Split(list, ",") {
			size, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return nil, fail(exitUsage, "--dim %q: want NAME=SIZE,SIZE,...", flag)
			}
			sizes[k] = append(sizes[k], size)
		}
	}
	all := []shape{{}}
	for _, list := range sizes {
		var longer []shape
		for _, s := range all {
			for _, size := range list {
				longer = append(longer, append(s[:len(s):len(s)], size))
			}
		}
		all = longer
	}
	return all, nil
}

// planShapes plans a graph for each of several shapes, and for the largest: the
// plan for that holds for all of them, for sizes only grow with dimensions, and
// that is checked. It prints what each shape's own plan takes beside what the
// worst case takes.
func (e *env) planShapes(file string, choice results.Choice, o *planFlags) error {
	whole, err := e.load(file, o.lower)
	if err != nil {
		return err
	}
	if whole.graph == nil {
		return fail(exitUsage, "%s is no graph: it has no dimensions", file)
	}
	g := whole.graph.Graph
	list, err := shapes(g, o.dims)
	if err != nil {
		return err
	}
	largest, err := e.planShape(whole, choice, o.cache)
	if err != nil {
		return err
	}
	var table strings.Builder
	for _, d := range g.Dims {
		table.WriteString(d.ID + ",")
	}
	table.WriteString("load,peak,worst_case,saved_percent\n")
	for _, s := range list {
		bound, err := g.Bind(s)
		if err != nil {
			return fail(exitUsage, "%s: %w", file, err)
		}
		src, err := lowered(bound, o.lower)
		if err != nil {
			return err
		}
		if err := holdsFor(src, whole, largest); err != nil {
			return fail(exitInternal, "the plan of the largest shape does not hold at %v: %w", s, err)
		}
		own, err := e.planShape(src, choice, o.cache)
		if err != nil {
			return err
		}
		for _, size := range s {
			fmt.Fprintf(&table, "%d,", size)
		}
		worst, peak := peakOf(whole, largest), peakOf(src, own)
		fmt.Fprintf(&table, "%d,%d,%d,%s\n", loadOf(src), peak, worst, inPercent(worst-peak, worst))
	}
	return e.write(o.out, func(w io.Writer) error {
		_, err := io.WriteString(w, table.String())
		return err
	})
}

// peakOf is the sum of the arenas' peaks; loadOf, of their loads.
func peakOf(s *source, plans []model.Plan) (sum int64) {
	for k, in := range s.task.Arenas {
		sum += plans[k].Peak(in)
	}
	return sum
}

func loadOf(s *source) (sum int64) {
	for _, in := range s.task.Arenas {
		sum += in.Load()
	}
	return sum
}

// holdsFor checks that the plans of the largest shape hold for another: each
// value where the largest shape has it.
func holdsFor(src, largest *source, plans []model.Plan) error {
	values := largest.graph.ValuePlan(plans)
	how := src.how
	how.Placed = largest.graph.Placed(values)
	l, err := src.graph.Graph.Lower(how)
	if err != nil {
		return err
	}
	if len(l.Values.Buffers) != len(values.Offsets) {
		return errors.New("it places other values")
	}
	var faults []error
	for k, p := range l.ArenaPlans(values) {
		faults = append(faults, verify.Plan(unlimited(l.Arenas[k]), p))
	}
	return errors.Join(faults...)
}

// unlimited is in without its capacity.
func unlimited(in *model.Instance) *model.Instance {
	free := *in
	free.Capacity = 0
	return &free
}

// planShape plans a source's arenas. With a cache, a folder of plans named by
// what they are the plans of, a plan that is there and holds is taken from it,
// and a new one put there. Files appear whole, under names that say what is in
// them, so any number of writers may share a cache, and one that dies leaves
// nothing that is taken for a plan.
func (e *env) planShape(src *source, choice results.Choice, cache string) ([]model.Plan, error) {
	var path string
	if cache != "" {
		path = filepath.Join(cache, cacheName(src, choice))
		if plans := cached(path, src); plans != nil {
			return plans, nil
		}
	}
	out := results.Run(e.ctx, src.task, choice)
	if out.Err != nil {
		return nil, fail(exitInternal, "%w", out.Err)
	}
	made := plans(out)
	if made == nil {
		return nil, fail(exitLimit, "%s: no plan within the limit", src.task.Name)
	}
	if path == "" || e.ctx.Err() != nil {
		return made, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return nil, fail(exitInternal, "%w", err)
	}
	return made, e.write(path, func(w io.Writer) error { return src.writePlan(w, out, "json") })
}

// cacheName is made of the buffers and of how they are planned.
func cacheName(src *source, choice results.Choice) string {
	text := fmt.Sprintf("%s %s %v %d", results.Hash(src.task.Arenas), choice.Planner.Name(), choice.Params, choice.Seed)
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:]) + ".json"
}

// cached is the plan of a source that a file holds; nil where there is none, or
// one that does not hold.
func cached(path string, src *source) []model.Plan {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	p, _, err := json.ReadPlan(bytes.NewReader(data), path, src.graph.Values)
	if err != nil {
		return nil
	}
	plans := src.graph.ArenaPlans(p)
	for k, in := range src.task.Arenas {
		if verify.Plan(unlimited(in), plans[k]) != nil {
			return nil
		}
	}
	return plans
}
