//go:build !static && (linux || darwin || windows) && (amd64 || arm64)

package highs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/ebitengine/purego"
)

// A handle is one HiGHS, on its side.
type handle uintptr

// A library is HiGHS's C interface, as far as it is used here: names, arguments
// and constants are those of interfaces/highs_c_api.h.
type library struct {
	path    string
	version func() string
	create  func() handle
	destroy func(handle)

	sizeOfInt func(handle) int32
	setBool   func(h handle, name string, value int32) int32
	setInt    func(h handle, name string, value int32) int32
	setDouble func(h handle, name string, value float64) int32

	passMip func(h handle, columns, rows, terms, format, sense int32, offset float64, cost, lower, upper, rowLower, rowUpper []float64,
		start, index []int32, value []float64, integer []int32) int32
	setSolution func(h handle, values, columnDuals, rowValues, rowDuals []float64) int32

	setCallback   func(h handle, call, user uintptr) int32
	startCallback func(h handle, kind int32) int32
	run           func(handle) int32

	modelStatus func(handle) int32
	infoInt     func(h handle, name string, value *int32) int32
	infoInt64   func(h handle, name string, value *int64) int32
	infoDouble  func(h handle, name string, value *float64) int32
	solution    func(h handle, values, columnDuals, rowValues, rowDuals []float64) int32
}

const (
	statusError = -1
	statusOk    = 0

	rowwise  = 2
	minimize = 1

	solutionFeasible = 2

	callbackImprovingSolution = 4
	callbackInterrupt         = 6
)

// bind gives every function of l its address.
func (l *library) bind(from uintptr) error {
	for name, fn := range map[string]any{
		"Highs_version": &l.version, "Highs_create": &l.create, "Highs_destroy": &l.destroy,
		"Highs_getSizeofHighsInt": &l.sizeOfInt, "Highs_setBoolOptionValue": &l.setBool,
		"Highs_setIntOptionValue": &l.setInt, "Highs_setDoubleOptionValue": &l.setDouble,
		"Highs_passMip": &l.passMip, "Highs_setSolution": &l.setSolution,
		"Highs_setCallback": &l.setCallback, "Highs_startCallback": &l.startCallback, "Highs_run": &l.run,
		"Highs_getModelStatus": &l.modelStatus, "Highs_getIntInfoValue": &l.infoInt,
		"Highs_getInt64InfoValue": &l.infoInt64, "Highs_getDoubleInfoValue": &l.infoDouble, "Highs_getSolution": &l.solution,
	} {
		at, err := symbol(from, name)
		if err != nil {
			return err
		}
		purego.RegisterFunc(fn, at)
	}
	return nil
}

// find loads HiGHS once, from the first of the places where it is.
var find = sync.OnceValues(func() (*library, error) {
	var tried []string
	for _, path := range places() {
		l, err := open(path)
		if err == nil {
			return l, nil
		}
		tried = append(tried, fmt.Sprintf("%s: %v", path, err))
	}
	return nil, fmt.Errorf("%w; tried, in this order:\n  %s\n$%s may name the library; the Python package highsbox has one",
		ErrAbsent, strings.Join(tried, "\n  "), Variable)
})

// open loads the library at path and asks for its version. Libraries that are
// refused stay mapped: they may have threads of their own by now.
func open(path string) (*library, error) {
	if filepath.Base(path) != path {
		if _, err := os.Stat(path); err != nil {
			return nil, errors.New("no such file")
		}
	}
	from, err := load(path)
	if err != nil {
		return nil, err
	}
	l := &library{path: path}
	if err := l.bind(from); err != nil {
		return nil, err
	}
	if v := l.version(); !strings.HasPrefix(v, wanted) {
		return nil, fmt.Errorf("it is HiGHS %s, and not %sx", v, wanted)
	}
	if l.sizeOfInt(0) != 4 {
		return nil, errors.New("its integers are not of 32 bits")
	}
	return l, nil
}

// Find says which HiGHS is used, and where it was found, by its path or, for
// one that the system found, its name. The error lists every place tried.
func Find() (version, path string, err error) {
	l, err := find()
	if err != nil {
		return "", "", err
	}
	return l.version(), l.path, nil
}

// Version names the solver: "HiGHS 1.15.1", or "HiGHS absent".
func (Solver) Version() string {
	version, _, err := Find()
	if err != nil {
		return "HiGHS absent"
	}
	return "HiGHS " + version
}
