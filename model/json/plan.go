package json

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"

	"memplan/model"
)

// A Plan is what is written of a result: with offsets the plan itself, without
// them a line of a table. Sizes are in bytes.
type Plan struct {
	Schema      int           `json:"schema"` // 1
	Instance    string        `json:"instance"`
	Buffers     int           `json:"buffers"`
	Load        int64         `json:"load"`
	Peak        *int64        `json:"peak"` // null without a plan
	Bound       int64         `json:"bound"`
	Status      string        `json:"status"`
	Proof       model.Proof   `json:"proof"`
	Planner     string        `json:"planner"`
	Spaces      []Space       `json:"spaces,omitempty"`   // where a graph has several
	Weights     *int64        `json:"weights,omitempty"`  // of the read-only region, for graphs
	Pinned      int           `json:"pinned,omitempty"`   // buffers that are pinned: the plan, and what is proven of it, is with these
	Schedule    []string      `json:"schedule,omitempty"` // the operators in their order, for graphs
	Offsets     Offsets       `json:"offsets,omitempty"`
	Pools       Pools         `json:"pools,omitempty"`    // of each tensor, where a graph has several spaces
	Moved       *Moved        `json:"moved,omitempty"`    // where an old plan was to be kept
	Conflict    *Conflict     `json:"conflict,omitempty"` // where the capacity is proven too small
	Alone       []Alone       `json:"alone,omitempty"`    // operators that do not fit by themselves
	Ways        []WayOut      `json:"ways,omitempty"`     // out of that
	Certificate *Certificates `json:"certificate,omitempty"`
}

// A Conflict is buffers that do not fit into a capacity together: all of them.
type Conflict struct {
	Space   string        `json:"space,omitempty"` // of several
	Steps   *[2]int64     `json:"steps,omitempty"` // from, to; nil: whenever they are live
	Minimal bool          `json:"minimal"`         // without any one of them the rest fit
	Buffers []Conflicting `json:"buffers"`
}

// Conflicting is one of the buffers of a conflict.
type Conflicting struct {
	ID   string `json:"id"`
	Size int64  `json:"size"`
}

// An Alone is an operator that does not fit into the capacity by itself.
type Alone struct {
	ID      string        `json:"id"`
	Bytes   int64         `json:"bytes"` // that it needs
	Short   int64         `json:"short"` // what it lacks of them
	Buffers []Conflicting `json:"buffers"`
}

// A WayOut is another choice, of what is proven not to fit, and what came of it.
// Sizes are in bytes.
type WayOut struct {
	Way     string        `json:"way"`
	Status  string        `json:"status"`
	Bytes   *int64        `json:"bytes,omitempty"` // that are needed of the memory that is too small
	Short   int64         `json:"short,omitempty"` // what it lacks of them
	Slow    *int64        `json:"slow,omitempty"`  // needed of the other memory
	Written *int64        `json:"written,omitempty"`
	Read    *int64        `json:"read,omitempty"`
	Buffers []Conflicting `json:"buffers,omitempty"` // those in the other memory
	Why     string        `json:"why,omitempty"`     // it does not fit, or is not known
}

// The status of a way out.
const (
	WayFits    = "fits"
	WayNone    = "none"
	WayUnknown = "unknown"
)

// Moved says how many buffers of an old plan lie elsewhere.
type Moved struct {
	Kept  int    `json:"kept"` // buffers
	Moved int    `json:"moved"`
	New   int    `json:"new"` // that the old plan has not
	Bytes int64  `json:"bytes"`
	Least *int64 `json:"least_bytes,omitempty"` // a plan of this peak moves no fewer: HiGHS's word, where it was asked
}

// A Space is what is written of one of several memory spaces.
type Space struct {
	ID       string `json:"id"`
	Capacity int64  `json:"capacity"` // 0 = none
	Load     int64  `json:"load"`
	Peak     *int64 `json:"peak"`
	Bound    int64  `json:"bound"`
	Status   string `json:"status"`
}

// Offsets is written as an object, in its own order.
type Offsets []Offset

// An Offset places one buffer or tensor.
type Offset struct {
	ID    string
	Bytes int64
}

// Of returns a plan's offsets under the ids of the instance.
func Of(in *model.Instance, p *model.Plan) Offsets {
	list := make(Offsets, len(in.Buffers))
	for i := range in.Buffers {
		list[i] = Offset{in.Buffers[i].ID, p.Offsets[i]}
	}
	return list
}

