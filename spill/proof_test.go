package spill_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"memplan/internal/shared"
	"memplan/model"
	"memplan/model/graph"
	mjson "memplan/model/json"
	"memplan/spill"
	"memplan/verify"
	"memplan/verify/traffic"
)

// checkers are the two that replay proofs: package verify, and a program in
// Python that answers line by line.
type checkers struct {
	in  io.Writer
	out *bufio.Reader
}

const serve = `
import json, sys
sys.path.insert(0, "../verify/testdata")
sys.dont_write_bytecode = True
import traffic
for line in sys.stdin:
    print(traffic.verdicts(json.loads(line).encode())[0], flush=True)
`

func startCheckers(t *testing.T) checkers {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		shared.Missing(t, "python3 is missing")
	}
	cmd := exec.Command(python, "-c", serve)
	cmd.Stderr = os.Stderr
	in, out := shared.Child(t, cmd)
	return checkers{in, out}
}

// accept has both say whether a file's proof holds, and wants the same of them.
func (c checkers) accept(t *testing.T, file []byte) (*model.Certificate, bool) {
	t.Helper()
	line, err := json.Marshal(string(file))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(c.in, "%s\n", line)
	said, err := c.out.ReadString('\n')
	if err != nil {
		t.Fatalf("testdata/traffic.py gives no answer to\n%s", file)
	}
	list, err := mjson.ReadCertificates(bytes.NewReader(file), "c.json")
	var proof *model.Certificate
	if err == nil {
		proof = list.List[0].Certificate
		err = verify.Traffic(proof)
	}
	if (err == nil) != (said == "accepted\n") {
		t.Fatalf("package verify: %v\ntestdata/traffic.py: %s%s", err, said, file)
	}
	return proof, err == nil
}

