package verify_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"memplan/internal/shared"
	"memplan/model"
	"memplan/model/csv"
	"memplan/search/learning"
)

// Same file, same instance, same verdict: small instances with every feature,
// and their certificates, with a few changes to the text of either.
func TestBothCheckersAgree(t *testing.T) {
	draw := rand.New(rand.NewSource(1))
	files, instances, accepted, rejected := shared.Many(2000), 0, 0, 0
	for n := 0; n < files; instances++ {
		in := drawn(draw)
		for in.Validate() != nil && draw.Intn(8) > 0 {
			in = drawn(draw)
		}
		instance := spelt(draw, in)
		if d, err := csv.Read(bytes.NewReader(instance), "in.csv"); err == nil {
			in = d.Instance // of other lives, where there are clocks or arms
		}
		file := written(t, proofs(draw, in)...)
		for range 20 {
			n++
			a, b := instance, file
			if draw.Intn(3) == 0 {
				a = spoilt(draw, a, inTable)
			}
			if draw.Intn(3) == 0 {
				b = spoilt(draw, b, inJSON)
			}
			if agree(t, a, b) > 0 {
				accepted++
			} else {
				rejected++
			}
		}
	}
	t.Logf("%d files of %d instances: of %d something is accepted, of %d nothing", files, instances, accepted, rejected)
	if accepted < files/5 || rejected < files/5 {
		t.Errorf("%d accepted, %d rejected: the test has lost its point", accepted, rejected)
	}
}

// drawn is an instance of a few buffers.
func drawn(draw *rand.Rand) *model.Instance {
	in := &model.Instance{}
	features := draw.Intn(32)
	for i := range 2 + draw.Intn(6) {
		start := draw.Int63n(5)
		b := model.Buffer{ID: fmt.Sprint("b", i), Life: model.Interval{Start: start, End: start + 1 + draw.Int63n(4)}, Size: draw.Int63n(6)}
		if features&1 != 0 {
			b.Align = 1 << draw.Intn(3)
		}
		if features&2 != 0 && draw.Intn(2) == 0 && b.Life.End-b.Life.Start > 2 {
			b.Gaps = []model.Interval{{Start: start + 1, End: start + 2}}
		}
		switch draw.Intn(4) {
		case 0:
			if at := draw.Int63n(4) * 4; features&4 != 0 {
				b.Offset = &at
			}
		case 1:
			if features&8 != 0 && i > 0 && in.Buffers[0].Tie == nil {
				b.Tie = &model.Tie{To: 0, Delta: draw.Int63n(4) * 4}
			}
		case 2:
			if features&16 != 0 && i > 0 {
				in.Pairs = append(in.Pairs, model.Pair{Over: i, Under: draw.Intn(i), Distance: draw.Int63n(3), Equal: draw.Intn(2) == 0})
			}
		}
		in.Buffers = append(in.Buffers, b)
	}
	return in
}

// proofs are certificates of an instance, those of searches with hints and
// without, and some that claim too much.
func proofs(draw *rand.Rand, in *model.Instance) []*model.Certificate {
	if in.Validate() != nil {
		return []*model.Certificate{{Proof: model.ProofLoad, Bound: 1, Step: 1}}
	}
	step, load := in.LoadStep()
	list := []*model.Certificate{{Proof: model.ProofLoad, Bound: load + draw.Int63n(2), Step: step}}
	bare := in.Apart() // with pairs, what is refuted without them may be false: so much the better
	for height := max(0, load-1); height < load+4; height++ {
		a := learning.Decide(bare, learning.Question{Window: always, Height: height}, 1e6)
		if a.Refutation == nil {
			break
		}
		c := &model.Certificate{Proof: model.ProofSearch, Bound: height + 1, Refutation: a.Refutation}
		switch draw.Intn(3) {
		case 0:
			c = unhinted(c)
		case 1:
			c = distorted(draw, c)
		}
		list = []*model.Certificate{c}
	}
	if draw.Intn(8) == 0 {
		n := len(in.Buffers)
		r := &model.Refutation{Window: always, Height: load, Buffers: model.Identity(n), Tree: []int{draw.Intn(n*n) - 1, -1, -1, -1}[:1+draw.Intn(4)]}
		list = []*model.Certificate{{Proof: model.ProofSearch, Bound: load + 1, Refutation: r}}
	}
	return list
}

// spelt writes an instance with pairs.
func spelt(draw *rand.Rand, in *model.Instance) []byte {
	over := make([]string, len(in.Buffers))
	for _, p := range in.Pairs {
		over[p.Over] += fmt.Sprint(in.Buffers[p.Under].ID, map[bool]string{true: "=", false: "+"}[p.Equal], p.Distance, " ")
	}
	lines := strings.Split(string(table(in)), "\n")
	lines[0] += ",over,exclusive"
	kind := draw.Intn(6) // of lives: with arms, by clocks, or neither
	for i := range over {
		arms := ""
		if kind == 0 && draw.Intn(4) > 0 {
			arms = fmt.Sprintf("g=%d h=%d", draw.Intn(2), draw.Intn(3))
		}
		if cells := strings.SplitN(lines[i+1], ",", 4); kind == 1 {
			lines[i+1] = fmt.Sprintf("%s,%s:%d,%s:%d,%s", cells[0], cells[1], draw.Intn(2), cells[2], 1+draw.Intn(3), cells[3])
		}
		lines[i+1] += "," + over[i] + "," + arms
	}
	return []byte(strings.Join(lines, []string{"\n", "\n", "\r\n"}[draw.Intn(3)]))
}

// What is put into a text, or in place of a part of it.
var (
	inTable = strings.Split(`,|"|""|"x"|`+"\n|\r|\r\n|\ufeff|\t|\u00a0|\u2003|\v|\x1c|\xff|\u0130d|ID|Buffer|upper|end|Lower|gaps|hint|exclusive|:|0:1|1:2|g=1|g=0 h=1"+
		`| |+|-|=|0|1|7|+3|-0|007|1_0|1e3|0x1|2-3|3-2 1-2|9223372036854775807|9223372036854775808|b0|b1+4|b0=1|٣`, "|")
	inJSON = strings.Split(`{|}|[|]|,|:|"|null|true|1.0|1e2|-0|-1|0|1|2|9|007|9223372036854775807|9223372036854775808|NaN|Infinity| `+
		"\n|\ufeff|\xff|\u00a0"+`|\ud800|\u0062|"step":1|,"step":1|"Bound"|"bound"|"proof"|"load"|"search"|"none"|"mip"|"tree":[-1]`+
		`|,"flip":["below",0,1]|,"flip":null|["below",1,0]|["at_least",0,1]|,"hints":null|suppose| suppose|order 0 1| lemma 0|edge 0 0 3 0`+
		`|room 1 0|balance 0 0 0 1|"instance":1|"schema":1`, "|")
)

// spoilt is a text with a few changes.
func spoilt(draw *rand.Rand, text []byte, words []string) []byte {
	text = bytes.Clone(text)
	for range 1 + draw.Intn(2) {
		at := draw.Intn(len(text) + 1)
		if draw.Intn(2) == 0 { // a word is in the middle of numbers more often than of names
			if digits := bytes.IndexAny(text[at:], "0123456789"); digits >= 0 {
				at += digits
			}
		}
		end := min(len(text), at+draw.Intn(3))
		word := words[draw.Intn(len(words))]
		switch draw.Intn(6) {
		case 0:
			word = ""
		case 1: // a part once more
			end = at
			word = string(text[at:min(len(text), at+draw.Intn(20))])
		}
		text = append(text[:at:at], append([]byte(word), text[end:]...)...)
	}
	return text
}
