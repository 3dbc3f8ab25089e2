package tflite

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"memplan/model"
	"memplan/model/tflite/kernels"
)

// A Scratch is what kernels ask for beyond their tensors, to be used while the
// operator runs: bytes by subgraph, operator and request, in the order of the
// requests.
type Scratch [][][]int64

// KernelScratch is the scratch that a library of kernels asks for, the reference
// kernels as built for 64-bit machines. Others (Xtensa's) ask for other amounts:
// take those from a log (ScratchFromLog) or set them (Scratch.Set).
func (f *File) KernelScratch(library kernels.Library) Scratch {
	s := make(Scratch, len(f.Subgraphs))
	for i := range f.Subgraphs {
		s[i] = make([][]int64, len(f.Subgraphs[i].Ops))
		for k := range f.Subgraphs[i].Ops {
			op := kernel{&f.Subgraphs[i], &f.Subgraphs[i].Ops[k]}
			seen := op.seen(f)
			s[i][k] = library.Scratch(&seen, op.scratch())
		}
	}
	return s
}

// Sizes of C types on a 64-bit machine.
const cInt, cPointer = 4, 8

// A kernel is an operator with its tensors, as its Prepare function sees it.
type kernel struct {
	sub *Subgraph
	op  *Op
}

// scratch is what the reference kernel of the operator asks for, from its
// Prepare function at 90b983c2.
func (o kernel) scratch() []int64 {
	in := o.input(0)
	quantized := in.Type == int8Type || in.Type == int16Type
	switch o.op.Kind {
	case conv2D, depthwiseConv2D, fullyConnected: // an int4 filter is unpacked
		if filter := o.input(1); filter.Type == int4Type {
			return []int64{filter.flat()}
		}
	case svdf: // num_filters a batch; int8 also num_units
		if in.rank() != 2 || o.input(1).rank() != 2 {
			return nil // the kernel does not load
		}
		filters := model.SaturatingMul(in.dim(0), o.input(1).dim(0), 4)
		if in.Type != int8Type {
			return []int64{filters}
		}
		return []int64{filters, filters / max(int64(o.op.param), 1)}
	case lstm: // four gates, of the cell state's type
		gate := model.SaturatingMul(in.dim(int(o.op.param&1)), o.input(18).dim(1), o.input(19).width())
		return []int64{gate, gate, gate, gate}
	case mean, sum: // quantized ones accumulate in int32
		rest := []int64{model.SaturatingMul(in.rank(), cInt), model.SaturatingMul(o.input(1).flat(), cInt)}
		if quantized {
			return slices.Insert(rest, 0, model.SaturatingMul(o.output().flat(), 4))
		}
		return rest
	case reduceMax, reduceMin, reduceAll:
		return []int64{model.SaturatingMul(in.rank(), cInt), model.SaturatingMul(o.input(1).flat(), cInt)}
	case transposeConv: // its input is operand 2; sums in wider integers
		bias := o.input(3)
		switch o.input(2).Type {
		case int8Type:
			return []int64{model.SaturatingMul(o.output().flat(), 4)}
		case int16Type:
			sums := []int64{model.SaturatingMul(o.output().flat(), 8)}
			if bias.Type == int16Type {
				sums = append(sums, model.SaturatingMul(bias.flat(), 8))
			}
			return sums
		}
	case addN: // a pointer an input
		return []int64{model.SaturatingMul(int64(len(o.op.Inputs)), cPointer)}
	case mirrorPad:
		return []int64{model.SaturatingMul(in.rank(), cInt), model.SaturatingMul(in.rank(), cInt)}
	case Custom:
		return o.custom()
	}
	return nil
}

func (o kernel) custom() []int64 {
	switch o.op.Custom {
	case "SignalRfft":
		length, _ := flexInt(o.op.options, "fft_length")
		return []int64{model.SaturatingMul(length, o.input(0).width())}
	case "TFLite_Detection_PostProcess":
		boxes, scores := o.input(0).dim(1), model.SaturatingMul(o.input(1).dim(1), o.input(1).dim(2), 4)
		most, _ := flexInt(o.op.options, "max_detections")
		classes, _ := flexInt(o.op.options, "num_classes")
		four := model.SaturatingMul(boxes, 4)
		return []int64{
			boxes, model.SaturatingMul(four, 4), scores, four, four, model.SaturatingMul(most, four), model.SaturatingMul(most, four),
			four, model.SaturatingMul(most, four), model.SaturatingMul(max(classes, most), four), model.SaturatingMul(min(boxes, most), four),
		}
	}
	return nil
}

// input is operand i; one that is absent is an empty tensor.
func (o kernel) input(i int) *Tensor {
	if i < len(o.op.Inputs) && o.op.Inputs[i] >= 0 {
		return &o.sub.Tensors[o.op.Inputs[i]]
	}
	return &Tensor{Shape: []int32{0}}
}

func (o kernel) output() *Tensor {
	if len(o.op.Outputs) > 0 {
		return &o.sub.Tensors[o.op.Outputs[0]]
	}
	return &Tensor{Shape: []int32{0}}
}

func (t *Tensor) rank() int64 { return int64(len(t.Shape)) }

// dim is dimension i, 0 where there is none.
func (t *Tensor) dim(i int) int64 {
	if i < len(t.Shape) {
		return int64(t.Shape[i])
	}
	return 0
}

// width is the bytes of an element.
func (t *Tensor) width() int64 {
	if int(t.Type) < len(types) {
		return types[t.Type].bits / 8
	}
	return 0
}

// flat is the number of elements, MaxInt64 where it does not fit.
func (t *Tensor) flat() int64 {
	n, ok := t.Elements()
	if !ok {
		return math.MaxInt64
	}
	return n
}

// Set takes rules of the form OP=BYTES in place of what s has for the
// operators they name: a kind (CONV_2D), a custom operator's name, or the
// number of one operator of the main subgraph. Several rules for one operator
// are several requests. It reports rules that name nothing.
func (s Scratch) Set(f *File, rules []string) error {
	set := make(map[[2]int]bool)
	for _, rule := range rules {
		name, text, _ := strings.Cut(rule, "=")
		size, err := strconv.ParseInt(text, 10, 64)
		if err != nil || size < 0 {
			return fmt.Errorf("scratch %q: want OP=BYTES", rule)
		}
		found := false
		for i := range f.Subgraphs {
			for k := range f.Subgraphs[i].Ops {
				if name != f.Subgraphs[i].Ops[k].Name() && (i != 0 || name != strconv.Itoa(k)) {
					continue
				}
				found = true
				if !set[[2]int{i, k}] {
					set[[2]int{i, k}], s[i][k] = true, nil
				}
				s[i][k] = append(s[i][k], size)
			}
		}
		if !found {
			return fmt.Errorf("scratch %q: the model has no operator of that name or number, but %s", rule, strings.Join(f.kinds(), ", "))
		}
	}
	return nil
}

// kinds are the names of all operators, each once, in order.
func (f *File) kinds() (names []string) {
	for i := range f.Subgraphs {
		for k := range f.Subgraphs[i].Ops {
			names = append(names, f.Subgraphs[i].Ops[k].Name())
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
