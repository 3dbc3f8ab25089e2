package tflite

import (
	"errors"
	"fmt"

	"memplan/model"
	"memplan/model/graph"
)

// A walk goes through a file's operators as they run and builds the graph.
type walk struct {
	f     *File
	opt   Options
	rest  idle
	graph *graph.Graph
	notes []string

	base          []int      // number of each subgraph's first tensor, over all subgraphs
	index         []int      // the graph's tensor by that number; absent where it has none
	scratch       [][][]int  // the graph's tensors of a subgraph's operator's requests
	scratchFrom   int        // the graph's first tensor that is scratch
	made          []bool     // by the graph's tensor: some step has it as an output
	at            []int      // by the graph's tensor: the last step that names it, plus 1
	stack         []int      // subgraphs being walked
	ran           []bool     // by subgraph
	ops           [][2]int   // subgraph and operator of each step; absent where it has none
	budget        int        // how many more operators and operands may be walked
	before        []int      // tensors live before the first step
	first         []graph.Op // steps before TFLM's first
	overlaps      []Overlap  // noted at steps
	variables     int        // kept apart from the arena
	variableBytes int64
}

const absent = -1

// maxWalk bounds the walk of bodies that are run from several places, in
// multiples of the operators and operands that the file holds.
const maxWalk, spareWalk = 8, 1 << 12

// operands counts the operators of a subgraph and their operands.
func (s *Subgraph) operands() int {
	n := len(s.Inputs) + len(s.Outputs)
	for k := range s.Ops {
		n += s.Ops[k].operands()
	}
	return n
}

func (o *Op) operands() int { return 1 + len(o.Inputs) + len(o.Outputs) }

// An idle says what becomes of tensors that nothing uses that runs. TFLM gives
// them memory too.
type idle int

const (
	left     idle = iota // out of the graph
	apart                // each at a step of its own: that is all they need
	together             // all live at once, as TFLM's own planner has them
)

// walk builds the graph.
func (f *File) walk(opt Options, rest idle) (*walk, error) {
	if opt.Runtime == TFLM && opt.Scratch == nil {
		opt.Scratch = f.KernelScratch(opt.Kernels)
	}
	w := &walk{f: f, opt: opt, rest: rest, graph: &graph.Graph{}, budget: spareWalk, ran: make([]bool, len(f.Subgraphs))}
	for i := range f.Subgraphs {
		w.budget += maxWalk * f.Subgraphs[i].operands()
	}
	if err := w.tensors(); err != nil {
		return nil, err
	}
	main := &f.Subgraphs[0]
	switch opt.Runtime {
	case TFLM: // the inputs alone at the first step
		w.open("inputs", absent, absent)
		w.touchAll(0, main.Inputs)
	default:
		for _, g := range w.list(0, main.Inputs) {
			w.give(g)
		}
	}
	if err := w.subgraph(0); err != nil {
		return nil, err
	}
	w.graph.Outputs = w.list(0, main.Outputs)
	if opt.Runtime == TFLM && opt.KeepInputs {
		for _, g := range w.list(0, main.Inputs) {
			if w.graph.Tensors[g].Kind == graph.Activation {
				w.graph.Outputs = append(w.graph.Outputs, g)
			}
		}
	}
	return w, w.finish()
}

// number is the number of tensor t of subgraph sub over all subgraphs.
func (w *walk) number(sub int, t int32) int { return w.base[sub] + int(t) }

// list is the graph's tensors for those of a subgraph, without the absent ones.
func (w *walk) list(sub int, tensors []int32) []int {
	list := make([]int, 0, len(tensors))
	for _, t := range tensors {
		if t < 0 {
			continue
		}
		if g := w.index[w.number(sub, t)]; g != absent {
			list = append(list, g)
		}
	}
	return list
}

// tensors gives the graph its tensors.
func (w *walk) tensors() error {
	for s := range w.f.Subgraphs {
		w.base = append(w.base, len(w.index))
		handles := w.f.handles(s)
		for t := range w.f.Subgraphs[s].Tensors {
			if err := w.tensor(s, t, handles[t]); err != nil {
				return fmt.Errorf("subgraph %d, tensor %d %q: %w", s, t, w.f.Subgraphs[s].Tensors[t].Name, err)
			}
		}
	}
	w.scratchFrom = len(w.graph.Tensors)
	if w.opt.Runtime == TFLM {
		return w.scratches()
	}
	return nil
}

