package kernels

import (
	"fmt"
	"slices"
	"strings"
)

// A Library is a set of kernels, built in one way.
type Library int

const (
	Reference   Library = iota // TFLM's own, in portable C++: PyPI's interpreter, desktops
	CMSISNN                    // any of the builds of CMSIS-NN that were measured: Scalar, DSP and MVE
	Scalar                     // CMSIS-NN in C alone: Cortex-M0+, M3
	DSP                        // CMSIS-NN for Cortex-M4, M7, M33, by gcc
	DSPArmclang                // the same by armclang
	MVE                        // CMSIS-NN for Cortex-M55, M85
)

var names = []string{"reference", "cmsis-nn", "cmsis-nn:scalar", "cmsis-nn:dsp", "cmsis-nn:dsp-armclang", "cmsis-nn:mve"}

// Names lists the libraries' names.
func Names() []string { return slices.Clone(names) }

func (l Library) String() string { return names[l] }

// Parse returns the library of that name.
func Parse(name string) (Library, error) {
	if i := slices.Index(names, name); i >= 0 {
		return Library(i), nil
	}
	return 0, fmt.Errorf("no kernels %q: one of %s", name, strings.Join(names, ", "))
}

// builds are the libraries of which one runs on the device.
func (l Library) builds() []Library {
	if l == CMSISNN {
		return []Library{Scalar, DSP, MVE}
	}
	return []Library{l}
}

// align is the alignment of every tensor, bytes.
const align = 16

// Lead is how many bytes an input must lie above the output of an operator, at
// least, for the kernel to write the output while it reads the input, a multiple
// of 16; false when the two must be disjoint. That the input is read by nothing
// else then or later is for the caller to see. Cost: constant, but for padding of
// thousands of rows.
func (l Library) Lead(op *Operator, input int) (bytes int64, ok bool) {
	if input >= len(op.Inputs) || !op.known() || op.half() {
		return 0, false
	}
	for _, build := range l.builds() {
		exact, ok := build.exact(op, input)
		if !ok {
			return 0, false
		}
		bytes = max(bytes, (exact+align-1)/align*align)
	}
	return bytes, bytes < op.Output.bytes()
}

// exact is the lead to the byte.
func (l Library) exact(op *Operator, input int) (bytes int64, ok bool) {
	if l == Reference {
		return op.reference(input)
	}
	return l.cmsis(op, input)
}
