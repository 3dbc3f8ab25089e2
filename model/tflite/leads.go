package tflite

import (
	"encoding/binary"

	"memplan/model/tflite/kernels"
)

// A Lead says that an operator may write its output while it reads an input for
// the last time, as long as the input lies so many bytes higher or more.
type Lead struct {
	Input, Output int32 // tensors of the subgraph
	Bytes         int64 // a multiple of 16
}

// Leads are those of an operator by a library of kernels. Each holds where nothing
// else reads the input then or later, which is not looked at here.
func (f *File) Leads(library kernels.Library, sub, op int) (leads []Lead) {
	o := kernel{&f.Subgraphs[sub], &f.Subgraphs[sub].Ops[op]}
	if len(o.op.Outputs) != 1 {
		return nil
	}
	seen := o.seen(f)
	for i, x := range o.op.Inputs {
		if x < 0 || o.input(i).Constant > 0 || o.input(i).Variable || x == o.op.Outputs[0] {
			continue
		}
		if bytes, ok := library.Lead(&seen, i); ok {
			leads = append(leads, Lead{x, o.op.Outputs[0], bytes})
		}
	}
	return leads
}

// seen is the operator as kernels see it.
func (o kernel) seen(f *File) kernels.Operator {
	seen := kernels.Operator{Kind: o.op.Name(), Output: o.output().seen(), Window: o.op.window}
	for i, x := range o.op.Inputs {
		t := kernels.Tensor{}
		if x >= 0 {
			t = o.input(i).seen()
			if i == 1 && (o.op.Kind == pad || o.op.Kind == padV2) {
				t.Values = o.input(i).values(f)
			}
		}
		seen.Inputs = append(seen.Inputs, t)
	}
	return seen
}

func (t *Tensor) seen() kernels.Tensor {
	seen := kernels.Tensor{Type: t.Type.String(), Width: t.width(), Constant: t.Constant > 0, PerChannel: t.scales > 1}
	if t.Type == int4Type {
		seen.Width = 1
	}
	for _, d := range t.Shape {
		seen.Shape = append(seen.Shape, int64(d))
	}
	return seen
}

// values are the elements of a small constant tensor of int32, nil where it is none.
func (t *Tensor) values(f *File) (list []int64) {
	const most = 16 // two for each of the dimensions
	if t.Type != int32Type || t.Constant > 4*most {
		return nil
	}
	data := f.data[f.buffers[t.buffer].pos:][:t.Constant]
	for ; len(data) >= 4; data = data[4:] {
		list = append(list, int64(int32(binary.LittleEndian.Uint32(data))))
	}
	return list
}