func (w *walk) tensor(s, t int, handle bool) error {
	x := &w.f.Subgraphs[s].Tensors[t]
	out := graph.Tensor{ID: x.Name, Align: w.opt.Runtime.align()}
	switch {
	case x.Constant > 0:
		out.Bytes, out.Kind, out.Align = x.Constant, graph.Weight, 0
	case x.Variable && w.opt.Runtime != Generic:
		w.index = append(w.index, absent)
		size, err := x.bytes(w.opt.Runtime)
		w.variables++
		if sum, ok := model.Add(w.variableBytes, size); ok {
			w.variableBytes = sum
		} else if err == nil {
			err = errors.New("the variables do not fit in int64")
		}
		return err
	case handle && w.opt.Runtime == TFLM:
		w.index = append(w.index, absent)
		return nil
	default:
		size, err := x.bytes(w.opt.Runtime)
		if err != nil {
			return err
		}
		if w.opt.Runtime == TFLM {
			size, _ = model.AlignUp(size, out.Align) // at most 2 GiB
		}
		out.Bytes = size
		if x.Variable {
			out.Kind = graph.Variable
		}
	}
	w.index = append(w.index, len(w.graph.Tensors))
	w.add(out)
	return nil
}

// handles are the tensors of subgraph s that VAR_HANDLE makes: references to
// variables, which TFLM keeps beside the operator.
func (f *File) handles(s int) map[int]bool {
	set := make(map[int]bool)
	for k := range f.Subgraphs[s].Ops {
		if op := &f.Subgraphs[s].Ops[k]; op.Kind == varHandle {
			for _, t := range op.Outputs {
				set[int(t)] = true
			}
		}
	}
	return set
}

func (w *walk) add(t graph.Tensor) {
	w.graph.Tensors = append(w.graph.Tensors, t)
	w.made = append(w.made, t.Kind != graph.Activation)
	w.at = append(w.at, 0)
}

// scratches gives the graph a tensor for each request of scratch, in the order
// of the requests: kernels are prepared subgraph by subgraph.
func (w *walk) scratches() error {
	w.scratch = make([][][]int, len(w.f.Subgraphs))
	for s := range w.f.Subgraphs {
		w.scratch[s] = make([][]int, len(w.f.Subgraphs[s].Ops))
		for k, sizes := range w.opt.Scratch[s] {
			op := &w.f.Subgraphs[s].Ops[k]
			for r, size := range sizes {
				size, ok := model.AlignUp(size, TFLM.align())
				if !ok {
					return fmt.Errorf("subgraph %d, operator %d %s: scratch does not fit in int64", s, k, op.Name())
				}
				w.scratch[s][k] = append(w.scratch[s][k], len(w.graph.Tensors))
				id := fmt.Sprintf("scratch %d of %d:%s", r, k, op.Name())
				w.add(graph.Tensor{ID: id, Bytes: size, Align: TFLM.align()})
			}
		}
	}
	return nil
}

func (w *walk) note(format string, args ...any) {
	w.notes = append(w.notes, fmt.Sprintf(format, args...))
}

// give makes a tensor an input of the graph.
func (w *walk) give(g int) {
	if !w.made[g] {
		w.made[g] = true
		w.graph.Inputs = append(w.graph.Inputs, g)
	}
}

// open begins a step, that of operator k of subgraph s or of none.
func (w *walk) open(name string, s, k int) {
	w.ops = append(w.ops, [2]int{s, k})
	w.graph.Ops = append(w.graph.Ops, graph.Op{ID: fmt.Sprintf("%d:%s", len(w.graph.Ops), name)})
}

// touch has a tensor live at the step: made there where nothing has made it
// before, else read.
func (w *walk) touch(g int) {
	if w.made[g] {
		w.read(g)
		return
	}
	op := w.step()
	w.made[g], w.at[g] = true, len(w.graph.Ops)
	op.Outputs = append(op.Outputs, g)
}

func (w *walk) read(g int) {
	if op := w.step(); w.at[g] < len(w.graph.Ops) {
		w.at[g] = len(w.graph.Ops)
		op.Inputs = append(op.Inputs, g)
		if w.graph.Tensors[g].Kind == graph.Variable { // which kernels that take it change
			op.Outputs = append(op.Outputs, g)
		}
	}
}

func (w *walk) step() *graph.Op { return &w.graph.Ops[len(w.graph.Ops)-1] }

func (w *walk) touchAll(sub int, tensors []int32) {
	for _, g := range w.list(sub, tensors) {
		w.touch(g)
	}
}
