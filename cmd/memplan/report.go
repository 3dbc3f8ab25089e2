package main

import (
	"io"

	"memplan/results"
	"memplan/results/report"
)

func reportVerb(e *env, args []string) error {
	var solver solverFlags
	var lower lowerFlags
	f := e.flags()
	out := f.StringP("output", "o", "", "write the page to this file")
	title := f.String("title", "memplan: planners and the proven optimum", "of the page")
	view := f.StringSlice("view", nil, "files, folders, suites or instances whose plans the page shows")
	planner := f.String("planner", "exact", "that makes the plans to be shown")
	solver.add(f, "10s", 0)
	lower.add(f)
	files, err := e.parse(f, args, 1, -1)
	if err != nil {
		return err
	}
	if err := writable("-o", *out, files...); err != nil {
		return err
	}
	if f.Changed("planner") && len(*view) == 0 {
		return fail(exitUsage, "--planner makes the plans that --view asks for, and there is none")
	}
	if err := solver.apply([]string{*planner}); err != nil {
		return err
	}
	records, err := e.readAll(files)
	if err != nil {
		return err
	}
	choice, err := solver.choose(*planner, nil)
	if err != nil {
		return fail(exitUsage, "%w", err)
	}
	var views []report.View
	if len(*view) > 0 {
		if views, err = e.views(*view, choice, lower); err != nil {
			return err
		}
	}
	table := results.Compare(records)
	return e.write(*out, func(w io.Writer) error { return report.Write(w, *title, table, views) })
}

// views plans the instances that names stand for.
func (e *env) views(names []string, choice results.Choice, lower lowerFlags) ([]report.View, error) {
	cases, err := e.cases(names, lower, &choice)
	if err != nil {
		return nil, err
	}
	var views []report.View
	p := e.progress()
	defer p.done()
	for done, c := range cases {
		p.count(done, len(cases))
		task, err := c.Read()
		if err != nil {
			return nil, err
		}
		out := results.Run(e.ctx, task, choice)
		if out.Err != nil {
			return nil, fail(exitInternal, "%w", out.Err)
		}
		for k, in := range task.Arenas {
			if p := out.Results[k].Plan; p != nil {
				views = append(views, report.View{Name: in.Name, Planner: choice.Planner.Name(), In: in, Of: *p})
			}
		}
	}
	return views, nil
}
