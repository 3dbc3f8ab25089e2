package tflite

import (
	"errors"
	"fmt"

	"memplan/model/internal/flat"
	"memplan/model/tflite/kernels"
)

// A File is a .tflite model, its indexes checked: those of tensors, buffers,
// operator codes and subgraphs are all in range.
type File struct {
	Subgraphs []Subgraph // the first is the model's main one

	data     []byte
	model    flat.Table
	buffers  []buffer
	metadata []metadata
}

// A Subgraph is a sequence of operators on tensors of its own.
type Subgraph struct {
	Name            string
	Tensors         []Tensor
	Ops             []Op
	Inputs, Outputs []int32 // indexes of Tensors
}

// An Op is an operator of a subgraph.
type Op struct {
	Kind            Kind
	Custom          string  // the name of a custom operator
	Inputs, Outputs []int32 // indexes of Tensors; an input may be -1, absent
	Bodies          []int   // subgraphs that it runs, in the order TFLM walks them

	window   kernels.Window // of convolutions and pools
	absolute bool           // its options lie outside the FlatBuffer
	param    int32          // SVDF: the rank; UNIDIRECTIONAL_SEQUENCE_LSTM: 1 where time comes first
	options  []byte         // a custom operator's own
	hidden   bool           // its kind stands in the deprecated field only
	resource string         // the variable that it is a handle of, or uses by one; "" where that is not known
}

// Name is the kind's name, or the custom operator's.
func (o *Op) Name() string {
	if o.Kind == Custom && o.Custom != "" {
		return o.Custom
	}
	return o.Kind.String()
}

// A buffer is where constant data lies.
type buffer struct {
	table     int64 // position of its table
	pos, size int64
	outside   bool // beyond the FlatBuffer, by absolute position
}

type metadata struct {
	name   string
	buffer uint32
	table  int64 // position of its table
}

// A code is an entry of the operator codes.
type code struct {
	kind   Kind
	custom string
	hidden bool
}

// Fields of the schema's tables, by position.
const (
	modelVersion, modelCodes, modelSubgraphs, modelBuffers, modelMetadata = 0, 1, 2, 4, 6
	codeDeprecated, codeCustom, codeBuiltin                               = 0, 1, 3
	subTensors, subInputs, subOutputs, subOps, subName                    = 0, 1, 2, 3, 4
	tensorShape, tensorType, tensorBuffer, tensorName, tensorVariable     = 0, 1, 2, 3, 5
	tensorQuantization, quantizationScale, tensorExternal                 = 4, 2, 10
	opCode, opInputs, opOutputs, opOptionsType, opOptions, opCustom       = 0, 1, 2, 3, 4, 5
	opOutside                                                             = 9
	bufferData, bufferOffset, bufferSize                                  = 0, 1, 2
	metadataName, metadataBuffer                                          = 0, 1
	optionsConv, optionsDepthwise, optionsPool, optionsTransposeConv      = 1, 2, 5, 49
	optionsSVDF, optionsLSTM, optionsIf, optionsWhile, optionsCallOnce    = 6, 71, 92, 93, 103
	optionsVarHandle                                                      = 111
)

// Read reads a .tflite model. It keeps data, which must not change afterwards,
// and never panics whatever is in it. Cost: linear in the tables, weights are
// not looked at.
func Read(data []byte) (*File, error) {
	if len(data) < 8 || string(data[4:8]) != "TFL3" {
		return nil, errors.New("not a .tflite file: no TFL3 at byte 4")
	}
	r := flat.New(data)
	f := &File{data: data, model: r.Table(r.Follow(0))}
	for i := range modelFields { // WithPlan refers to all of them
		f.model.At(i, 4)
	}
	f.readBuffers(r)
	f.readMetadata(r)
	codes := readCodes(f.model)
	subs := f.model.Vector(modelSubgraphs, 4)
	for i := 0; i < int(subs.N) && r.Err == nil; i++ {
		f.readSubgraph(r, i, subs, codes)
	}
	if r.Err != nil {
		return nil, r.Err
	}
	if len(f.Subgraphs) == 0 {
		return nil, errors.New("the model has no subgraph")
	}
	return f, nil
}

