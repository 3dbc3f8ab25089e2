package main

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"memplan/results"
)

// nets are the suites of the corpus that hold graphs.
var nets = []string{"graphs", "wired"}

// schedulesVerb shows what the order of a graph's operators is worth.
func schedulesVerb(e *env, args []string) error {
	var lower lowerFlags
	var solver solverFlags
	f := e.flags()
	planner := f.String("planner", "exact", "of the joint figure")
	format := f.String("format", "", results.Names(results.OrderFormats)+afterOut)
	among(f, "format", strings.Split(results.Names(results.OrderFormats), ", ")...)
	out := f.StringP("output", "o", "", "write the table to this file")
	solver.add(f, "10s", 0)
	lower.add(f)
	_ = f.MarkHidden("schedule") // there is such a flag
	names, err := e.parse(f, args, 0, -1)
	if err != nil {
		return err
	}
	if f.Changed("schedule") {
		return fail(exitUsage, "schedules compares all orders: --schedule means nothing to it")
	}
	if err := solver.apply([]string{*planner}); err != nil {
		return err
	}
	as, err := results.ParseFormat(*format, *out, results.OrderFormats)
	if err != nil {
		return fail(exitUsage, "%w", err)
	}
	if err := writable("-o", *out, names...); err != nil {
		return err
	}
	choice, err := solver.choose(*planner, nil)
	if err != nil {
		return fail(exitUsage, "%w", err)
	}
	if len(names) == 0 {
		names = nets
	}
	list, err := e.inputs(names, lower)
	if err != nil {
		return err
	}
	var rows []results.Orders
	for _, in := range list {
		if e.ctx.Err() != nil {
			break
		}
		row, err := e.orders(in, lower, choice)
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	err = e.write(*out, func(w io.Writer) error { return results.WriteOrders(w, as, rows) })
	if err == nil && e.ctx.Err() != nil {
		err = fail(exitLimit, "interrupted at %d of %d graphs", len(rows), len(list))
	}
	return err
}

// orders lowers a graph by every kind of schedule, and plans those, the one of
// least load first, until a peak is as low as the load of any order.
func (e *env) orders(in input, lower lowerFlags, choice results.Choice) (results.Orders, error) {
	row := results.Orders{Graph: in.name}
	var list []*source
	for _, lower.schedule = range scheduleNames() {
		src, err := in.load(lower)
		if err != nil {
			return row, err
		}
		if src.graph == nil {
			return row, fail(exitUsage, "%s is no graph: its buffers have their steps", in.name)
		}
		list = append(list, src)
		row.Operators = len(src.graph.Graph.Ops)
		row.Kinds = append(row.Kinds, lower.schedule)
		row.Loads = append(row.Loads, src.graph.Order.Load)
		row.Bound = max(row.Bound, src.graph.Order.Bound)
	}
	slices.Reverse(list) // the optimal order first
	slices.SortStableFunc(list, func(a, b *source) int { return cmp.Compare(a.graph.Order.Load, b.graph.Order.Load) })
	for _, src := range list {
		if row.Peak != nil && src.graph.Order.Load >= *row.Peak {
			break // no plan of this order is lower
		}
		out, err := e.run(src, choice, lower.grain.bytes)
		if err = cmp.Or(err, out.Err); err != nil {
			return row, err
		}
		if p := out.Record.Peak; p != nil && (row.Peak == nil || *p < *row.Peak) {
			row.Peak, row.Of, row.Order = p, src.how.Schedule.String(), src.order()
		}
	}
	return row, nil
}