// written is a file with a proof.
func written(t *testing.T, c *model.Certificate) []byte {
	t.Helper()
	var text bytes.Buffer
	if err := (&mjson.Certificates{Schema: 1, List: []mjson.Certificate{{Certificate: c}}}).Write(&text); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// prove has the proof of an answer replayed by both checkers, for the question that
// package traffic makes of the graph; with a bound above, it is no proof.
func (c *counts) prove(t *testing.T, q *spill.Question, a *spill.Answer) *model.Certificate {
	t.Helper()
	proof, err := a.Prove(context.Background(), tools)
	if err != nil {
		t.Fatal(err)
	}
	if proof == nil {
		return nil
	}
	if cost, err := traffic.Check(q.Graph, q.Lowering, a.Fitted.Lowered, proof); err != nil || cost != proof.Bound {
		t.Fatalf("%v, costs %d: %+v\n%+v", err, cost, proof, q.Graph)
	}
	if _, holds := c.both.accept(t, written(t, proof)); !holds {
		t.Fatalf("not accepted: %s", written(t, proof))
	}
	above := *proof
	for above.Bound = proof.Bound + 1; above.Bound < proof.Bound+4; above.Bound++ {
		if verify.Traffic(&above) == nil {
			t.Fatalf("accepted for %d, and %d can be had: %+v", above.Bound, proof.Bound, proof.Traffic)
		}
	}
	c.proven++
	c.leaves += len(proof.Traffic.Leaves)
	c.provenCuts += len(proof.Traffic.Cuts)
	c.rounded += len(proof.Traffic.Rounded)
	return proof
}

// Every number of a proof, changed: both checkers say the same, and what they
// accept as a proof of the graph's own question proves no more than what is true.
// That of another question holds for that: another search finds nothing cheaper.
func TestOneNumberOfAProofChanged(t *testing.T) {
	c := counts{both: startCheckers(t)}
	var same, other, rejected, states, stateCuts, orders int
	for n := 0; c.proven < shared.Many(24); n++ {
		rnd := rand.New(rand.NewPCG(uint64(n), 5))
		g := drawGraph(rnd, 3)
		capacity := load(t, g)
		switch n % 6 {
		case 0, 3:
			in := drawAbove(rnd)
			g, capacity = graphOf(rnd, in), in.Load()
		case 1, 2:
			addState(rnd, g)
			capacity = load(t, g)
		case 4:
			in := drawAbove(rnd)
			g, capacity = around(rnd, in), in.Load()
		case 5:
			g = drawPlain(rnd)
			capacity = load(t, g)
		}
		q := &spill.Question{Graph: g, Capacity: capacity, Way: spill.Way(rnd.IntN(3)), Overlap: rnd.IntN(2) == 0}
		a, err := spill.Solve(context.Background(), q, tools)
		if err != nil {
			t.Fatal(err)
		}
		if a.Fitted == nil {
			continue
		}
		if n%6 == 5 {
			if a, err = spill.Order(context.Background(), q, tools, a); err != nil || a == nil {
				t.Fatal(err)
			}
		}
		proof := c.prove(t, q, a)
		if proof == nil {
			continue
		}
		if n%6 == 5 {
			orders++
		}
		if slices.ContainsFunc(proof.Traffic.Question.Values, func(x model.TrafficValue) bool { return x.Copied }) {
			states++
			stateCuts += len(proof.Traffic.Cuts)
		}
		text := written(t, proof)
		numbers := regexp.MustCompile("-?[0-9]+").FindAllIndex(text, -1)
		for range 60 {
			at := numbers[rnd.IntN(len(numbers))]
			x, _ := strconv.ParseInt(string(text[at[0]:at[1]]), 10, 64)
			x += []int64{-1, 1, 1000, -1000}[rnd.IntN(4)]
			changed := fmt.Appendf(bytes.Clone(text[:at[0]]), "%d%s", x, text[at[1]:])
			got, holds := c.both.accept(t, changed)
			if !holds {
				rejected++
				continue
			}
			if _, err := traffic.Check(q.Graph, q.Lowering, a.Fitted.Lowered, got); err != nil {
				other++
				continue
			}
			if same++; got.Bound > proof.Bound {
				t.Errorf("accepted, and false: %s", changed)
			}
		}
	}
	t.Logf("%d proofs, %d of all orders, %d of states that are copied with %d cuts, %d cuts, %d roundings; of changed ones %d accepted, %d of another question, %d rejected", c.proven, orders, states, stateCuts, c.provenCuts, c.rounded, same, other, rejected)
	if rejected < 400 || other < 100 || same == 0 || c.provenCuts == 0 || states < 5 || stateCuts == 0 || orders < 3 {
		t.Error("the test has lost its point")
	}
}

// Both ask the same of a state, whatever it is: plain; the caller's; with a view; written by
// one operator of a group, the other of which comes first; mutable.
func TestKindsOfStates(t *testing.T) {
	c := counts{both: startCheckers(t)}
	for name, change := range map[string]func(g *graph.Graph){
		"plain":   func(g *graph.Graph) {},
		"mutable": func(g *graph.Graph) { g.Tensors[0].Kind = graph.Mutable },
		"taken":   func(g *graph.Graph) { g.Outputs = append(g.Outputs, 0) },
		"given":   func(g *graph.Graph) { g.Inputs = append(g.Inputs, 0) },
		"viewed": func(g *graph.Graph) {
			g.Tensors = append(g.Tensors, graph.Tensor{ID: "v", Bytes: 1, View: &graph.View{Of: 0}})
			g.Ops[2].Inputs = append(g.Ops[2].Inputs, len(g.Tensors)-1)
		},
		"untouched": func(g *graph.Graph) {
			g.Tensors = append(g.Tensors, graph.Tensor{ID: "v", Bytes: 1, View: &graph.View{Of: 0}})
		},
		"group": func(g *graph.Graph) { g.Fuse = [][]int{{1, 2}} },
	} {
		for _, way := range []spill.Way{spill.Whole, spill.Pieces, spill.Staged} {
			g := &graph.Graph{
				Tensors: []graph.Tensor{{ID: "s", Bytes: 2, Kind: graph.Variable}, {ID: "x", Bytes: 4}, {ID: "a", Bytes: 2}, {ID: "b", Bytes: 5}, {ID: "c", Bytes: 2}, {ID: "y", Bytes: 1}},
				Ops: []graph.Op{{ID: "f", Inputs: []int{1, 0}, Outputs: []int{2}}, {ID: "g", Inputs: []int{2}, Outputs: []int{3}}, {ID: "h", Inputs: []int{3}, Outputs: []int{4, 0}},
					{ID: "i", Inputs: []int{4, 1}, Outputs: []int{5}}},
				Inputs: []int{1}, Outputs: []int{5},
			}
			change(g)
			how := graph.LowerOptions{Fuse: graph.FuseDeclared}
			l, err := g.Lower(how)
			if err != nil {
				t.Fatal(err)
			}
			q := &spill.Question{Graph: g, Capacity: l.Arenas[0].Load() - 1, Way: way, Lowering: how}
			a, err := spill.Solve(context.Background(), q, tools)
			if err != nil || a.Fitted == nil || a.Fitted.Cost() == 0 {
				t.Fatalf("%s %v: %v, %+v", name, way, err, a)
			}
			proof := c.prove(t, q, a)
			if proof == nil {
				t.Fatalf("%s %v: no proof", name, way)
			}
			all, err := spill.Order(context.Background(), q, tools, a)
			if known := all != nil; err != nil || known == (name == "group" || proof.Traffic.Question.Values[0].Copied) {
				t.Fatalf("%s %v: %v, %+v", name, way, err, all)
			} else if known {
				if proof := c.prove(t, q, all); proof == nil || len(proof.Traffic.Question.Before) != len(g.Ops) {
					t.Errorf("%s %v: in any order: %+v", name, way, proof)
				}
			}
			if x := proof.Traffic.Question.Values[0]; !x.State || x.Copied != (way != spill.Whole && (name == "plain" || name == "mutable" || name == "group")) {
				t.Errorf("%s %v: %+v", name, way, x)
			}
		}
	}
}

// Nothing that a file may say makes a checker panic, nor accept what is false.
func TestHostileProofs(t *testing.T) {
	both := startCheckers(t)
	const whole = `{"schema":1,"certificates":[{"proof":"traffic","bound":2,"traffic":{"question":{"capacity":3,"way":"direct","overlap":false,"read":1,"write":1,` +
		`"scratch":[[2],[]],"reserved":[],"values":[{"bytes":2,"align":1,"made":0,"state":false,"copied":false,"least":2,"moves":[],"events":[[-1,0,0,0,2],[0,2,0,1,2]]}],"handovers":[],"before":[]},` +
		`"cuts":[],"rounded":[],"tree":[-1],"leaves":[{"scale":1,"rows":[2],"weights":[2]}]}}]}`
	const state = `{"schema":1,"certificates":[{"proof":"traffic","bound":2,"traffic":{"question":{"capacity":3,"way":"direct","overlap":false,"read":1,"write":1,` +
		`"scratch":[[2]],"reserved":[],"values":[{"bytes":2,"align":1,"made":0,"state":true,"copied":true,"least":2,"moves":[],"events":[[-1,0,0,0,2],[0,2,0,1,2],[1,0,0,0,2]]}],"handovers":[],"before":[]},` +
		`"cuts":[],"rounded":[],"tree":[-1],"leaves":[{"scale":1,"rows":[3],"weights":[2]}]}}]}`
	refuses(t, both, state, [][2]string{
		{`"way":"direct"`, `"way":"whole"`}, {`"state":true`, `"state":false`}, {`"copied":true`, `"copied":1`}, {`"copied":true`, `"copied":false`}, {`"copied":true,`, ``}, {`"moves":[]`, `"moves":[0]`},
		{`,[1,0,0,0,2]`, ``}, {`[1,0,0,0,2]`, `[1,0,0,1,2]`}, {`[-1,0,0,0,2]`, `[-1,0,0,2,2]`}, {`[-1,0,0,0,2],`, ``}, {`"made":0`, `"made":1`}, {`[3]`, `[4]`}, {`[3]`, `[2]`},
	})
	const place = `{"schema":1,"certificates":[{"proof":"traffic","bound":2,"traffic":{"question":{"capacity":2,"way":"direct","overlap":true,"read":1,"write":1,` +
		`"scratch":[[],[]],"reserved":[],"values":[{"bytes":2,"align":1,"made":0,"state":true,"copied":true,"least":2,"moves":[],"events":[[-1,0,0,0,2],[0,2,0,1,2],[2,0,0,0,2]]},` +
		`{"bytes":2,"align":1,"made":1,"state":false,"copied":false,"least":2,"moves":[],"events":[[0,0,2,2,2],[1,2,0,1,2]]}],"handovers":[[0,0,1,1,1,0]],"before":[]},` +
		`"cuts":[{"pieces":[[0,-1,2],[1,0,1]],"certificate":{"proof":"load","bound":3,"step":0}}],"rounded":[],"tree":[1,-1,-1],` +
		`"leaves":[{"scale":1,"rows":[10,3,6],"weights":[1,2,2]},{"scale":1,"rows":[],"weights":[]}]}}]}`
	refuses(t, both, place, [][2]string{
		{`[0,-1,2]`, `[0,-1,1]`}, {`[1,0,1]`, `[0,2,3]`}, {`[0,-1,2]`, `[0,-1,4]`}, {`[10,3,6]`, `[9,3,6]`},
	})
	const orders = `{"schema":1,"certificates":[{"proof":"traffic","bound":2,"traffic":{"question":{"capacity":3,"way":"direct","overlap":false,"read":1,"write":1,` +
		`"scratch":[[2],[]],"reserved":[],"values":[{"bytes":2,"align":1,"made":0,"state":false,"copied":false,"least":2,"moves":[],"events":[[-1,0,0,0,2],[0,2,0,1,2]]}],"handovers":[],` +
		`"before":[[],[]]},"cuts":[],"rounded":[],"tree":[0,-1,-1],"leaves":[{"scale":1,"rows":[6,8,0],"weights":[2,1,4]},{"scale":1,"rows":[5,7],"weights":[2,1]}]}}]}`
	refuses(t, both, orders, [][2]string{
		{`[[],[]]}`, `[[]]}`}, {`[[],[]]}`, `[[],[],[]]}`}, {`[[],[]]}`, `[[0],[]]}`}, {`[[],[]]}`, `[[1],[]]}`}, {`[[],[]]}`, `[[],[1]]}`}, {`[[],[]]}`, `[[],[-1]]}`}, {`[[],[]]}`, `[[],[0,0]]}`},
		{`[[],[]]}`, `[]}`}, {`,"before":[[],[]]`, ``}, {`"least":2`, `"least":1`}, {`"least":2`, `"least":-2`}, {`"least":2`, `"least":1099511627777`}, {`"made":0`, `"made":1`}, {`[6,8,0]`, `[6,8,9]`},
		{`"cuts":[]`, `"cuts":[{"pieces":[[0,0,1]],"certificate":{"proof":"load","bound":4,"step":0}}]`}, {`"handovers":[]`, `"handovers":[[0,0,0,0,0,0]]`},
		{`"state":false,"copied":false`, `"state":true,"copied":true`}, {`"events":[[-1,0,0,0,2],[0,2,0,1,2]]`, `"events":[[-1,0,0,0,2],[1,2,0,1,2]]`},
	})
	refuses(t, both, whole, [][2]string{
		{`"capacity":3`, `"capacity":-1`}, {`"capacity":3`, `"capacity":9223372036854775807`}, {`"way":"direct"`, `"way":"none"`}, {`"read":1`, `"read":0`},
		{`[[2],[]]`, `[[2],[-1]]`}, {`[[2],[]]`, `[]`}, {`"reserved":[]`, `"reserved":[[4,4]]`}, {`"bytes":2`, `"bytes":0`}, {`"made":0`, `"made":1`}, {`"made":0`, `"made":9`},
		{`"state":false`, `"state":0`}, {`[-1,0,0,0,2],`, ``}, {`[0,2,0,1,2]`, `[-1,2,0,1,2]`}, {`[0,2,0,1,2]`, `[0,2,0,1,3]`}, {`[0,2,0,1,2]`, `[0,2,0,4,2]`}, {`[0,2,0,1,2]`, `[0,2,0,-1,2]`}, {`[0,2,0,1,2]`, `[9,2,0,1,2]`},
		{`"handovers":[]`, `"handovers":[[0,0,0,0,0,0]]`}, {`"handovers":[]`, `"handovers":[[0,0,1,0,0,0]]`}, {`"handovers":[]`, `"handovers":[[0,0,1,0]]`},
		{`"cuts":[]`, `"cuts":[{"pieces":[],"certificate":{"proof":"load","bound":4,"step":0}}]`}, {`"cuts":[]`, `"cuts":[{"pieces":[[0,0,1]],"certificate":{"proof":"load","bound":5,"step":0}}]`},
		{`"cuts":[]`, `"cuts":[{"pieces":[[0,0,1]],"certificate":{"proof":"mip","bound":5}}]`}, {`"cuts":[]`, `"cuts":[{"pieces":[[1,0,1]],"certificate":{"proof":"load","bound":4,"step":0}}]`},
		{`"cuts":[]`, `"cuts":[{"pieces":[[0,0,9]],"certificate":{"proof":"load","bound":4,"step":0}}]`}, {`"cuts":[]`, `"cuts":[{"pieces":[[0,0,1],[0,0,1]],"certificate":{"proof":"load","bound":4,"step":0}}]`},
		{`"cuts":[]`, `"cuts":[{"pieces":[[0,0,1]],"certificate":{"proof":"traffic","bound":4}}]`},
		{`"rounded":[]`, `"rounded":[{"row":9,"divisor":2,"turned":[]}]`}, {`"rounded":[]`, `"rounded":[{"row":0,"divisor":0,"turned":[]}]`}, {`"rounded":[]`, `"rounded":[{"row":0,"divisor":-2,"turned":[]}]`},
		{`"tree":[-1]`, `"tree":[]`}, {`"tree":[-1]`, `"tree":[-1,-1]`}, {`"tree":[-1]`, `"tree":[0,-1]`}, {`"tree":[-1]`, `"tree":[-2]`}, {`"tree":[-1]`, `"tree":[9,-1,-1]`}, {`"tree":[-1]`, `"tree":[0,0,-1,-1,-1]`},
		{`"scale":1`, `"scale":-1`}, {`"rows":[2]`, `"rows":[-1]`}, {`"rows":[2]`, `"rows":[9]`}, {`"rows":[2]`, `"rows":[2,2]`}, {`"weights":[2]`, `"weights":[-2]`}, {`"weights":[2]`, `"weights":[]`},
		{`"bound":2`, `"bound":0`}, {`"bound":2`, `"bound":-2`}, {`"bound":2`, `"bound":4`}, {`"proof":"traffic"`, `"proof":"load"`}, {`"leaves":[`, `"leaves":[{"scale":0,"rows":[],"weights":[]},`},
	})
}

// refuses wants a proof to hold, but not with any of these changes.
func refuses(t *testing.T, both checkers, whole string, changes [][2]string) {
	t.Helper()
	if _, holds := both.accept(t, []byte(whole)); !holds {
		t.Fatalf("does not hold: %s", whole)
	}
	for _, c := range changes {
		text := strings.Replace(whole, c[0], c[1], 1)
		if text == whole {
			t.Fatalf("%q is not there", c[0])
		}
		if _, holds := both.accept(t, []byte(text)); holds {
			t.Errorf("%s for %s: accepted", c[1], c[0])
		}
	}
}