func (f *File) readBuffers(r *flat.Reader) {
	v := f.model.Vector(modelBuffers, 4)
	for i := 0; i < int(v.N) && r.Err == nil; i++ {
		t := v.Table(i)
		data := t.Vector(bufferData, 1)
		b := buffer{table: t.Pos, pos: data.Pos, size: data.N}
		// 0 and 1 both mean "inside": writers of large files leave 1 there.
		if off := t.U64(bufferOffset); off > 1 {
			size := t.U64(bufferSize)
			if off > uint64(len(f.data)) || size > uint64(len(f.data))-off {
				r.Fail(t.Pos, "buffer %d lies outside the file", i)
				break
			}
			b = buffer{table: t.Pos, pos: int64(off), size: int64(size), outside: true}
		}
		f.buffers = append(f.buffers, b)
	}
}

func (f *File) readMetadata(r *flat.Reader) {
	v := f.model.Vector(modelMetadata, 4)
	for i := 0; i < int(v.N) && r.Err == nil; i++ {
		t := v.Table(i)
		m := metadata{t.Text(metadataName), t.U32(metadataBuffer), t.Pos}
		if int64(m.buffer) >= int64(len(f.buffers)) {
			r.Fail(t.Pos, "metadata %q refers to buffer %d of %d", m.name, m.buffer, len(f.buffers))
		}
		f.metadata = append(f.metadata, m)
	}
}

// readCodes reads the operator codes. A kind stands in a byte that is
// deprecated, or in an int32 that old files lack; the larger counts.
func readCodes(m flat.Table) []code {
	v := m.Vector(modelCodes, 4)
	var codes []code
	for i := 0; i < int(v.N) && m.R.Err == nil; i++ {
		t := v.Table(i)
		old, now := Kind(int8(t.U8(codeDeprecated))), Kind(t.I32(codeBuiltin))
		codes = append(codes, code{max(old, now), t.Text(codeCustom), now < old})
	}
	return codes
}

func (f *File) readSubgraph(r *flat.Reader, i int, all flat.Vector, codes []code) {
	r.Where = fmt.Sprintf("subgraph %d", i)
	t := all.Table(i)
	s := Subgraph{Name: t.Text(subName)}
	v := t.Vector(subTensors, 4)
	for k := 0; k < int(v.N) && r.Err == nil; k++ {
		r.Where = fmt.Sprintf("subgraph %d, tensor %d", i, k)
		s.Tensors = append(s.Tensors, f.readTensor(v.Table(k)))
	}
	r.Where = fmt.Sprintf("subgraph %d", i)
	s.Inputs = s.indexes(t, subInputs, 0)
	s.Outputs = s.indexes(t, subOutputs, 0)
	v = t.Vector(subOps, 4)
	for k := 0; k < int(v.N) && r.Err == nil; k++ {
		r.Where = fmt.Sprintf("subgraph %d, operator %d", i, k)
		s.Ops = append(s.Ops, s.readOp(v.Table(k), codes, int(all.N)))
	}
	if r.Err == nil {
		s.nameResources()
	}
	f.Subgraphs = append(f.Subgraphs, s)
}

// nameResources finds the variables that operators use by handles of the subgraph.
// They are told apart by their shared names alone: to TFLM a handle without a
// container is of any that has the name.
func (s *Subgraph) nameResources() {
	names, makers := make([]string, len(s.Tensors)), make([]int, len(s.Tensors))
	for k := range s.Ops {
		for _, t := range s.Ops[k].Outputs {
			names[t] = s.Ops[k].resource
			makers[t]++
		}
	}
	for k := range s.Ops {
		if op := &s.Ops[k]; op.Kind.effect() == onResource && len(op.Inputs) > 0 && op.Inputs[0] >= 0 && makers[op.Inputs[0]] == 1 {
			op.resource = names[op.Inputs[0]]
		}
	}
}

// indexes reads a vector of tensor indexes, each at least least.
func (s *Subgraph) indexes(t flat.Table, field int, least int32) []int32 {
	v := t.Vector(field, 4)
	list := v.Ints()
	for k, i := range list {
		if i < least || int(i) >= len(s.Tensors) {
			v.R.Fail(v.Pos+4*int64(k), "tensor %d, there are %d", i, len(s.Tensors))
		}
	}
	return list
}

