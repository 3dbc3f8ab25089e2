package spill

import (
	"cmp"
	"strconv"
	"strings"

	"memplan/model"
)

// An Operator is one, or a fused group, that does not fit by itself.
type Operator struct {
	ID     string
	Step   int64
	Bytes  int64 // that it needs at least, whatever else is where
	Proof  Proof
	Values []string // with bytes: what it needs, the largest first
}

// Alone lists, in order, the operators that the fast memory cannot hold by
// themselves: what has to be there when one runs, whatever the choice. States count
// where they may come and go.
func Alone(q *Question) ([]Operator, error) {
	k, err := newTask(q)
	if err != nil {
		return nil, err
	}
	p, _ := newProgram(k)
	return p.alone(), nil
}

func (p *program) alone() (list []Operator) {
	for s, ops := range p.k.l.Steps {
		in := p.needed(int64(s))
		step, load := in.LoadStep()
		if load <= in.Capacity {
			continue
		}
		var ids []string
		for _, o := range ops {
			ids = append(ids, cmp.Or(p.k.g.Ops[o].ID, "#"+strconv.Itoa(o)))
		}
		one := Operator{ID: strings.Join(ids, "+"), Step: int64(s), Bytes: load}
		one.Proof = Proof{in, &model.Certificate{Proof: model.ProofLoad, Bound: load, Step: step}}
		for _, b := range in.Buffers {
			one.Values = append(one.Values, b.ID)
		}
		list = append(list, one)
	}
	return list
}

// needed is what has to be in fast memory at a step, as an instance of one step.
func (p *program) needed(step int64) *model.Instance {
	in := &model.Instance{Name: p.k.g.Name, Capacity: p.k.q.Capacity}
	life := model.Interval{Start: step, End: step + 1}
	at := make(map[int]int) // by value
	var values []int
	for v := range p.k.values {
		x := &p.k.values[v]
		if column, bytes := p.absent(v, step); bytes > 0 && column == never && (!x.state || x.comes) {
			at[v] = len(in.Buffers)
			values = append(values, v)
			b := p.k.l.Arenas[0].Buffers[p.k.l.Places[x.tensors[0]].Buffer]
			in.Buffers = append(in.Buffers, model.Buffer{ID: b.ID, Life: life, Size: bytes, Align: b.Align})
		}
	}
	if bytes := p.k.scratch[step]; bytes > 0 {
		in.Buffers = append(in.Buffers, model.Buffer{ID: "workspace", Life: life, Size: bytes})
	}
	if p.k.q.Overlap {
		for _, h := range p.k.pairs(values, life) {
			in.Pairs = append(in.Pairs, model.Pair{Over: at[h.over], Under: at[h.under], Distance: h.distance, Equal: !h.lead})
		}
	}
	return in
}
