package verify_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"memplan/corpus"
	"memplan/model"
	mjson "memplan/model/json"
	"memplan/search/learning"
	"memplan/verify"
)

var always = model.Always

// from makes an instance of rows of start, end, size.
func from(name string, rows ...[3]int64) *model.Instance {
	in := &model.Instance{Name: name}
	for i, r := range rows {
		in.Buffers = append(in.Buffers, model.Buffer{ID: fmt.Sprint("b", i), Life: model.Interval{Start: r[0], End: r[1]}, Size: r[2]})
	}
	return in
}

// above are instances with an optimum above the load, one with each feature.
func above(t *testing.T) []*model.Instance {
	t.Helper()
	eight := [][3]int64{{0, 1, 2}, {0, 2, 2}, {1, 3, 1}, {2, 3, 1}, {2, 4, 1}, {1, 4, 1}, {3, 5, 2}, {4, 5, 2}}
	plain := from("eight", eight...)
	base := from("on-a-base", append([][3]int64{{-1, 9, 3}}, eight...)...)
	aligned := from("aligned", eight...)
	for i := range aligned.Buffers {
		aligned.Buffers[i].Size *= 3
		aligned.Buffers[i].Align = 4
	}
	mixed := from("mixed", [3]int64{0, 2, 3}, [3]int64{0, 3, 5}, [3]int64{1, 4, 2}, [3]int64{2, 4, 4}, [3]int64{3, 5, 5}, [3]int64{0, 5, 1})
	for i := range mixed.Buffers {
		mixed.Buffers[i].Align = []int64{1, 4, 1, 2, 1, 4}[i]
	}
	pinned := from("pinned", [3]int64{0, 2, 2}, [3]int64{1, 3, 3}, [3]int64{0, 3, 2}, [3]int64{2, 4, 3}, [3]int64{3, 4, 2})
	at := int64(3)
	pinned.Buffers[2].Offset = &at
	gapped := from("gapped", [3]int64{0, 5, 2}, [3]int64{0, 4, 3}, [3]int64{1, 5, 2}, [3]int64{2, 6, 3}, [3]int64{3, 7, 2}, [3]int64{1, 7, 1})
	for i := range gapped.Buffers {
		b := &gapped.Buffers[i]
		b.Gaps = []model.Interval{{Start: b.Life.Start + 1, End: b.Life.Start + 2}}
	}
	list := []*model.Instance{plain, base, aligned, mixed, pinned, gapped}
	for _, name := range []string{"seven-above", "seven-twins", "long-chain-30-50-5", "long-chain-30-50-26", "long-chain-40-50-2", "long-chain-40-50-18", "long-chain-40-50-22"} {
		in, err := corpus.Generate(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, in)
	}
	for _, e := range corpus.Suite("ratios") {
		list = append(list, e.Instance())
	}
	return list
}

// optimum is found height by height.
func optimum(in *model.Instance) int64 {
	for height := in.Load(); ; height++ {
		if learning.Decide(in, learning.Question{Window: always, Height: height}, 1e8).Offsets != nil {
			return height
		}
	}
}

// proven is the certificate of an instance's optimum, by a refutation even where
// the load would do.
func proven(t *testing.T, in *model.Instance) *model.Certificate {
	t.Helper()
	best := optimum(in)
	a := learning.Decide(in, learning.Question{Window: always, Height: best - 1}, 1e8)
	if a.Refutation == nil {
		t.Fatalf("%s: no refutation of %d", in.Name, best-1)
	}
	return &model.Certificate{Proof: model.ProofSearch, Bound: best, Refutation: a.Refutation}
}

func TestBothCheckersAcceptProofs(t *testing.T) {
	lemmas := 0
	for _, in := range above(t) {
		c := proven(t, in)
		lemmas += len(c.Refutation.Lemmas)
		if got := agree(t, table(in), written(t, c, unhinted(c))); got != 2 {
			t.Errorf("%s: %d of 2 accepted: %v", in.Name, got, verify.Certificate(in, c))
		}
	}
	if lemmas < 20 {
		t.Errorf("%d lemmas in all: the test has lost its point", lemmas)
	}
}

