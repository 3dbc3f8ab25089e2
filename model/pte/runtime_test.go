package pte

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memplan/heuristics"
	"memplan/ilp/highs"
	"memplan/internal/shared"
	"memplan/model"
	"memplan/model/graph"
	"memplan/model/schedule"
	"memplan/results"
	"memplan/spill"
	"memplan/verify"
)

// The tests of this file run programs with ExecuTorch's own runtime. `make
// test` sets it up in .deps/executorch; see requirements.txt and run.cpp.

// A machine is a process that runs programs.
type machine struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
	dir string
}

func startMachine(t *testing.T) *machine {
	t.Helper()
	program := filepath.Join(shared.Root(t), ".deps", "executorch", "run")
	if _, err := os.Stat(program); err != nil {
		shared.Missing(t, "ExecuTorch's runtime is not in .deps/executorch; make test sets it up on x86-64 Linux")
	}
	cmd := exec.Command(program)
	in, out := shared.Child(t, cmd)
	return &machine{t, in, out, t.TempDir()}
}

// A job is how a program is run.
type job struct {
	fill, seeds, calls int
	cut                int64
}

// run is what the runtime says of a program: "ok" and for each seed the hash of
// its outputs, or what went wrong.
func (m *machine) run(data []byte, j job) string {
	m.t.Helper()
	file := filepath.Join(m.dir, "program.pte")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		m.t.Fatal(err)
	}
	fmt.Fprintf(m.in, "%s %d %d %d %d\n", file, j.fill, j.seeds, j.calls, j.cut)
	line, err := m.out.ReadString('\n')
	if err != nil {
		m.t.Fatalf("the runtime's process ended: %v", err)
	}
	return strings.TrimSpace(line)
}

// jobOf is how to run a program of the index: one that keeps state for twelve
// steps, from zeros; any other once, on bytes that are not zero.
func jobOf(p *Program, seeds int) job {
	a, err := p.Arenas(0)
	if err == nil {
		for i := range a.Graph.Tensors {
			if a.Graph.Tensors[i].Kind == graph.Variable {
				return job{0, seeds, 12, 0}
			}
		}
	}
	return job{0xff, seeds, 1, 0}
}

// optimal rewrites a program for plans whose peaks are the loads.
func optimal(t *testing.T, p *Program, kind schedule.Kind) ([]byte, *Arenas) {
	t.Helper()
	a, err := p.Arenas(0)
	if err != nil {
		t.Fatal(err)
	}
	l := lower(t, a, graph.LowerOptions{Schedule: kind})
	plans := make([]model.Plan, len(l.Arenas))
	for k, in := range l.Arenas {
		plans[k] = atLoad(t, in)
	}
	to := p.Unchanged()
	a.Place(&to, l, plans)
	data, err := p.With(to)
	if err != nil {
		t.Fatal(err)
	}
	if err := mustRead(t, data).Same(p, to); err != nil {
		t.Error(err)
	}
	return data, a
}

// atLoad is a plan whose peak is the load, by one heuristic or another.
func atLoad(t *testing.T, in *model.Instance) model.Plan {
	t.Helper()
	for _, p := range heuristics.All() {
		res, err := p.Plan(context.Background(), in)
		if err == nil && res.Plan != nil && res.Plan.Peak(in) == in.Load() {
			if err := verify.Plan(in, *res.Plan); err != nil {
				t.Fatal(err)
			}
			return *res.Plan
		}
	}
	t.Fatalf("no heuristic reaches the load of %s", in.Name)
	return model.Plan{}
}

// without are programs that the wheel has no kernels for.
var without = map[string]bool{"ds_cnn.cortexm.pte": true}

// taps are values to give as the output instead of the program's own: where the
// last layer's weights are zeros, as torchvision's vision transformers begin,
// the output says nothing.
var taps = map[string]uint32{"slim_vit.xnnpack.pte": 189}

