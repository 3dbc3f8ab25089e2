package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"memplan/model"
)

// A tflmModels says what one arena needs that several models share: TFLM keeps
// what is persistent of each, and they use the largest head one after another.
type tflmModels struct {
	Schema    int           `json:"schema"`
	Models    []*tflmReport `json:"models"`
	Before    int64         `json:"before"` // the largest head
	After     int64         `json:"after"`
	Saved     int64         `json:"saved"`
	ArenaSize *int64        `json:"arena_size,omitempty"`
	Tail      *int64        `json:"persistent,omitempty"`
}

// tflmTogether plans several models that share one arena. A model whose own plan
// takes less stays as it is.
func (e *env) tflmTogether(files []string, o *tflmFlags) error {
	switch {
	case len(files) > 0:
		return fail(exitUsage, "%s beside --model, which names all models", files[0])
	case o.header != "" || o.selfTest != "" || o.log != "":
		return fail(exitUsage, "--c-header, --self-test and --plan-log are for one model")
	case o.out == "-":
		return fail(exitUsage, "%d models do not go to standard output: -o names a folder", len(o.models))
	}
	names := make(map[string]string)
	for _, path := range o.models {
		name := filepath.Base(path)
		if other, taken := names[name]; taken {
			return fail(exitUsage, "%s and %s have one name, and would be one file in the folder", other, path)
		}
		names[name] = path
	}
	if o.out != "" {
		for name, path := range names {
			if samePath(filepath.Join(o.out, name), path) {
				return fail(exitUsage, "-o %s: the planned file would take the place of %s", o.out, path)
			}
		}
	}
	one, all := *o, &tflmModels{Schema: 1}
	one.arenaUsed = bytesValue{}
	var before, after int64 // with what TFLM needs while it plans
	late := false
	for _, path := range o.models {
		r, err := e.tflm(path, &one)
		if err != nil {
			return err
		}
		if r.today == unknown {
			return fail(exitUsage, "%s: the head of today is not known: %s", path, r.Notes[len(r.Notes)-1])
		}
		head := *r.Peak
		if r.Before < head && r.today == ownOrSound {
			head = r.Before
			if r.out, err = e.read(path); err != nil {
				return err
			}
			r.Notes = append(r.Notes, fmt.Sprintf("left alone: its own plan%s takes %d bytes", r.with, r.Before))
		}
		all.Models = append(all.Models, r)
		all.Before, all.After = max(all.Before, r.Before), max(all.After, head)
		before, after = max(before, r.Before, r.Planning), max(after, head, r.Planning)
		late = late || e.ctx.Err() != nil && r.Status != model.Optimal.String()
	}
	all.Saved = before - after
	if used := o.arenaUsed; used.set {
		if used.bytes < all.Before {
			return fail(exitUsage, "--arena-used %d is less than the largest head, %d bytes", used.bytes, all.Before)
		}
		all.ArenaSize, all.Tail = arenas(used.bytes-all.Before, after)
	}
	if err := e.writeModels(all, o); err != nil {
		return err
	}
	if late {
		return fail(exitLimit, "interrupted")
	}
	return nil
}

// writeModels writes the models into a folder, and the report.
func (e *env) writeModels(all *tflmModels, o *tflmFlags) error {
	if o.out != "" {
		if err := os.MkdirAll(o.out, 0o755); err != nil {
			return fail(exitUsage, "%w", err)
		}
		for k, r := range all.Models {
			path := filepath.Join(o.out, filepath.Base(o.models[k]))
			if err := e.write(path, func(w io.Writer) error { _, err := w.Write(r.out); return err }); err != nil {
				return err
			}
		}
	}
	return e.write("", reported(all, o.json, all.text))
}

// text prints the report for people.
func (t *tflmModels) text(w io.Writer) {
	for _, r := range t.Models {
		r.heads(w)
		for _, n := range r.Notes {
			tflmLine(w, "note", "%s", n)
		}
		fmt.Fprintln(w)
	}
	tflmLine(w, "together", "%d models that run one at a time in one arena", len(t.Models))
	tflmLine(w, "head before", "%d bytes, the largest", t.Before)
	tflmLine(w, "head after", "%d bytes, the largest", t.After)
	arenaSize(w, t.ArenaSize, t.Tail, t.Saved)
}
