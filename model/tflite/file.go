package tflite

import (
	"errors"
	"fmt"
)

// A File is a .tflite model, its indexes checked: those of tensors, buffers,
// operator codes and subgraphs are all in range.
type File struct {
	Subgraphs []Subgraph // the first is the model's main one

	data     []byte
	model    table
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

	absolute bool   // its options lie outside the FlatBuffer
	param    int32  // SVDF: the rank; UNIDIRECTIONAL_SEQUENCE_LSTM: 1 where time comes first
	options  []byte // a custom operator's own
	hidden   bool   // its kind stands in the deprecated field only
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
	tensorExternal                                                        = 10
	opCode, opInputs, opOutputs, opOptionsType, opOptions, opCustom       = 0, 1, 2, 3, 4, 5
	opOutside                                                             = 9
	bufferData, bufferOffset, bufferSize                                  = 0, 1, 2
	metadataName, metadataBuffer                                          = 0, 1
	optionsSVDF, optionsLSTM, optionsIf, optionsWhile, optionsCallOnce    = 6, 71, 92, 93, 103
)

// Read reads a .tflite model. It keeps data, which must not change afterwards,
// and never panics whatever is in it. Cost: linear in the tables, weights are
// not looked at.
func Read(data []byte) (*File, error) {
	if len(data) < 8 || string(data[4:8]) != "TFL3" {
		return nil, errors.New("not a .tflite file: no TFL3 at byte 4")
	}
	r := newFlat(data)
	f := &File{data: data, model: r.table(r.follow(0))}
	for i := range modelFields { // WithPlan refers to all of them
		f.model.at(i, 4)
	}
	f.readBuffers(r)
	f.readMetadata(r)
	codes := readCodes(f.model)
	subs := f.model.vector(modelSubgraphs, 4)
	for i := 0; i < int(subs.n) && r.err == nil; i++ {
		f.readSubgraph(r, i, subs, codes)
	}
	if r.err != nil {
		return nil, r.err
	}
	if len(f.Subgraphs) == 0 {
		return nil, errors.New("the model has no subgraph")
	}
	return f, nil
}

func (f *File) readBuffers(r *flat) {
	v := f.model.vector(modelBuffers, 4)
	for i := 0; i < int(v.n) && r.err == nil; i++ {
		t := v.table(i)
		data := t.vector(bufferData, 1)
		b := buffer{table: t.pos, pos: data.pos, size: data.n}
		// 0 and 1 both mean "inside": writers of large files leave 1 there.
		if off := t.u64(bufferOffset); off > 1 {
			size := t.u64(bufferSize)
			if off > uint64(len(f.data)) || size > uint64(len(f.data))-off {
				r.fail(t.pos, "buffer %d lies outside the file", i)
				break
			}
			b = buffer{table: t.pos, pos: int64(off), size: int64(size), outside: true}
		}
		f.buffers = append(f.buffers, b)
	}
}

func (f *File) readMetadata(r *flat) {
	v := f.model.vector(modelMetadata, 4)
	for i := 0; i < int(v.n) && r.err == nil; i++ {
		t := v.table(i)
		m := metadata{t.text(metadataName), t.u32(metadataBuffer), t.pos}
		if int64(m.buffer) >= int64(len(f.buffers)) {
			r.fail(t.pos, "metadata %q refers to buffer %d of %d", m.name, m.buffer, len(f.buffers))
		}
		f.metadata = append(f.metadata, m)
	}
}

// readCodes reads the operator codes. A kind stands in a byte that is
// deprecated, or in an int32 that old files lack; the larger counts.
func readCodes(m table) []code {
	v := m.vector(modelCodes, 4)
	var codes []code
	for i := 0; i < int(v.n) && m.r.err == nil; i++ {
		t := v.table(i)
		old, now := Kind(int8(t.u8(codeDeprecated))), Kind(t.i32(codeBuiltin))
		codes = append(codes, code{max(old, now), t.text(codeCustom), now < old})
	}
	return codes
}