// runnable is a program of the index to be run, nil where it cannot be.
func runnable(t *testing.T, e entry) *Program {
	t.Helper()
	data := shared.Read(t, path.Join("pte", e.file))
	if e.optimum == 0 || without[e.file] {
		return nil
	}
	if v, tapped := taps[e.file]; tapped {
		at := mustRead(t, data).Methods[0].table.Vector(planOutputs, 4).Pos
		binary.LittleEndian.PutUint32(data[at:], v)
	}
	return mustRead(t, data)
}

// Rewritten programs run in the real runtime: their outputs are the original's
// to the bit, ten random inputs, programs with state over twelve steps. The
// runtime obeys the size that was written, and refuses four bytes less.
func TestRuntime(t *testing.T) {
	m := startMachine(t)
	ran := 0
	for _, e := range index(t) {
		old := runnable(t, e)
		if old == nil {
			continue
		}
		j := jobOf(old, 10)
		want := m.run(old.data, j)
		hashes := strings.Fields(strings.TrimPrefix(want, "ok "))
		slices.Sort(hashes)
		if len(slices.Compact(hashes)) != j.seeds {
			t.Errorf("%s: not %d different outputs: %s", e.file, j.seeds, want)
			continue
		}
		kinds := []schedule.Kind{schedule.Given}
		if j.calls > 1 {
			kinds = append(kinds, schedule.Optimal)
		}
		for _, kind := range kinds {
			data, _ := optimal(t, old, kind)
			size := mustRead(t, data).Methods[0].Memories[1].Size
			if kind == schedule.Given && size != e.optimum || size > e.optimum {
				t.Errorf("%s: %d bytes, want %d", e.file, size, e.optimum)
			}
			m.runsRight(t, fmt.Sprintf("%s, order %v", e.file, kind), data, j, e.padding, want)
			ran++
		}
	}
	if ran < 7 {
		t.Errorf("%d programs ran", ran)
	}
}

// runsRight checks that a program puts out what the original does, and that its
// first memory is no larger than it needs: four bytes less than that without its
// padding are refused.
func (m *machine) runsRight(t *testing.T, what string, data []byte, j job, padding int64, want string) {
	t.Helper()
	if got := m.run(data, j); got != want {
		t.Errorf("%s: %s, the original %s", what, got, want)
	}
	j.cut = padding + 4
	if got := m.run(data, j); got != "error 0x21 load_method" {
		t.Errorf("%s: with %d bytes less: %s", what, j.cut, got)
	}
}

// The runtime loads what FlatBuffers' own verifier accepts, and nothing else:
// all that was loaded here was accepted by it.
func TestRuntimeVerifies(t *testing.T) {
	m := startMachine(t)
	data := file(nil, exampleProgram())
	if got := m.run(data, job{0, 1, 1, 0}); !strings.HasPrefix(got, "ok ") {
		t.Error(got)
	}
	p := mustRead(t, data)
	at, _ := p.Methods[0].table.At(planName, 4)
	binary.LittleEndian.PutUint32(data[at:], 0x7fffff00)
	if got := m.run(data, job{0, 1, 1, 0}); got != "error 0x23 load" {
		t.Error(got)
	}
}