func (o Offsets) MarshalJSON() ([]byte, error) {
	return object(len(o), func(i int) (string, any) { return o[i].ID, o[i].Bytes })
}

// Pools is written as an object, in its own order.
type Pools []Pool

// A Pool names the memory space that a tensor is in.
type Pool struct{ ID, Space string }

func (p Pools) MarshalJSON() ([]byte, error) {
	return object(len(p), func(i int) (string, any) { return p[i].ID, p[i].Space })
}

// object writes n members in order.
func object(n int, member func(i int) (key string, value any)) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	write := func(before byte, v any) error {
		out.WriteByte(before)
		err := enc.Encode(v)
		out.Truncate(out.Len() - 1) // the encoder ends each value with a line feed
		return err
	}
	before := byte('{')
	for i := range n {
		key, value := member(i)
		if err := cmp.Or(write(before, key), write(':', value)); err != nil {
			return nil, err
		}
		before = ','
	}
	if n == 0 {
		out.WriteByte('{')
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// Write writes the plan on one line.
func (p *Plan) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(p)
}

// ReadPlan reads a plan of in: an object with offsets {id: bytes} for each
// buffer. What else the object says is not looked at, nor what the offsets are
// worth. pools is nil where the object has none.
func ReadPlan(r io.Reader, file string, in *model.Instance) (plan model.Plan, pools []string, err error) {
	p, err := newParser(r, file)
	if err != nil {
		return model.Plan{}, nil, err
	}
	plan = model.Plan{Offsets: make([]int64, len(in.Buffers))}
	each := func(what string, read func(i int)) (seen []bool) {
		seen = make([]bool, len(in.Buffers))
		find := model.NewFinder(in)
		p.entries(what, func(id string) {
			switch i, known := find.Buffer(id); {
			case !known:
				p.fault("buffer %q: the instance has no such buffer", id)
				p.rest(p.token())
			case seen[i]:
				p.twice(what, id)
			default:
				seen[i] = true
				read(i)
			}
		})
		return seen
	}
	placed := make([]bool, len(in.Buffers))
	offsets := func() {
		placed = each("offsets", func(i int) { plan.Offsets[i] = p.offset(in.Buffers[i].ID) })
	}
	inPools := func() {
		pools = make([]string, len(in.Buffers))
		each("pools", func(i int) { pools[i] = p.pool(in.Buffers[i].ID) })
	}
	p.object("plan", p.beside(member{"offsets", offsets}, member{"pools", inPools})...)
	p.end()
	for i, ok := range placed {
		if !ok && !p.broken {
			p.faults.At(0, "buffer %q: no offset", in.Buffers[i].ID)
		}
	}
	return plan, pools, p.faults.Err()
}

// ReadPlaces reads where a plan of any instance has its buffers. What else the object says
// is not looked at.
func ReadPlaces(r io.Reader, file string) ([]model.Place, error) {
	p, err := newParser(r, file)
	if err != nil {
		return nil, err
	}
	var places []model.Place
	at := make(map[string]int)
	each := func(what string, read func(to *model.Place)) func() {
		return func() {
			p.dictionary(what, func(id string) {
				if _, known := at[id]; !known {
					at[id] = len(places)
					places = append(places, model.Place{ID: id, Offset: -1})
				}
				read(&places[at[id]])
			})
		}
	}
	p.object("plan", p.beside(
		member{"offsets", each("offsets", func(to *model.Place) { to.Offset = p.offset(to.ID) })},
		member{"pools", each("pools", func(to *model.Place) { to.Pool = p.pool(to.ID) })})...)
	p.end()
	for _, place := range places {
		if place.Offset < 0 && !p.broken {
			p.faults.At(0, "buffer %q: no offset", place.ID)
		}
	}
	return places, p.faults.Err()
}

// beside are the members of a plan: those given, and all others, not looked at.
func (p *parser) beside(given ...member) []member {
	skip := func() { p.rest(p.token()) }
	for _, key := range []string{"instance", "buffers", "load", "peak", "bound", "status", "proof", "planner", "spaces", "weights", "certificate", "pinned", "moved", "schedule", "conflict", "alone", "ways"} {
		given = append(given, member{key, skip})
	}
	return append(given, member{"schema", p.schema})
}

func (p *parser) offset(id string) int64 { return p.integer("offset of " + quote(id)) }
func (p *parser) pool(id string) string  { return p.str("pool of " + quote(id)) }
