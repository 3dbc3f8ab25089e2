package spill

import (
	"slices"
	"strconv"

	"memplan/model"
	"memplan/model/graph"
	"memplan/model/schedule"
)

// A Fitted is a graph with two memory spaces, the fast one first, that does what
// another does: with operators that store a tensor into slow memory, and load it
// back as another tensor. Every tensor of an arena is allowed in one space alone.
type Fitted struct {
	Graph   *graph.Graph
	Lowered *graph.Lowered // in the order of its schedule

	Stores, Loads []int // operators of Graph
	Traffic       Traffic

	task  *task
	where choice
	step  []int64       // of each operator: the step that it belongs to without stores and loads
	from  map[int]piece // of each tensor that is in fast memory

	stands []int // of each tensor: what it stands for in the graph before
}

// A piece is a part of a value's life in fast memory.
type piece struct {
	value       int
	first, last int // events; last before first where it is there from run to run
}

// A fitting is a graph on its way.
type fitting struct {
	*Fitted
	same         map[clone]int
	op           []int // of each operator before: what it is now
	tensors, ops names
}

// A clone is a tensor in one of the places where its value is.
type clone struct{ tensor, place int } // the event that a piece begins with; slow: in slow memory

const slow = -1

// fit writes a choice out as a graph, and lowers it.
func (k *task) fit(where choice) (*Fitted, error) {
	g := k.g
	f := &fitting{
		Fitted: &Fitted{Graph: &graph.Graph{Name: g.Name, Dims: g.Dims, Spaces: k.spaces()}, task: k, where: where, from: make(map[int]piece)},
		same:   make(map[clone]int), op: make([]int, len(g.Ops)), tensors: make(names), ops: make(names),
	}
	for s, ops := range k.l.Steps {
		f.loads(int64(s))
		for _, o := range ops {
			f.copyOp(o, int64(s))
		}
		f.stores(int64(s))
		if len(ops) > 1 {
			var group []int
			for _, o := range ops {
				group = append(group, f.op[o])
			}
			f.Graph.Fuse = append(f.Graph.Fuse, group)
		}
	}
	f.caller()
	f.after()
	f.Graph.Schedule = model.Identity(len(f.Graph.Ops))
	return f.Fitted, f.lower()
}

// spaces are the two memories: the first keeps its name and its reserved ranges.
func (k *task) spaces() []graph.Space {
	fast := graph.Space{ID: "fast"}
	if len(k.g.Spaces) > 0 {
		fast = k.g.Spaces[0]
	}
	fast.Capacity = k.q.Capacity
	other := graph.Space{ID: "slow"}
	if fast.ID == other.ID {
		other.ID = "slower"
	}
	return []graph.Space{fast, other}
}

// lower gives the fitted graph its instances.
func (f *fitting) lower() error {
	o := f.task.q.Lowering
	o.Schedule, o.Fuse, o.Concat = schedule.Given, graph.FuseDeclared, false
	l, err := f.Graph.Lower(o)
	if err != nil {
		return err
	}
	f.Lowered, f.Traffic = l, Moved(l, f.task.q.Read, f.task.q.Write)
	return nil
}

// names are the ids that are taken.
type names map[string]bool

// of makes an id that nothing else has.
func (n names) of(id string) string {
	if id == "" {
		id = "#" + strconv.Itoa(len(n))
	}
	name := id
	for k := 2; n[name]; k++ {
		name = id + "#" + strconv.Itoa(k)
	}
	n[name] = true
	return name
}

// begin is the event that the piece begins with which a value is in at event j;
// slow where it is in slow memory.
func (f *fitting) begin(v, j int) int {
	out, left := f.where[v][0], f.where[v][1]
	if out[j] {
		return slow
	}
	first := j
	for first > 0 && !left[first-1] {
		first--
	}
	if f.task.values[v].comes && first == 0 && j < len(left) {
		return f.begin(v, len(left)) // it is there from the run before
	}
	return first
}

// end is the last event of the piece that begins with event j.
func (f *fitting) end(v, j int) int {
	left := f.where[v][1]
	for j < len(left) && !left[j] {
		j++
	}
	if f.task.values[v].comes && j == len(left) && slices.Contains(left, true) {
		return f.end(v, 0)
	}
	return j
}

// event is the number of a value's event at a step, -1 where there is none.
func (k *task) event(v int, step int64) int {
	if j, there := k.values[v].find(step); there {
		return j
	}
	return -1
}

// seen is the event of a value that an operator takes part in; the first where it
// does not.
func (f *fitting) seen(v, o int) int {
	if o < 0 {
		return 0
	}
	return max(0, f.task.event(v, f.task.step[o]))
}

// saved reports whether there is a copy of a value in slow memory.
func (f *fitting) saved(v int) bool {
	return slices.Contains(f.where[v][0], true) || slices.Contains(f.where[v][1], true)
}

// at is the tensor that stands for t at a step.
func (f *fitting) at(t int, step int64) int {
	v := f.task.of[t]
	if v < 0 {
		return f.tensor(t, 0)
	}
	return f.tensor(t, f.begin(v, f.task.event(v, step)))
}