// Programs whose fast memory has less than they need run right with what is moved
// least in a second one, each memory of exactly the size that was asked for. Four
// bytes less are refused.
func TestRuntimeTwoMemories(t *testing.T) {
	m := startMachine(t)
	if _, _, err := highs.Find(); err != nil {
		shared.Missing(t, err.Error())
	}
	ran, slow := 0, 0
	for _, e := range index(t) {
		old := runnable(t, e)
		if old == nil {
			continue
		}
		a, err := old.Arenas(0)
		if err != nil {
			t.Fatal(err)
		}
		j := jobOf(old, 1)
		want := m.run(old.data, j)
		load := lower(t, a, graph.LowerOptions{}).Arenas[0].Load()
		for _, percent := range []int64{75, 50} {
			q := &spill.Question{Graph: a.Graph, Capacity: load * percent / 100 / Alignment * Alignment, Way: spill.Whole}
			found, err := results.Fit(context.Background(), q, results.Settings{Threads: 1, Limit: -1})
			if err != nil || found.Fitted == nil || !found.Optimal() {
				t.Fatalf("%s at %d %%: %v, %+v", e.file, percent, err, found)
			}
			l, err := a.Divided(found.Fitted.Graph).Lower(graph.LowerOptions{})
			if err != nil {
				t.Fatal(err)
			}
			plans := make([]model.Plan, len(l.Arenas))
			for k, in := range l.Arenas {
				plans[k] = atLoad(t, in)
			}
			to := old.Unchanged()
			a.Place(&to, l, plans)
			least := to.Sizes[0][1]
			if to.Sizes[0][1] = q.Capacity + e.padding; least > to.Sizes[0][1] || len(to.Sizes[0]) != 3 {
				t.Fatalf("%s at %d %%: memories of %v bytes, capacity %d", e.file, percent, to.Sizes[0], q.Capacity)
			}
			data, err := old.With(to)
			if err != nil {
				t.Fatal(err)
			}
			p := mustRead(t, data)
			if err := p.Same(old, to); err != nil {
				t.Error(err)
			}
			for v := range p.Methods[0].Values {
				if p.Methods[0].Values[v].Memory == 2 {
					slow++
				}
			}
			if p.Same(old, old.Unchanged()) == nil {
				t.Errorf("%s: tensors in another memory are taken for the same", e.file)
			}
			m.runsRight(t, fmt.Sprintf("%s at %d %%", e.file, percent), data, j, e.padding, want)
			ran++
		}
	}
	if ran < 12 || slow < 12 {
		t.Errorf("%d programs ran, with %d tensors in slow memory", ran, slow)
	}
}

// Random plans that verify accepts run right. Of broken ones, in which one
// tensor lies over a neighbour that is live with it, all are rejected, and some
// compute other outputs: the runtime says nothing.
func TestRuntimeRandomPlans(t *testing.T) {
	m := startMachine(t)
	many := shared.Many(3)
	wrong := 0
	for _, e := range index(t) {
		old := runnable(t, e)
		if old == nil {
			continue
		}
		a, err := old.Arenas(0)
		if err != nil {
			t.Fatal(err)
		}
		l := lower(t, a, graph.LowerOptions{})
		in, j := l.Arenas[0], jobOf(old, 1)
		want := m.run(old.data, j)
		r := rand.New(rand.NewSource(15))
		garbage, silent := 0, 0
		for range many {
			good := randomPlan(r, in)
			for verify.Plan(in, good) != nil {
				good = randomPlan(r, in)
			}
			if got := m.run(written(t, old, a, l, good), j); got != want {
				t.Fatalf("%s: a plan that holds gives %s, want %s", e.file, got, want)
			}
			bad := broken(r, in, good)
			if verify.Plan(in, bad) == nil {
				t.Fatalf("%s: a broken plan was accepted", e.file)
			}
			data := written(t, old, a, l, bad)
			p := mustRead(t, data)
			if p.Same(old, old.Unchanged()) == nil {
				t.Errorf("%s: a broken plan reads what it should", e.file)
			}
			if _, err := p.Arenas(0); err == nil {
				silent++
			}
			if m.run(data, j) != want {
				garbage++
			}
		}
		wrong += garbage
		t.Logf("%s: %d plans that hold run right; %d broken ones are rejected, %d compute garbage, %d of them not without the original", e.file, many, many, garbage, silent)
	}
	if wrong == 0 {
		t.Error("no broken plan computes garbage: the test does not test")
	}
}

// written is a program with a plan of its one arena.
func written(t *testing.T, p *Program, a *Arenas, l *graph.Lowered, plan model.Plan) []byte {
	t.Helper()
	to := p.Unchanged()
	a.Place(&to, l, []model.Plan{plan})
	data, err := p.With(to)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// broken moves one buffer of a plan into another that is live with it.
func broken(r *rand.Rand, in *model.Instance, plan model.Plan) model.Plan {
	out := model.Plan{Offsets: append([]int64(nil), plan.Offsets...)}
	for {
		i, k := r.Intn(len(in.Buffers)), r.Intn(len(in.Buffers))
		if i == k || !in.Buffers[i].Conflicts(&in.Buffers[k]) {
			continue
		}
		out.Offsets[i] = out.Offsets[k] + 16*r.Int63n(in.Buffers[k].Size/16)
		return out
	}
}
