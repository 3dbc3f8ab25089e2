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
	"memplan/model/graph"
	"memplan/model/json"
	"memplan/results"
	"memplan/verify"
)

// shape is one choice of sizes for a graph's dimensions.
type shape []int64

// shapes lists the choices that flags such as batch=1,2,4 ask for: every
// combination. A dimension that no flag names has its largest size.
func shapes(g *graph.Graph, flags []string) ([]shape, error) {
	sizes := make([][]int64, len(g.Dims))
	for k, d := range g.Dims {
		sizes[k] = []int64{d.Max}
	}
	seen := make(map[string]bool)
	for _, flag := range flags {
		name, list, _ := strings.Cut(flag, "=")
		if seen[name] {
			return nil, fail(exitUsage, "--dim %q: %s has its sizes already; name them in one list, as %s=1,2", flag, name, name)
		}
		seen[name] = true
		k := slices.IndexFunc(g.Dims, func(d graph.Dim) bool { return d.ID == name })
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
// that is checked. It prints what each shape's own plan takes, and what is
// proven of it, beside what the worst case takes.
func (e *env) planShapes(whole *source, dims []string, choice results.Choice, o *planFlags) error {
	whole.warn(e.err)
	g := whole.graph.Graph
	list, err := shapes(g, dims)
	if err != nil {
		return err
	}
	p := e.progress()
	defer p.done()
	largest, err := e.planShape(whole, choice, o.cache)
	if err != nil {
		return err
	}
	var table strings.Builder
	for _, d := range g.Dims {
		table.WriteString(d.ID + ",")
	}
	table.WriteString("load,bound,proof,peak,status,worst_case,saved_percent\n")
	for k, s := range list {
		p.count(1+k, 1+len(list))
		small, err := g.Bind(s)
		if err != nil {
			return fail(exitUsage, "%s: %w", g.Name, err)
		}
		src, err := lowered(small, o.lower)
		if err != nil {
			return err
		}
		if err := holdsFor(src, whole, plans(largest)); err != nil {
			return fail(exitInternal, "the plan of the largest shape does not hold at %v: %w", s, err)
		}
		own, err := e.planShape(src, choice, o.cache)
		if err != nil {
			return err
		}
		table.WriteString(s.row(&own.Record, *largest.Record.Peak))
	}
	p.done()
	return e.write(o.out, func(w io.Writer) error {
		_, err := io.WriteString(w, table.String())
		return err
	})
}

// row is the line of the table for a shape: what its own plan takes, beside the
// peak of the worst case.
func (s shape) row(own *results.Record, worst int64) string {
	var line strings.Builder
	for _, size := range s {
		fmt.Fprintf(&line, "%d,", size)
	}
	fmt.Fprintf(&line, "%d,%d,%s,%d,%s,%d,%s\n", own.Load, own.Bound, own.Proof, *own.Peak, own.Status, worst, inPercent(worst-*own.Peak, worst))
	return line.String()
}

// holdsFor checks that the plans of the largest shape hold for another: each
// value where the largest shape has it.
func holdsFor(src, largest *source, plans []model.Plan) error {
	values := largest.graph.ValuePlan(plans)
	l := src.graph
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

// planShape plans a source's arenas. With a cache, a folder of plans with their
// certificates, named by what they are the plans of, what is there and holds is
// taken from it, and what is new put there. Files appear whole, under names that
// say what is in them, so any number of writers may share a cache, and one that
// dies leaves nothing that is taken for a plan.
func (e *env) planShape(src *source, choice results.Choice, cache string) (results.Outcome, error) {
	path := filepath.Join(cache, cacheName(src, choice))
	if cache != "" {
		if out, holds := e.cached(path, src); holds {
			return out, nil
		}
	}
	out := results.Run(e.ctx, src.task, choice)
	switch {
	case out.Err != nil:
		return out, fail(exitInternal, "%w", out.Err)
	case out.Record.Peak == nil:
		return out, fail(exitLimit, "%s: no plan within the limit", src.task.Name)
	case cache == "" || e.ctx.Err() != nil:
		return out, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return out, fail(exitInternal, "%w", err)
	}
	file := src.plan(out)
	file.Certificate = certificates(src.task.Arenas, out.Results)
	return out, e.write(path, file.Write)
}

// cacheName is made of the buffers and of how they are planned.
func cacheName(src *source, choice results.Choice) string {
	text := fmt.Sprintf("%s %s %v %d", results.Hash(src.task.Arenas), choice.Planner.Name(), choice.Params, choice.Seed)
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:]) + ".json"
}

// cached is the outcome that a file holds, checked like that of any planner. It
// does not hold where there is no such file, or where anything in it is amiss.
func (e *env) cached(path string, src *source) (out results.Outcome, holds bool) {
	data, err := os.ReadFile(path)
	if err != nil {
		return out, false
	}
	p, _, err := json.ReadPlan(bytes.NewReader(data), path, src.graph.Values)
	if err != nil {
		return out, false
	}
	proofs, err := json.PlanCertificates(bytes.NewReader(data), path)
	if err != nil || len(proofs.List) != len(src.task.Arenas) {
		return out, false
	}
	kept := results.Given{Label: "cache"}
	for k, plan := range src.graph.ArenaPlans(p) {
		kept.Add(src.task.Arenas[k], model.Result{Plan: &plan, Bound: proofs.List[k].Bound, Certificate: proofs.List[k].Certificate}, 0)
	}
	out = results.Run(e.ctx, src.task, results.Choice{Planner: &kept, Limit: -1})
	return out, out.Err == nil
}