// tensor is the clone of a tensor that is at a place, made when first asked for.
func (f *fitting) tensor(t, place int) int {
	if n, made := f.same[clone{t, place}]; made {
		return n
	}
	x := f.task.g.Tensors[t]
	v := f.task.kin[t]
	if x.View != nil && v >= 0 && f.task.kin[x.View.Of] != v && place != f.begin(v, 0) {
		x.View = nil // a copied view, which a store or a load makes here
	}
	if x.View != nil {
		base, at := x.View.Of, 0
		switch of := f.task.kin[base]; {
		case of == v:
			at = place
		case of >= 0:
			at = f.begin(of, f.seen(of, f.task.maker[t]))
		}
		x.View = &graph.View{Of: f.tensor(base, at), Offset: x.View.Offset}
	}
	n := len(f.Graph.Tensors)
	f.same[clone{t, place}] = n
	x.ID, x.Spaces, x.Traffic = f.task.id(t), nil, 0
	switch {
	case v < 0:
	case place == slow:
		x.Spaces = []int{1}
		if slices.Contains(f.where[v][0], false) { // it is in fast memory too
			x.ID += ".slow"
		}
	default:
		x.Spaces = []int{0}
		at := piece{v, place, f.end(v, place)}
		if x.ID = numbered(x.ID, f.where[v], place); at.first > at.last {
			x.ID = f.task.id(t)
		}
		if f.task.values[v].comes && f.saved(v) {
			x.Kind = graph.Mutable
		}
		f.from[n] = at
	}
	x.ID = f.tensors.of(x.ID)
	f.Graph.Tensors, f.stands = append(f.Graph.Tensors, x), append(f.stands, t)
	return n
}

// numbered is the id of a piece: the first has the tensor's.
func numbered(id string, where [2][]bool, place int) string {
	k := 1
	for j := range place {
		if !where[0][j] && (j == 0 || where[1][j-1]) {
			k++
		}
	}
	if k == 1 {
		return id
	}
	return id + "." + strconv.Itoa(k)
}

// add appends an operator that belongs to a step.
func (f *fitting) add(o graph.Op, step int64) int {
	o.ID = f.ops.of(o.ID)
	f.Graph.Ops, f.step = append(f.Graph.Ops, o), append(f.step, step)
	return len(f.Graph.Ops) - 1
}

// copyOp adds an operator of the graph, with the tensors that stand for its own.
func (f *fitting) copyOp(o int, step int64) {
	op := f.task.g.Ops[o]
	now := make(map[int]int)
	all := func(list []int) (out []int) {
		for _, t := range list {
			now[t] = f.at(t, step)
			out = append(out, now[t])
		}
		return out
	}
	op.Inputs, op.Outputs = all(op.Inputs), all(op.Outputs)
	inPlace, overlap := op.InPlace, op.Overlap
	accesses := op.Accesses
	op.InPlace, op.Overlap, op.After, op.Accesses = nil, nil, nil, nil
	if f.task.q.Overlap {
		for _, p := range inPlace {
			op.InPlace = append(op.InPlace, [2]int{now[p[0]], now[p[1]]})
		}
		for _, l := range overlap {
			op.Overlap = append(op.Overlap, graph.Lead{Under: now[l.Under], Over: now[l.Over], Bytes: l.Bytes})
		}
	}
	for _, a := range accesses {
		op.Accesses = append(op.Accesses, graph.Access{Operand: now[a.Operand], Times: a.Times, Of: a.Of})
	}
	f.op[o] = f.add(op, step)
}

// after has operators wait for the same others as before.
func (f *fitting) after() {
	for o := range f.op {
		for _, before := range f.task.g.Ops[o].After {
			f.Graph.Ops[f.op[o]].After = append(f.Graph.Ops[f.op[o]].After, f.op[before])
		}
	}
}

// loads adds what is copied in before the operators of a step.
func (f *fitting) loads(step int64) {
	for v := range f.task.values {
		j := f.task.event(v, step)
		if j < 1 || f.where[v][0][j] || !f.where[v][1][j-1] || f.task.values[v].fresh(j) {
			continue
		}
		root := f.task.values[v].root
		to := f.tensor(root, f.begin(v, j))
		load := graph.Op{ID: "load " + f.Graph.Tensors[to].ID, Inputs: []int{f.tensor(root, slow)}, Outputs: []int{to}, Layout: graph.Concat}
		f.Loads = append(f.Loads, f.add(load, step))
	}
}

// stores adds what is copied out after the operators of a step.
func (f *fitting) stores(step int64) {
	for v := range f.task.values {
		x := &f.task.values[v]
		if x.comes {
			f.storeState(v, step)
			continue
		}
		if x.given || x.events[x.making-1].step != step || f.where[v][0][0] || !f.saved(v) {
			continue
		}
		store := graph.Op{ID: "store " + f.Graph.Tensors[f.tensor(x.root, 0)].ID, Inputs: []int{f.tensor(x.root, 0)}, Outputs: []int{f.tensor(x.root, slow)}, Layout: graph.Concat}
		f.Stores = append(f.Stores, f.add(store, step))
	}
}

// caller says what the caller gives and reads, and adds tensors that nothing
// else has asked for.
func (f *fitting) caller() {
	k := f.task
	give := func(n int) {
		if !slices.Contains(f.Graph.Inputs, n) {
			f.Graph.Inputs = append(f.Graph.Inputs, n)
		}
	}
	for _, t := range k.g.Inputs {
		give(f.at(t, arrival))
		if v := k.of[t]; v >= 0 && !k.values[v].state && f.saved(v) {
			give(f.tensor(k.values[v].root, slow))
		}
	}
	for _, t := range k.g.Outputs {
		if n := f.at(t, k.steps); !slices.Contains(f.Graph.Outputs, n) {
			f.Graph.Outputs = append(f.Graph.Outputs, n)
		}
	}
	for t := range k.g.Tensors {
		if k.kin[t] < 0 {
			f.tensor(t, 0)
		} else if v := k.of[t]; v >= 0 && k.values[v].state && !k.values[v].dead(0) {
			f.at(t, arrival)
		}
	}
}