func (f *File) readSubgraph(r *flat, i int, all vector, codes []code) {
	r.where = fmt.Sprintf("subgraph %d", i)
	t := all.table(i)
	s := Subgraph{Name: t.text(subName)}
	v := t.vector(subTensors, 4)
	for k := 0; k < int(v.n) && r.err == nil; k++ {
		r.where = fmt.Sprintf("subgraph %d, tensor %d", i, k)
		s.Tensors = append(s.Tensors, f.readTensor(v.table(k)))
	}
	r.where = fmt.Sprintf("subgraph %d", i)
	s.Inputs = s.indexes(t, subInputs, 0)
	s.Outputs = s.indexes(t, subOutputs, 0)
	v = t.vector(subOps, 4)
	for k := 0; k < int(v.n) && r.err == nil; k++ {
		r.where = fmt.Sprintf("subgraph %d, operator %d", i, k)
		s.Ops = append(s.Ops, s.readOp(v.table(k), codes, int(all.n)))
	}
	f.Subgraphs = append(f.Subgraphs, s)
}

// indexes reads a vector of tensor indexes, each at least least.
func (s *Subgraph) indexes(t table, field int, least int32) []int32 {
	v := t.vector(field, 4)
	list := v.ints()
	for k, i := range list {
		if i < least || int(i) >= len(s.Tensors) {
			v.r.fail(v.pos+4*int64(k), "tensor %d, there are %d", i, len(s.Tensors))
		}
	}
	return list
}

func (f *File) readTensor(t table) Tensor {
	x := Tensor{
		Name:     t.text(tensorName),
		Type:     Type(t.u8(tensorType)),
		Shape:    t.vector(tensorShape, 4).ints(),
		Variable: t.u8(tensorVariable) != 0,
		external: t.u32(tensorExternal) != 0,
	}
	if b := t.u32(tensorBuffer); int64(b) < int64(len(f.buffers)) {
		x.Constant = f.buffers[b].size
		x.external = x.external || f.buffers[b].outside
	} else {
		t.r.fail(t.pos, "buffer %d, there are %d", b, len(f.buffers))
	}
	for _, d := range x.Shape {
		if d < 0 {
			t.r.fail(t.pos, "%q has the dimension %d: its size is not known", x.Name, d)
		}
	}
	return x
}

func (s *Subgraph) readOp(t table, codes []code, subgraphs int) Op {
	c := t.u32(opCode)
	if int64(c) >= int64(len(codes)) {
		t.r.fail(t.pos, "operator code %d, there are %d", c, len(codes))
		return Op{}
	}
	op := Op{
		Kind:    codes[c].kind,
		Custom:  codes[c].custom,
		Inputs:  s.indexes(t, opInputs, -1),
		Outputs: s.indexes(t, opOutputs, 0),
		hidden:  codes[c].hidden,
	}
	v := t.vector(opCustom, 1)
	op.options = v.r.bytes(v.pos, v.n)
	op.absolute = t.u64(opOutside) > 1
	if opt, ok := t.table(opOptions); ok {
		op.readOptions(opt, t.u8(opOptionsType))
	}
	for _, b := range op.Bodies {
		if b < 0 || b >= subgraphs {
			t.r.fail(t.pos, "%s of subgraph %d, there are %d", op.Name(), b, subgraphs)
		}
	}
	if n := len(op.Bodies); n < op.Kind.bodies() {
		t.r.fail(t.pos, "%s does not say which subgraphs it runs", op.Name())
	}
	return op
}

func (o *Op) readOptions(t table, kind uint8) {
	switch {
	case o.Kind == svdf && kind == optionsSVDF:
		o.param = t.i32(0)
	case o.Kind == lstm && kind == optionsLSTM:
		o.param = int32(t.u8(3))
	case o.Kind == If && kind == optionsIf, o.Kind == While && kind == optionsWhile:
		o.Bodies = []int{int(t.i32(0)), int(t.i32(1))}
	case o.Kind == CallOnce && kind == optionsCallOnce:
		o.Bodies = []int{int(t.i32(0))}
	}
}
