package corpus

import (
	"crypto/sha256"
	_ "embed"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"memplan/model"
	"memplan/model/graph"
)

//go:embed manifest.csv
var manifest string

// An Entry is one instance of the corpus, and what is known of it.
type Entry struct {
	Name    string
	Suites  []string // which it is in
	Buffers int
	Load    int64
	Bound   int64  // a proven lower bound on the optimal peak
	Best    int64  // the lowest peak known; 0 when none is. Where it is Bound, it is the optimum.
	Reason  string // how both are known, or which planner found the best
	Hash    string // of the instance: changes when the instance does
}

// entries is the manifest, in its order.
var entries = readManifest(manifest)

// readManifest panics on a fault: the manifest is part of the program.
func readManifest(text string) []Entry {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		panic(err)
	}
	var all []Entry
	for _, r := range rows[1:] {
		var n [4]int64
		for k, field := range r[2:6] {
			if n[k], err = strconv.ParseInt(field, 10, 64); err != nil {
				panic(err)
			}
		}
		all = append(all, Entry{r[0], strings.Fields(r[1]), int(n[0]), n[1], n[2], n[3], r[6], r[7]})
	}
	return all
}

// Why says why bound and best hold.
func (e Entry) Why() string {
	switch {
	case e.Best == 0:
		return "open: no plan was kept"
	case e.Reason == construction || e.Reason == exhausted:
		return e.Reason
	case e.Best > e.Bound:
		return "open: a plan of " + e.Reason
	case e.Bound == e.Load:
		return "a plan at the load, of " + e.Reason
	}
	return "a plan of " + e.Reason + ", and a proof that was replayed"
}

// Reasons that need no planner.
const (
	construction = "construction"
	exhausted    = "exhaustive search"
)

// Proven is the bound that is proven of the instance with that hash, and whether
// it is the optimum; 0 when the instance is not of the corpus.
func Proven(hash string) (bound int64, optimum bool) {
	k := slices.IndexFunc(entries, func(e Entry) bool { return e.Hash == hash })
	if k < 0 {
		return 0, false
	}
	return entries[k].Bound, entries[k].Bound == entries[k].Best
}

// Suites names the suites, in the order of the manifest.
func Suites() []string {
	var names []string
	for _, e := range entries {
		for _, s := range e.Suites {
			if !slices.Contains(names, s) {
				names = append(names, s)
			}
		}
	}
	return names
}

// Suite lists the entries of a suite; none when there is no such suite.
func Suite(name string) []Entry {
	var suite []Entry
	for _, e := range entries {
		if slices.Contains(e.Suites, name) {
			suite = append(suite, e)
		}
	}
	return suite
}

// Family is the name of the entry's family.
func (e Entry) Family() string {
	f, _, err := parse(e.Name)
	if err != nil {
		panic(err)
	}
	return f.Name
}

// Instance makes the entry's instance.
func (e Entry) Instance() *model.Instance {
	in, err := Generate(e.Name)
	if err != nil {
		panic(err)
	}
	return in
}

// Graph makes the entry's graph; nil where the instance comes from none.
func (e Entry) Graph() *graph.Graph {
	g, err := Graph(e.Name)
	if err != nil {
		panic(err)
	}
	return g
}

// Hash identifies an instance by its buffers and pairs, in their order.
func Hash(in *model.Instance) string {
	h := sha256.New()
	var line []byte
	for i := range in.Buffers {
		line = appendBuffer(line[:0], &in.Buffers[i])
		h.Write(line)
	}
	for _, p := range in.Pairs {
		fmt.Fprintf(h, "over %d %d %d %t\n", p.Over, p.Under, p.Distance, p.Equal)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// appendBuffer adds a buffer's line.
func appendBuffer(line []byte, b *model.Buffer) []byte {
	line = strconv.AppendQuote(line, b.ID)
	for _, n := range [...]int64{b.Life.Start, b.Life.End, b.Size, b.Alignment()} {
		line = strconv.AppendInt(append(line, ' '), n, 10)
	}
	if b.Offset != nil {
		line = fmt.Appendf(line, " @%d", *b.Offset)
	}
	for _, g := range b.Gaps {
		line = fmt.Appendf(line, " -%d %d", g.Start, g.End)
	}
	if b.Tie != nil {
		line = fmt.Appendf(line, " ~%d %d", b.Tie.To, b.Tie.Delta)
	}
	return append(line, '\n')
}
