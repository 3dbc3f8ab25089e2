package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"memplan/model/csv"
	"memplan/results"
)

// A keepsake is where a run keeps what its records are about.
type keepsake struct {
	e            *env
	plans        string // folder of plans, each beside the instance that it is for; "" for nowhere
	certificates string // folder of certificates of bounds above the load
}

// keep writes what is to be kept of an outcome, and names the files in its record.
func (k *keepsake) keep(t *results.Task, out *results.Outcome) error {
	return errors.Join(k.plan(t, out), k.certificate(t, out))
}

// plan keeps the plan of each arena. The instance beside it is named by what is
// in it, so that all its plans share it.
func (k *keepsake) plan(t *results.Task, out *results.Outcome) error {
	r := &out.Record
	if k.plans == "" || r.Peak == nil {
		return nil
	}
	for i, in := range t.Arenas {
		stem := fileName(r.Instance + "-" + r.Hash)
		if len(t.Arenas) > 1 {
			stem = fileName(r.Instance + "-" + r.Hash + "-" + t.Spaces[i])
		}
		kept := results.Kept{Instance: filepath.Join(k.plans, stem+".csv"), Plan: filepath.Join(k.plans, stem+"-"+maker(r)+".csv")}
		if err := os.MkdirAll(k.plans, 0o755); err != nil {
			return err
		}
		var err error
		if _, missing := os.Stat(kept.Instance); missing != nil {
			err = k.e.write(kept.Instance, func(w io.Writer) error { return csv.Write(w, in, nil, nil) })
		}
		if err == nil {
			err = k.e.write(kept.Plan, func(w io.Writer) error { return csv.Write(w, in, out.Results[i].Plan, nil) })
		}
		if err != nil {
			return err
		}
		r.Kept = append(r.Kept, kept)
	}
	return nil
}

// certificate keeps the certificates of an outcome, where any is more than the
// load.
func (k *keepsake) certificate(t *results.Task, out *results.Outcome) error {
	r := &out.Record
	if k.certificates == "" || !r.Replayed() {
		return nil
	}
	if err := os.MkdirAll(k.certificates, 0o755); err != nil {
		return err
	}
	r.Certificate = filepath.Join(k.certificates, fileName(r.Instance+"."+r.Hash)+"."+maker(r)+".json")
	return k.e.writeCertificates(t.Arenas, out.Results, r.Certificate)
}

// maker names a record's planner, with what else its result depends on.
func maker(r *results.Record) string {
	name := r.Planner
	if r.Seed != 0 {
		name += fmt.Sprintf("-seed=%d", r.Seed)
	}
	if params := r.Parameters(); params != "" {
		name += "-" + params
	}
	return strings.ReplaceAll(fileName(name), ".", "_") // no extension, nor a capacity
}

// fileName is a name fit for a file.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, name)
}

// verifyRecords checks every plan that records say was kept, against the instance
// kept beside it, and that the records say of both what is true.
func (e *env) verifyRecords(file string) error {
	records, err := e.readAll([]string{file})
	if err != nil {
		return err
	}
	var faults []error
	held, without := 0, 0
	for _, r := range results.Latest(records) {
		switch {
		case r.Peak == nil:
		case r.Kept == nil:
			without++
		default:
			if err := e.verifyKept(&r, filepath.Dir(file)); err != nil {
				faults = append(faults, fmt.Errorf("%s on %s: %w", r.Planner, r.Instance, err))
				continue
			}
			held++
		}
	}
	if held+len(faults) == 0 {
		return fail(exitUsage, "%s: no record says where its plan was kept; bench --plans keeps them", file)
	}
	err = e.write("", func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%d plans hold, %d do not, %d were not kept\n", held, len(faults), without)
		return err
	})
	if err == nil && len(faults) > 0 {
		err = fail(exitNo, "%w", errors.Join(faults...))
	}
	return err
}

// verifyKept checks the plans that one record says were kept, in a path as it
// stands or from the folder of the records.
func (e *env) verifyKept(r *results.Record, folder string) error {
	var hashes []string
	peak := int64(0)
	for _, kept := range r.Kept {
		src, err := e.loadFile(beside(kept.Instance, folder), asGiven)
		if err != nil {
			return err
		}
		plans, err := src.readPlan(e, beside(kept.Plan, folder))
		if err != nil {
			return err
		}
		if err := src.holds(kept.Plan, plans); err != nil {
			return err
		}
		hashes = append(hashes, results.Hash(src.task.Arenas))
		peak += plans[0].Peak(src.task.Arenas[0])
	}
	switch {
	case strings.Join(hashes, "+") != r.Hash:
		return fmt.Errorf("%s is not the instance of the record", r.Kept[0].Instance)
	case peak != *r.Peak:
		return fmt.Errorf("the plan's peak is %d, the record's %d", peak, *r.Peak)
	}
	return nil
}

// beside is the path where there is such a file, else in the folder.
func beside(path, folder string) string {
	if _, err := os.Stat(path); err == nil || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, path)
}
