package json

import (
	"memplan/model"
)

// The shapes of what proves what is moved at least, as it is written.
type (
	trafficShape struct {
		Question questionShape `json:"question"`
		Cuts     []cutShape    `json:"cuts"`
		Rounded  []roundShape  `json:"rounded"`
		Tree     []int         `json:"tree"`
		Leaves   []leafShape   `json:"leaves"`
	}
	questionShape struct {
		Capacity  int64            `json:"capacity"` // bytes
		Way       model.TrafficWay `json:"way"`
		Overlap   bool             `json:"overlap"`
		Read      int64            `json:"read"`  // cost of a byte
		Write     int64            `json:"write"` // cost of a byte
		Scratch   [][]int64        `json:"scratch"`
		Reserved  [][2]int64       `json:"reserved"`
		Values    []valueShape     `json:"values"`
		Handovers [][6]int64       `json:"handovers"`
		Before    [][]int          `json:"before"`
	}
	valueShape struct {
		Bytes  int64      `json:"bytes"`
		Align  int64      `json:"align"`
		Made   int        `json:"made"`
		State  bool       `json:"state"`
		Copied bool       `json:"copied"`
		Least  int64      `json:"least"`
		Moves  []int64    `json:"moves"`
		Events [][5]int64 `json:"events"`
	}
	cutShape struct {
		Pieces      [][3]int64  `json:"pieces"`
		Certificate Certificate `json:"certificate"`
	}
	roundShape struct {
		Row     int   `json:"row"`
		Divisor int64 `json:"divisor"`
		Turned  []int `json:"turned"`
	}
	leafShape struct {
		Scale   int64   `json:"scale"`
		Rows    []int   `json:"rows"`
		Weights []int64 `json:"weights"`
	}
)

