package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"memplan/results"
)

// tableFlags are the flags of every verb that prints a table of planners.
type tableFlags struct {
	results.Options
	format, by, out string
}

func (o *tableFlags) add(f *pflag.FlagSet) {
	f.StringVar(&o.format, "format", "", results.Names(results.Formats)+afterOut)
	f.StringVar(&o.by, "by", "instance", results.Names(results.Groupings))
	among(f, "format", strings.Split(results.Names(results.Formats), ", ")...)
	among(f, "by", strings.Split(results.Names(results.Groupings), ", ")...)
	f.BoolVar(&o.Hard, "hardness", false, "with columns that say why an instance is hard")
	f.BoolVar(&o.Work, "work", false, "with nodes, or placements")
	f.BoolVar(&o.Timing, "timing", false, "with seconds, which differ from run to run")
	f.StringVarP(&o.out, "output", "o", "", "write the table to this file")
}

// afterOut ends the usage of a table's format.
const afterOut = " (default: after OUT's extension, else text)"

// check reads what is to be known before any work is done.
func (o *tableFlags) check() (err error) {
	if o.Format, err = results.ParseFormat(o.format, o.out, results.Formats); err != nil {
		return fail(exitUsage, "%w", err)
	}
	if o.By, err = results.ParseGrouping(o.by); err != nil {
		return fail(exitUsage, "%w", err)
	}
	if err := results.Compare(nil).Write(io.Discard, o.Options); err != nil {
		return fail(exitUsage, "%w", err)
	}
	return nil
}

func (e *env) writeTable(records []results.Record, o *tableFlags) error {
	table := results.Compare(records)
	return e.write(o.out, func(w io.Writer) error { return table.Write(w, o.Options) })
}

func tableVerb(e *env, args []string) error {
	var o tableFlags
	f := e.flags()
	o.add(f)
	files, err := e.parse(f, args, 1, -1)
	if err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return err
	}
	if err := writable("-o", o.out, files...); err != nil {
		return err
	}
	records, err := e.readAll(files)
	if err != nil {
		return err
	}
	return e.writeTable(records, &o)
}

func mergeVerb(e *env, args []string) error {
	f := e.flags()
	out := f.StringP("output", "o", "", "write the records to this file")
	files, err := e.parse(f, args, 1, -1)
	if err != nil {
		return err
	}
	if err := writable("-o", *out); err != nil {
		return err
	}
	records, err := e.readAll(files)
	if err != nil {
		return err
	}
	return e.write(*out, func(w io.Writer) error { return results.WriteLog(w, results.Latest(records)) })
}

// readAll reads the records of several files, of which there must be some.
func (e *env) readAll(files []string) ([]results.Record, error) {
	var all []results.Record
	for _, file := range files {
		records, err := e.readRecords(file)
		if err != nil {
			return nil, err
		}
		all = append(all, records...)
	}
	if len(all) == 0 {
		return nil, fail(exitUsage, "not one record in %s", strings.Join(files, ", "))
	}
	return all, nil
}

// readRecords reads a log, and says where lines of it are torn.
func (e *env) readRecords(path string) ([]results.Record, error) {
	in := bufio.NewReader(e.in)
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in.Reset(f)
	}
	begins, _ := in.Peek(8)
	if err := wrapped(path, begins); err != nil {
		return nil, err
	}
	records, torn, err := results.ReadLog(in, path)
	if torn > 0 {
		fmt.Fprintf(e.err, "memplan: %s: passed over %d lines that are not whole\n", path, torn)
	}
	return records, err
}
