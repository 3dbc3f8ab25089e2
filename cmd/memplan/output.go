package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// write sends what produce writes to the file path, or to standard output where
// path is empty or "-". A file appears whole or not at all: it is written beside
// its place and renamed, so that a failure leaves what was there before.
func (e *env) write(path string, produce func(io.Writer) error) error {
	var err error
	switch fd, open := descriptor(path); {
	case path == "" || path == "-" || open && fd == 1:
		path = "standard output"
		err = buffered(e.out, produce)
	case open && fd == 2:
		err = buffered(e.err, produce)
	case open:
		f := os.NewFile(fd, path)
		err = buffered(f, produce)
	default:
		err = replace(path, produce)
	}
	if errors.Is(err, syscall.EPIPE) {
		return &failure{exitInternal, errors.New("")} // whoever read it has had enough, and knows
	}
	if err != nil {
		return fail(exitInternal, "writing %s: %w", path, err)
	}
	return nil
}

// descriptor is the file descriptor that a path names, as /dev/stdout does. What
// it is open on is written to as it stands, and never replaced: a shell may have
// sent it to a file.
func descriptor(path string) (fd uintptr, open bool) {
	path = filepath.Clean(path)
	for k, name := range []string{"/dev/stdin", "/dev/stdout", "/dev/stderr"} {
		if path == name {
			return uintptr(k), true
		}
	}
	for _, folder := range []string{"/dev/fd/", "/proc/self/fd/"} {
		if text, found := strings.CutPrefix(path, folder); found {
			n, err := strconv.ParseUint(text, 10, 31)
			return uintptr(n), err == nil
		}
	}
	return 0, false
}

// distinct is an error where two outputs of a command, each by its flag, are one
// file: the second would take the place of the first.
func distinct(outputs ...[2]string) error {
	for k, a := range outputs {
		for _, b := range outputs[:k] {
			if a[1] != "" && samePath(a[1], b[1]) {
				return fail(exitUsage, "%s and %s name the same file, %s", b[0], a[0], a[1])
			}
		}
	}
	return nil
}

// writable is an error where an output, named by its flag, would take the place of
// an input, or is to be in a folder that is not there or takes no files: said before any
// work is done.
func writable(flag, output string, inputs ...string) error {
	for _, in := range inputs {
		if in != "-" && samePath(output, in) {
			return fail(exitUsage, "%s %s would take the place of what is read", flag, output)
		}
	}
	if output == "" || output == "-" {
		return nil
	}
	if info, err := os.Stat(output); err == nil && info.IsDir() {
		return fail(exitUsage, "%s %s is a folder: name a file", flag, output)
	}
	folder := filepath.Dir(output)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return fail(exitUsage, "%s %s: there is no folder %s", flag, output, folder)
	}
	if _, err := os.Stat(output); err == nil {
		return nil
	}
	f, err := temporary(output)
	if err != nil {
		return fail(exitInternal, "%s %s: %w", flag, output, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// temporary makes a file in the folder of another, to be renamed to it. The error says
// nothing of its own name.
func temporary(path string) (*os.File, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if fault := (*fs.PathError)(nil); errors.As(err, &fault) {
		err = fault.Err
	}
	return f, err
}

// namesTable reports whether an output's name is that of a table's file, and no
// folder is called so.
func namesTable(output string) bool {
	info, err := os.Stat(output)
	return slices.Contains([]string{".csv", ".json", ".txt"}, strings.ToLower(filepath.Ext(output))) && (err != nil || !info.IsDir())
}

// samePath reports whether two paths are one file, which need not exist yet.
func samePath(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	if a == "-" || b == "-" {
		return a == b
	}
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(infoA, infoB) && infoA.Mode().IsRegular()
	}
	return errA != nil && errB != nil && resolved(a) == resolved(b)
}

// resolved is the path with its folder's links followed.
func resolved(path string) string {
	full, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(full)); err == nil {
		return filepath.Join(folder, filepath.Base(full))
	}
	return full
}

func buffered(w io.Writer, produce func(io.Writer) error) error {
	out := bufio.NewWriterSize(w, 1<<16)
	if err := produce(out); err != nil {
		return err
	}
	return out.Flush()
}

func replace(path string, produce func(io.Writer) error) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	mode := fs.FileMode(0o644)
	switch info, err := os.Stat(path); {
	case err == nil && !info.Mode().IsRegular():
		return overwrite(path, produce) // a device or a pipe keeps its place
	case err == nil:
		mode = info.Mode().Perm()
		if mode&0o222 == 0 {
			return &fs.PathError{Op: "replace", Path: path, Err: errors.New("the file is read-only")}
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	f, err := temporary(path)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once the file has been renamed
	err = buffered(f, produce)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func overwrite(path string, produce func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(buffered(f, produce), f.Close())
}

// reported writes a report as a line of JSON, or as text for people.
func reported(report any, asJSON bool, text func(io.Writer)) func(io.Writer) error {
	return func(w io.Writer) error {
		if !asJSON {
			text(w)
			return nil
		}
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return enc.Encode(report)
	}
}

// note tells a person something on stderr, where there is a person.
func (e *env) note(format string, args ...any) {
	if isTerminal(e.err) {
		fmt.Fprintf(e.err, format+"\n", args...)
	}
}
