package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// write sends what produce writes to the file path, or to standard output where
// path is empty or "-". A file appears whole or not at all: it is written beside
// its place and renamed, so that a failure leaves what was there before.
func (e *env) write(path string, produce func(io.Writer) error) error {
	var err error
	switch {
	case path == "" || path == "-":
		path = "standard output"
		err = buffered(e.out, produce)
	default:
		err = replace(path, produce)
	}
	if err != nil {
		return fail(exitInternal, "writing %s: %w", path, err)
	}
	return nil
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
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
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

// note tells a person something on stderr, where there is a person.
func (e *env) note(format string, args ...any) {
	if isTerminal(e.err) {
		fmt.Fprintf(e.err, format+"\n", args...)
	}
}
