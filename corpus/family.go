package corpus

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"memplan/model"
	"memplan/model/graph"
)

// A Family makes instances of one kind. An instance is named after its family
// and its parameters, as in long-chain-40-50-3, and is the same in every run.
type Family struct {
	Name    string
	Params  []Param
	About   string // what it is, or is meant to break
	Optimum string // what is known of every instance's optimum; empty: nothing
	make    func(p []int64) *model.Instance
	graph   func(p []int64) *graph.Graph
}

// A Param is one number in an instance's name.
type Param struct {
	Name     string
	Min, Max int64
}

var (
	count  = Param{"buffers", 1, 10_000_000}
	some   = Param{"buffers", 1, 10_000}
	load   = Param{"load", 1, 1 << 40}
	seed   = Param{"seed", 0, math.MaxInt64}
	layers = Param{"layers", 1, 1_000}
	tokens = Param{"tokens", 1, 1 << 20}
)

const (
	perfect = "the load, by construction"
	unknown = ""
)

// Families lists the families, in the order in which one should meet them.
func Families() []Family {
	return append([]Family{
		{"laminar", []Param{some, seed}, "nested lives alone: trivial, and there to show it", perfect, tiled(laminar), nil},
		{"nested", []Param{count, seed}, "nested lives that also cross: breaks size-ordered fits", perfect, tiled(nested), nil},
		{"staircase", []Param{count, {"width", 1, 1 << 20}, seed}, "each buffer a little larger than the hole before it: breaks planning in order of time", perfect,
			func(p []int64) *model.Instance { return firstOf(staircase(p[0], p[1], p[2])) }, nil},
		{"comb", []Param{some, seed}, "large short teeth between small long backs: breaks size-ordered fits", perfect, tiled(comb), nil},
		{"pyramid", []Param{some, seed}, "a pile of ever shorter lives between flanks cut at other heights: breaks order by life or area", perfect, tiled(pyramid), nil},
		{"guillotine", []Param{count, seed}, "a square cut from edge to edge again and again: breaks every fit, at any size", perfect, tiled(guillotine), nil},
		{"pinwheel", []Param{count, seed}, "a square divided into pinwheels within pinwheels: hard for every planner", perfect, tiled(pinwheel), nil},
		{"always-full", []Param{count, seed}, "an arena without a free byte whose holes are refilled at once", perfect, tiled(alwaysFull), nil},
		{"chain", []Param{count, load, seed}, "the load at every step, random deaths: the optimum is sometimes above it", unknown,
			func(p []int64) *model.Instance { return chain(p[0], p[1], p[2]) }, nil},
		{"long-chain", []Param{count, load, seed}, "the load at every step, at most two deaths at each: the hardest proofs", unknown,
			func(p []int64) *model.Instance { return longChain(p[0], p[1], p[2]) }, nil},
		{"uniform", []Param{count, {"live", 1, 1 << 20}, seed}, "random lives and sizes: easy, and for speed", unknown,
			func(p []int64) *model.Instance { return uniform(p[0], p[1], p[2]) }, nil},
		{"aligned", []Param{count, seed}, "a guillotine at 16-byte offsets, sizes up to 15 bytes short", perfect, tiled(aligned), nil},
		{"pinned", []Param{count, seed}, "a guillotine with one buffer in eight pinned", perfect, tiled(pinned), nil},
		{"gapped", []Param{count, seed}, "a guillotine whose buffers have gaps that others live in", perfect, tiled(gapped), nil},
		{"mixed", []Param{{"buffers", 1, 1_000}, seed}, "few buffers with alignments, pins and gaps at once: breaks exact planners", unknown,
			func(p []int64) *model.Instance { return mixed(p[0], p[1]) }, nil},
		{"overlaid", []Param{{"buffers", 1, 10_000}, seed}, "outputs that may lie over dying inputs: breaks planners that keep them apart, and the load as a bound", unknown,
			func(p []int64) *model.Instance { return overlaid(p[0], p[1]) }, nil},
		{"six-fits", nil, "six buffers on which twelve one-pass rules all need 1.5 times the optimum", unknown, literal("b", sixFits), nil},
		{"seven-above", nil, "the smallest instance whose optimum is above the load", unknown, literal("b", sevenAbove), nil},
		{"seven-twins", nil, "the other shape of seven buffers whose optimum can be above the load", unknown, literal("b", sevenTwins), nil},
		{"eight-above", nil, "eight buffers whose optimum is above the load", unknown, literal("b", eightAbove), nil},
		{"nine-sevenths", nil, "load 7 and optimum 9, with 15 buffers", unknown, literal("b", nineSevenths), nil},
		{"thirteen-tenths", nil, "load 10 and optimum 13, with 32 buffers", unknown, literal("b", thirteenTenths), nil},
		{"seventeen-thirteenths", nil, "load 13 and optimum 17, with 42 buffers", unknown, literal("b", seventeenThirteenths), nil},
		{"twenty-one-sixteenths", nil, "load 16 and optimum 21, with 54 buffers", unknown, literal("b", twentyOneSixteenths), nil},
		{"twenty-five-nineteenths", nil, "load 19 and optimum 25, with 72 buffers", unknown, literal("b", twentyFiveNineteenths), nil},
		{"twenty-nine-twenty-seconds", nil, "load 22 and optimum 29, with 66 buffers: the largest ratio known", unknown, literal("b", twentyNineTwentySeconds), nil},
		{"six-operators", nil, "eight tensors of a transformer block: breaks colouring without growth", unknown, literal("T", sixOperators), nil},
		{"resnet50", nil, "ResNet-50 in float32: chains with skips", unknown, nil, whole(resnet50)},
		{"densenet121", nil, "DenseNet-121 in float32: ever larger concatenations", unknown, nil, whole(densenet121)},
		{"mobilenetv2", nil, "MobileNetV2 in int8: inverted residuals", unknown, nil, whole(mobilenetV2)},
		{"unet", nil, "U-Net in float32: long skips, nested", unknown, nil, whole(unet)},
		{"randwire", []Param{{"nodes", 5, 1_000}, seed}, "a randomly wired convolutional network: the order of the operators matters", unknown, nil,
			func(p []int64) *graph.Graph { return randwire(p[0], p[1]) }},
		{"prefill", []Param{layers, tokens}, "Llama 2 7B reading a prompt: scores that dwarf the rest", unknown, nil,
			func(p []int64) *graph.Graph { return prefill(p[0], p[1]) }},
		{"decode", []Param{layers, tokens}, "Llama 2 7B writing one token after others: caches live throughout", unknown, nil,
			func(p []int64) *graph.Graph { return decode(p[0], p[1]) }},
	}, worstFamilies...)
}