// A lemma holds in whatever order it says its claims, and whatever the lemma
// before it said: with other orders less is in common between them.
func TestClaimsInAnyOrder(t *testing.T) {
	shuffled := func(in *model.Instance, r *model.Refutation, seed int64) {
		t.Helper()
		draw := rand.New(rand.NewSource(seed))
		for _, l := range r.Lemmas {
			draw.Shuffle(len(l), func(x, y int) { l[x], l[y] = l[y], l[x] })
		}
		if err := verify.Refutation(in, r); err != nil {
			t.Errorf("%s, shuffle %d: %v", in.Name, seed, err)
		}
	}
	for _, in := range above(t) {
		r := proven(t, in).Refutation
		for seed := range int64(5) {
			shuffled(in, r, seed)
		}
	}
	hard, err := corpus.Generate("long-chain-70-200-2")
	if err != nil {
		t.Fatal(err)
	}
	r := learning.Decide(hard, learning.Question{Window: always, Height: 204}, 1e7).Refutation
	if r == nil || len(r.Lemmas) < 1000 {
		t.Fatalf("%s: not refuted, or too easily: %+v", hard.Name, r)
	}
	shuffled(hard, r, 1)
}

func TestLoads(t *testing.T) {
	in := from("load", [3]int64{0, 2, 5}, [3]int64{1, 4, 7}, [3]int64{3, 5, 2})
	in.Buffers[1].Gaps = []model.Interval{{Start: 2, End: 3}}
	for _, c := range []struct {
		bound, step int64
		ok          bool
	}{{12, 1, true}, {11, 1, true}, {13, 1, false}, {12, 0, false}, {1, 2, false}, {9, 3, true}, {math.MaxInt64, 1, false}, {0, 99, true}, {-1, 1, false}} {
		cert := &model.Certificate{Proof: model.ProofLoad, Bound: c.bound, Step: c.step}
		if err := verify.Certificate(in, cert); (err == nil) != c.ok {
			t.Errorf("bound %d at step %d: %v", c.bound, c.step, err)
		}
		if got := python(t, in, cert); (got[0] == "accepted") != c.ok {
			t.Errorf("bound %d at step %d: testdata/check.py: %s", c.bound, c.step, got[0])
		}
	}
}

func TestWordsAreNotProofs(t *testing.T) {
	in := from("one", [3]int64{0, 2, 5})
	for _, c := range []struct {
		cert model.Certificate
		word bool
	}{
		{model.Certificate{Proof: model.ProofMIP, Bound: 5}, true},
		{model.Certificate{Proof: model.ProofSearch, Bound: 5}, false},
		{model.Certificate{Proof: model.ProofNone, Bound: 5}, false},
		{model.Certificate{Proof: "vote", Bound: 5}, false},
	} {
		if err := verify.Certificate(in, &c.cert); err == nil || errors.Is(err, verify.ErrWord) != c.word {
			t.Errorf("%q: %v", c.cert.Proof, err)
		}
	}
}

// unhinted is a certificate without hints, as older files are.
func unhinted(c *model.Certificate) *model.Certificate {
	bare, r := *c, *c.Refutation
	r.Hints = nil
	bare.Refutation = &r
	return &bare
}