func (f *File) readTensor(t flat.Table) Tensor {
	x := Tensor{
		Name:     t.Text(tensorName),
		Type:     Type(t.U8(tensorType)),
		Shape:    t.Vector(tensorShape, 4).Ints(),
		Variable: t.U8(tensorVariable) != 0,
		external: t.U32(tensorExternal) != 0,
	}
	if q, ok := t.Table(tensorQuantization); ok {
		x.scales = uint32(q.Vector(quantizationScale, 4).N)
	}
	if b := t.U32(tensorBuffer); int64(b) < int64(len(f.buffers)) {
		x.Constant, x.buffer = f.buffers[b].size, b
		x.external = x.external || f.buffers[b].outside
	} else {
		t.R.Fail(t.Pos, "buffer %d, there are %d", b, len(f.buffers))
	}
	for _, d := range x.Shape {
		if d < 0 {
			t.R.Fail(t.Pos, "%q has the dimension %d: its size is not known", x.Name, d)
		}
	}
	return x
}

func (s *Subgraph) readOp(t flat.Table, codes []code, subgraphs int) Op {
	c := t.U32(opCode)
	if int64(c) >= int64(len(codes)) {
		t.R.Fail(t.Pos, "operator code %d, there are %d", c, len(codes))
		return Op{}
	}
	op := Op{
		Kind:    codes[c].kind,
		Custom:  codes[c].custom,
		Inputs:  s.indexes(t, opInputs, -1),
		Outputs: s.indexes(t, opOutputs, 0),
		hidden:  codes[c].hidden,
	}
	op.options = t.Vector(opCustom, 1).Data()
	op.absolute = t.U64(opOutside) > 1
	if opt, ok := t.Table(opOptions); ok {
		op.readOptions(opt, t.U8(opOptionsType))
	}
	for _, b := range op.Bodies {
		if b < 0 || b >= subgraphs {
			t.R.Fail(t.Pos, "%s of subgraph %d, there are %d", op.Name(), b, subgraphs)
		}
	}
	if n := len(op.Bodies); n < op.Kind.bodies() {
		t.R.Fail(t.Pos, "%s does not say which subgraphs it runs", op.Name())
	}
	return op
}

// readWindow reads the options that convolutions and pools have in common, columns
// before rows, with the dilation from a field on.
func readWindow(t flat.Table, dilation int) kernels.Window {
	w := kernels.Window{Same: t.U8(0) == 0, Dilation: [2]int64{1, 1}}
	for dir := range 2 {
		w.Stride[dir] = int64(t.I32(2 - dir))
		if at := dilation + 1 - dir; t.Has(at) {
			w.Dilation[dir] = int64(t.I32(at))
		}
	}
	return w
}

func (o *Op) readOptions(t flat.Table, kind uint8) {
	switch {
	case o.Kind == conv2D && kind == optionsConv:
		o.window = readWindow(t, 4)
	case o.Kind == depthwiseConv2D && kind == optionsDepthwise:
		o.window = readWindow(t, 5)
	case o.Kind == transposeConv && kind == optionsTransposeConv:
		o.window = readWindow(t, t.Fields())
	case (o.Kind == averagePool2D || o.Kind == maxPool2D) && kind == optionsPool:
		o.window = readWindow(t, t.Fields())
		o.window.Taps = [2]int64{int64(t.I32(4)), int64(t.I32(3))}
	case o.Kind == svdf && kind == optionsSVDF:
		o.param = t.I32(0)
	case o.Kind == lstm && kind == optionsLSTM:
		o.param = int32(t.U8(3))
	case o.Kind == If && kind == optionsIf, o.Kind == While && kind == optionsWhile:
		o.Bodies = []int{int(t.I32(0)), int(t.I32(1))}
	case o.Kind == CallOnce && kind == optionsCallOnce:
		o.Bodies = []int{int(t.I32(0))}
	case o.Kind == varHandle && kind == optionsVarHandle:
		o.resource = "variable " + t.Text(1)
	}
}