// tiled is a family of number and seed whose generator has a perfect plan.
func tiled(generate func(n, seed int64) (*model.Instance, model.Plan)) func(p []int64) *model.Instance {
	return func(p []int64) *model.Instance {
		return firstOf(generate(p[0], p[1]))
	}
}

func firstOf(in *model.Instance, _ model.Plan) *model.Instance { return in }

func literal(prefix string, rows []row) func([]int64) *model.Instance {
	return func([]int64) *model.Instance { return listed(prefix, rows) }
}

func whole(make func() *graph.Graph) func([]int64) *graph.Graph {
	return func([]int64) *graph.Graph { return make() }
}

// Generate makes the instance of that name, lowered where it is a graph.
func Generate(name string) (*model.Instance, error) {
	f, p, err := parse(name)
	if err != nil {
		return nil, err
	}
	var in *model.Instance
	if f.graph == nil {
		in = f.make(p)
	} else if in, err = lowered(f.graph(p)); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	in.Name = name
	return in, nil
}

// lowered is the one arena of a graph, in the order of its operators. What may be
// computed in place is: instances for all planners have no pairs.
func lowered(g *graph.Graph) (*model.Instance, error) {
	l, err := g.Lower(graph.LowerOptions{})
	if err != nil {
		return nil, err
	}
	return l.Merged().Arenas[0], nil
}

// Graph makes the graph of that name; nil where it names an instance that does
// not come from a graph.
func Graph(name string) (*graph.Graph, error) {
	f, p, err := parse(name)
	if err != nil || f.graph == nil {
		return nil, err
	}
	g := f.graph(p)
	g.Name = name
	return g, nil
}

// parse finds the family of a name, and the parameters in it.
func parse(name string) (Family, []int64, error) {
	for _, f := range Families() {
		rest, found := strings.CutPrefix(name, f.Name)
		words := strings.Split(rest, "-")
		if !found || words[0] != "" || len(words)-1 != len(f.Params) {
			continue
		}
		p := make([]int64, len(f.Params))
		for k, w := range words[1:] {
			v, err := strconv.ParseInt(w, 10, 64)
			if q := f.Params[k]; err != nil || v < q.Min || v > q.Max {
				return f, nil, fmt.Errorf("%s: %s is %q, not a number from %d to %d", name, q.Name, w, q.Min, q.Max)
			}
			p[k] = v
		}
		return f, p, nil
	}
	return Family{}, nil, fmt.Errorf("no family of instances makes %q", name)
}