// Every number of a proof, changed by one and to something far away, in those
// with hints and without. Both checkers give the same verdict; what would be
// false (a higher bound or a greater height: there is a plan) is rejected. What
// is accepted all the same is a proof: the bound was lowered, or the changed
// lemma, hint, window or set of buffers is as good. Then what it says is put to
// the search once more.
func TestOneNumberChanged(t *testing.T) {
	most := []int{60, 12} // of each proof, at random: with hints, and without
	var rejected, accepted int
	for _, in := range above(t) {
		c := proven(t, in)
		for k, c := range []*model.Certificate{c, unhinted(c)} {
			list := mutants(written(t, c))
			rand.New(rand.NewSource(1)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			for _, m := range list[:min(most[k], len(list))] {
				if agree(t, table(in), m.text) == 0 {
					rejected++
					continue
				}
				accepted++
				file, err := mjson.ReadCertificates(bytes.NewReader(m.text), "c.json")
				if err != nil {
					t.Fatal(err)
				}
				got := file.List[0].Certificate
				if got.Bound > c.Bound || got.Refutation.Height > c.Refutation.Height {
					t.Errorf("%s: %s: accepted, and false", in.Name, m.where)
				}
				stillTrue(t, in, got, m.where)
			}
		}
	}
	t.Logf("%d rejected, %d accepted", rejected, accepted)
	if rejected < 500 || accepted > rejected {
		t.Errorf("%d rejected, %d accepted: the test has lost its point", rejected, accepted)
	}
}

// stillTrue checks what an accepted mutant says: by another search, that its
// buffers have no plan in its window below its height.
func stillTrue(t *testing.T, in *model.Instance, c *model.Certificate, where string) {
	t.Helper()
	r := c.Refutation
	chosen := map[int]bool{}
	for _, i := range r.Buffers {
		chosen[i] = true
	}
	only := func(i int) bool { return chosen[i] }
	if a := learning.Decide(in, learning.Question{Window: r.Window, Height: r.Height, Only: only, Seed: 7}, 1e8); a.Refutation == nil {
		t.Errorf("%s: %s: accepted, but there is a plan", in.Name, where)
	}
}

// A mutant is a certificate of which one number was changed.
type mutant struct {
	where string
	text  []byte
}

// mutants changes each number of a file of certificates in turn.
func mutants(text []byte) (list []mutant) {
	for at := 0; at < len(text); at++ {
		end := at
		for end < len(text) && text[end] >= '0' && text[end] <= '9' {
			end++
		}
		if end == at {
			continue
		}
		var v int64
		if _, err := fmt.Sscan(string(text[at:end]), &v); err != nil || v > 1<<62 {
			at = end
			continue
		}
		for _, to := range []int64{v - 1, v + 1, v + 1000} {
			other := fmt.Appendf(bytes.Clone(text[:at]), "%d", to)
			other = append(other, text[end:]...)
			list = append(list, mutant{fmt.Sprintf("%d became %d in ...%s", v, to, text[max(0, at-30):min(len(text), end+20)]), other})
		}
		at = end
	}
	return list
}

// Whatever hints say, and whatever lemmas, what is false is not accepted: the
// height is that of a plan, and the proof that of the height below it, with
// changes at random. With the right height the same changes cost proofs, but
// both checkers stay of one mind.
func TestWrongHints(t *testing.T) {
	const each = 120
	var rejected, accepted int
	for _, in := range above(t) {
		c := proven(t, in)
		draw := rand.New(rand.NewSource(c.Bound))
		for k := range each {
			m := distorted(draw, c)
			if k%2 == 0 {
				m.Bound++
				m.Refutation.Height++
			}
			switch text := written(t, m); {
			case agree(t, table(in), text) == 0:
				rejected++
			case k%2 == 0:
				t.Errorf("%s: accepted, and false:\n%s", in.Name, text)
			default:
				accepted++
			}
		}
	}
	t.Logf("%d rejected, %d accepted", rejected, accepted)
	if rejected < 1000 || accepted < 100 {
		t.Errorf("%d rejected, %d accepted: the test has lost its point", rejected, accepted)
	}
}

// distorted is a certificate with a few changes to its hints and lemmas.
func distorted(draw *rand.Rand, c *model.Certificate) *model.Certificate {
	out, r := *c, *c.Refutation
	h := model.Hints{}
	for _, set := range r.Hints.Cliques {
		h.Cliques = append(h.Cliques, slices.Clone(set))
	}
	for _, steps := range r.Hints.Steps {
		list := []model.Step{}
		for _, s := range steps {
			list = append(list, model.Step{Rule: s.Rule, Args: slices.Clone(s.Args)})
		}
		h.Steps = append(h.Steps, list)
	}
	r.Lemmas = slices.Clone(r.Lemmas)
	for range 1 + draw.Intn(3) {
		distort(draw, &r, &h)
	}
	r.Hints, out.Refutation = &h, &r
	return &out
}

// distort makes one change.
func distort(draw *rand.Rand, r *model.Refutation, h *model.Hints) {
	steps := &h.Steps[draw.Intn(len(h.Steps))]
	if len(*steps) == 0 {
		return
	}
	s := &(*steps)[draw.Intn(len(*steps))]
	switch draw.Intn(8) {
	case 0:
		*steps = slices.Delete(*steps, len(*steps)/2, len(*steps)/2+1)
	case 1:
		o := &(*steps)[draw.Intn(len(*steps))]
		*s, *o = *o, *s
	case 2:
		*steps = append([]model.Step{{Rule: "edge", Args: []int64{0, draw.Int63n(4), draw.Int63n(30), int64(draw.Intn(len(r.Buffers)))}}}, *steps...)
	case 3:
		if len(h.Cliques) > 0 { // a set that is none, or a smaller one
			set := &h.Cliques[draw.Intn(len(h.Cliques))]
			if draw.Intn(4) == 0 {
				*set = append(*set, draw.Intn(len(r.Buffers)))
			} else if len(*set) > 0 {
				*set = (*set)[1:]
			}
		}
	case 4:
		if len(r.Lemmas) > 0 {
			if l := &r.Lemmas[draw.Intn(len(r.Lemmas))]; len(*l) > 0 {
				*l = (*l)[1:]
			}
		}
	default:
		if len(s.Args) > 0 {
			s.Args[draw.Intn(len(s.Args))] += draw.Int63n(5) - 2
		}
	}
}

// Nothing that a file may say makes the checker panic, or accept what is false.
func TestHostileRefutations(t *testing.T) {
	list := above(t)
	in := list[len(list)-1]
	good := proven(t, in).Refutation
	if len(good.Lemmas) == 0 {
		t.Fatal("the proof has no lemmas")
	}
	strange := stranger(in)
	below := func(i, j int) model.Claim { return model.Claim{Relation: model.Below, Buffer: i, Other: j} }
	for name, change := range map[string]func(r *model.Refutation){
		"no buffers":         func(r *model.Refutation) { r.Buffers = nil },
		"unknown buffer":     func(r *model.Refutation) { r.Buffers = append([]int{99}, r.Buffers[1:]...) },
		"negative buffer":    func(r *model.Refutation) { r.Buffers = append([]int{-1}, r.Buffers[1:]...) },
		"a buffer twice":     func(r *model.Refutation) { r.Buffers = append([]int{1}, r.Buffers[1:]...) },
		"empty window":       func(r *model.Refutation) { r.Window = model.Interval{Start: 3, End: 3} },
		"window elsewhere":   func(r *model.Refutation) { r.Window = model.Interval{Start: 30, End: 33} },
		"negative height":    func(r *model.Refutation) { r.Height = -1 },
		"huge height":        func(r *model.Refutation) { r.Height = math.MaxInt64 },
		"claim of nothing":   func(r *model.Refutation) { r.Lemmas = [][]model.Claim{{below(-1, 2)}} },
		"claim of itself":    func(r *model.Refutation) { r.Lemmas = [][]model.Claim{{below(1, 1)}} },
		"claim of strangers": func(r *model.Refutation) { r.Lemmas = [][]model.Claim{{below(0, strange)}} },
		"unknown relation":   func(r *model.Refutation) { r.Lemmas = [][]model.Claim{{{Relation: 9}}} },
		"offset below 0":     func(r *model.Refutation) { r.Lemmas = [][]model.Claim{{{Relation: model.AtLeast, Offset: -1}}} },
		"offset beyond int64": func(r *model.Refutation) {
			r.Lemmas = [][]model.Claim{{{Relation: model.AtMost, Offset: math.MaxInt64}}}
		},
		"the empty lemma":   func(r *model.Refutation) { r.Lemmas = [][]model.Claim{{}} },
		"flip of strangers": func(r *model.Refutation) { f := below(0, strange); r.Flip = &f },
		"flip of a bound":   func(r *model.Refutation) { r.Flip = &model.Claim{Relation: model.AtLeast} },
		"no lemmas":         func(r *model.Refutation) { r.Lemmas = nil },
	} {
		for _, hints := range []*model.Hints{good.Hints, nil} {
			r := *good
			r.Hints = hints
			change(&r)
			if err := verify.Refutation(in, &r); err == nil {
				t.Errorf("%s: accepted", name)
			}
		}
	}
}

// stranger is a buffer that does not conflict with the first.
func stranger(in *model.Instance) int {
	for i := range in.Buffers {
		if !in.Buffers[0].Life.Meets(in.Buffers[i].Life) {
			return i
		}
	}
	return -1
}

// Of two that may trade places the order is taken already.
func TestNoFlipOfTwins(t *testing.T) {
	in := from("twins", [3]int64{0, 2, 3}, [3]int64{0, 2, 3}, [3]int64{1, 3, 5}, [3]int64{1, 4, 2}, [3]int64{2, 4, 4})
	r := model.Refutation{Window: always, Height: 11, Buffers: []int{0, 1, 2, 3, 4}}
	for pair, ok := range map[[2]int]bool{{0, 1}: false, {1, 0}: false, {0, 2}: false, {2, 3}: true, {3, 4}: true} {
		r.Flip = &model.Claim{Relation: model.Below, Buffer: pair[0], Other: pair[1]}
		err := verify.Refutation(in, &r)
		if flip := err != nil && strings.Contains(err.Error(), "flip"); flip == ok {
			t.Errorf("%v: %v", pair, err)
		}
	}
}

// What is symmetric only at first sight is not taken for it.
func TestNoFlipWhereUpIsNotDown(t *testing.T) {
	for _, in := range above(t) {
		if in.Name != "mixed" && in.Name != "pinned" {
			continue
		}
		r := *proven(t, in).Refutation
		if r.Flip != nil {
			t.Errorf("%s: the search flips", in.Name)
		}
		for i := range r.Buffers {
			for j := range r.Buffers {
				r.Flip = &model.Claim{Relation: model.Below, Buffer: i, Other: j}
				if verify.Refutation(in, &r) == nil {
					t.Errorf("%s: flip of %d and %d accepted", in.Name, i, j)
				}
			}
		}
	}
}

// What has no bytes takes no room, wherever it is pinned or tied.
func TestPinnedWithoutBytes(t *testing.T) {
	in := from("empty", [3]int64{0, 3, 4}, [3]int64{1, 4, 3}, [3]int64{0, 5, 0}, [3]int64{0, 5, 0}, [3]int64{2, 5, 0})
	at := int64(100)
	in.Buffers[2].Offset = &at
	in.Buffers[4].Tie = &model.Tie{To: 2, Delta: 7}
	below := func(i, j int) [][]model.Claim { return [][]model.Claim{{{Relation: model.Below, Buffer: i, Other: j}}} }
	var list []*model.Certificate
	var want []bool
	for _, c := range []struct {
		buffers []int
		height  int64
		lemmas  [][]model.Claim
		ok      bool
	}{
		{[]int{2}, 99, nil, false},
		{[]int{0, 1, 2, 3}, 6, nil, true},
		{[]int{0, 1, 2, 3}, 7, nil, false},
		{[]int{4}, 106, nil, false},
		{[]int{3}, 0, nil, false},
		{[]int{0, 1, 3}, 6, nil, true},
		{[]int{0, 1, 3}, 7, nil, false},
		{[]int{0, 1, 2}, 99, below(0, 2), false},
		{[]int{0, 1, 3}, 6, below(2, 0), false},
	} {
		r := &model.Refutation{Window: always, Height: c.height, Buffers: c.buffers, Lemmas: c.lemmas}
		cert := &model.Certificate{Proof: model.ProofSearch, Bound: c.height + 1, Refutation: r}
		if err := verify.Certificate(in, cert); (err == nil) != c.ok {
			t.Errorf("buffers %v, height %d, lemmas %v: %v", c.buffers, c.height, c.lemmas, err)
		}
		list, want = append(list, cert), append(want, c.ok)
	}
	for k, got := range python(t, in, list...) {
		if (got == "accepted") != want[k] {
			t.Errorf("%v: testdata/check.py: %s", list[k], got)
		}
	}
}

// With half a byte in a claim, its opposite would be too strong: by such lemmas
// offsets rise without end, and anything is refuted. Both checkers want integers.
func TestOnlyIntegers(t *testing.T) {
	in := from("two", [3]int64{0, 1, 1}, [3]int64{1, 2, 1})
	for half, want := range map[string]string{".5": "not of type int", "": "lemma 2 does not follow"} {
		text := `{"schema":1,"certificates":[{"instance":"two","proof":"search","bound":3,"refutation":{"window":[0,2],"height":2,` +
			`"buffers":[0,1],"lemmas":[[["at_least",0,0` + half + `]],[["at_least",0,1` + half + `]]]}}]}`
		if got := agree(t, table(in), []byte(text)); got != 0 {
			t.Errorf("%s: accepted", text)
		}
		if got := second(t, table(in), []byte(text)); got[0] != "rejected: "+want {
			t.Errorf("%s: %s", text, got)
		}
	}
}