func digit(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

func shapeOf(t *model.Traffic) *trafficShape {
	q := &t.Question
	out := &trafficShape{Cuts: []cutShape{}, Rounded: []roundShape{}, Tree: nonNil(t.Tree), Leaves: []leafShape{}, Question: questionShape{
		Capacity: q.Capacity, Way: q.Way, Overlap: q.Overlap, Read: q.Read, Write: q.Write,
		Scratch: [][]int64{}, Reserved: nonNil(pairs(q.Reserved)), Values: []valueShape{}, Handovers: [][6]int64{}, Before: [][]int{}}}
	for _, s := range q.Scratch {
		out.Question.Scratch = append(out.Question.Scratch, nonNil(s))
	}
	for _, x := range q.Values {
		v := valueShape{Bytes: x.Bytes, Align: x.Align, Made: x.Made, State: x.State, Copied: x.Copied, Least: x.Least, Moves: nonNil(x.Moves)}
		for _, e := range x.Events {
			v.Events = append(v.Events, [5]int64{e.Step, e.Reads, e.Writes, digit(e.Read) + 2*digit(e.Written), e.Needed})
		}
		out.Question.Values = append(out.Question.Values, v)
	}
	for _, h := range q.Handovers {
		out.Question.Handovers = append(out.Question.Handovers, [6]int64{h.Step, int64(h.Under), int64(h.Over), h.Distance, digit(h.Lead), digit(h.Given)})
	}
	for _, list := range q.Before {
		out.Question.Before = append(out.Question.Before, nonNil(list))
	}
	for _, c := range t.Cuts {
		s := cutShape{Certificate: Certificate{Certificate: &c.Certificate}}
		for _, p := range c.Pieces {
			s.Pieces = append(s.Pieces, [3]int64{int64(p.Value), p.Steps.Start, p.Steps.End})
		}
		out.Cuts = append(out.Cuts, s)
	}
	for _, r := range t.Rounded {
		out.Rounded = append(out.Rounded, roundShape{r.Row, r.Divisor, nonNil(r.Turned)})
	}
	for _, l := range t.Leaves {
		out.Leaves = append(out.Leaves, leafShape{l.Scale, nonNil(l.Rows), nonNil(l.Weights)})
	}
	return out
}

// row reads a list of so many integers.
func (p certificateReader) row(what string, n int) []int64 {
	out := p.longs(what)
	if len(out) != n {
		if !p.broken {
			p.fault("%s: want %d integers", what, n)
		}
		return make([]int64, n)
	}
	return out
}

// is reads what is written as 0 or 1.
func (p certificateReader) is(what string, x int64) bool {
	if x != 0 && x != 1 {
		p.fault("%s: %d is neither 0 nor 1", what, x)
	}
	return x == 1
}

func (p certificateReader) longs(what string) (list []int64) {
	p.list(what, func() { list = append(list, p.integer(what)) })
	return list
}

func (p certificateReader) traffic() *model.Traffic {
	t := &model.Traffic{}
	p.all("traffic", member{"question", func() { t.Question = p.question() }},
		member{"cuts", func() { p.list("cuts", func() { t.Cuts = append(t.Cuts, p.cut()) }) }},
		member{"rounded", func() { p.list("rounded", func() { t.Rounded = append(t.Rounded, p.rounding()) }) }},
		member{"tree", func() { t.Tree = p.integers("tree") }},
		member{"leaves", func() { p.list("leaves", func() { t.Leaves = append(t.Leaves, p.leaf()) }) }})
	return t
}

func (p certificateReader) question() (q model.TrafficQuestion) {
	ways := []string{string(model.WholeValues), string(model.DirectPieces), string(model.CopiedPieces)}
	p.all("question", member{"capacity", func() { q.Capacity = p.integer("capacity") }},
		member{"way", func() { q.Way = model.TrafficWay(ways[p.choice("way", ways...)]) }},
		member{"overlap", func() { q.Overlap = p.truth("overlap") }},
		member{"read", func() { q.Read = p.integer("read") }}, member{"write", func() { q.Write = p.integer("write") }},
		member{"scratch", func() { p.list("scratch", func() { q.Scratch = append(q.Scratch, p.longs("scratch")) }) }},
		member{"reserved", func() {
			p.list("reserved", func() {
				r := p.row("reserved", 2)
				q.Reserved = append(q.Reserved, model.Interval{Start: r[0], End: r[1]})
			})
		}},
		member{"values", func() { p.list("values", func() { q.Values = append(q.Values, p.value()) }) }},
		member{"before", func() { p.list("before", func() { q.Before = append(q.Before, p.integers("before")) }) }},
		member{"handovers", func() {
			p.list("handovers", func() {
				r := p.row("handover", 6)
				q.Handovers = append(q.Handovers, model.Handover{Step: r[0], Under: int(r[1]), Over: int(r[2]), Distance: r[3], Lead: p.is("handover", r[4]), Given: p.is("handover", r[5])})
			})
		}})
	return q
}

func (p certificateReader) value() (x model.TrafficValue) {
	p.all("value", member{"bytes", func() { x.Bytes = p.integer("bytes") }}, member{"align", func() { x.Align = p.integer("align") }},
		member{"made", func() { x.Made = int(p.integer("made")) }}, member{"state", func() { x.State = p.truth("state") }}, member{"copied", func() { x.Copied = p.truth("copied") }},
		member{"least", func() { x.Least = p.integer("least") }},
		member{"moves", func() { x.Moves = p.longs("moves") }},
		member{"events", func() {
			p.list("events", func() {
				r := p.row("event", 5)
				if r[3] < 0 || r[3] > 3 {
					p.fault("event: %d is none of 0 to 3", r[3])
				}
				x.Events = append(x.Events, model.TrafficEvent{Step: r[0], Reads: r[1], Writes: r[2], Read: r[3]&1 > 0, Written: r[3]&2 > 0, Needed: r[4]})
			})
		}})
	return x
}

func (p certificateReader) cut() (c model.Cut) {
	p.all("cut", member{"pieces", func() {
		p.list("pieces", func() {
			r := p.row("piece", 3)
			c.Pieces = append(c.Pieces, model.PresentPiece{Value: int(r[0]), Steps: model.Interval{Start: r[1], End: r[2]}})
		})
	}}, member{"certificate", func() { c.Certificate = *p.certificate(false).Certificate }})
	return c
}

func (p certificateReader) rounding() (r model.Rounding) {
	p.all("rounding", member{"row", func() { r.Row = int(p.integer("row")) }}, member{"divisor", func() { r.Divisor = p.integer("divisor") }},
		member{"turned", func() { r.Turned = p.integers("turned") }})
	return r
}

func (p certificateReader) leaf() (l model.Leaf) {
	p.all("leaf", member{"scale", func() { l.Scale = p.integer("scale") }}, member{"rows", func() { l.Rows = p.integers("rows") }},
		member{"weights", func() { l.Weights = p.longs("weights") }})
	return l
}
