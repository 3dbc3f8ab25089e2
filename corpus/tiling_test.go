package corpus

import (
	"fmt"
	"testing"

	"memplan/model"
)

// perfectFamilies are those whose generator knows an optimal plan.
var perfectFamilies = map[string]func(n, seed int64) (*model.Instance, model.Plan){
	"laminar": laminar, "nested": nested, "comb": comb, "pyramid": pyramid, "guillotine": guillotine,
	"pinwheel": pinwheel, "always-full": alwaysFull, "aligned": aligned, "pinned": pinned, "gapped": gapped,
	"staircase": func(n, seed int64) (*model.Instance, model.Plan) { return staircase(n, 2+seed, seed) },
}

// faultOf says what is wrong with a plan, by looking at every pair; empty when
// nothing is.
func faultOf(in *model.Instance, p model.Plan) string {
	for i := range in.Buffers {
		b, at := &in.Buffers[i], p.Offsets[i]
		if at < 0 || at%b.Alignment() != 0 || b.Offset != nil && *b.Offset != at {
			return fmt.Sprintf("%s may not be at %d", b.ID, at)
		}
		for j := range i {
			o := &in.Buffers[j]
			if b.Conflicts(o) && at < p.Offsets[j]+o.Size && p.Offsets[j] < at+b.Size {
				return fmt.Sprintf("%s at %d overlaps %s at %d", b.ID, at, o.ID, p.Offsets[j])
			}
		}
	}
	return ""
}

func TestPerfectPlans(t *testing.T) {
	for name, generate := range perfectFamilies {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 25, 40, 101, 400, 1001} {
				for seed := range int64(5) {
					in, plan := generate(n, seed)
					if err := in.Validate(); err != nil {
						t.Fatalf("n %d seed %d: %v", n, seed, err)
					}
					if int64(len(in.Buffers)) != n {
						t.Fatalf("n %d seed %d: %d buffers", n, seed, len(in.Buffers))
					}
					if fault := faultOf(in, plan); fault != "" {
						t.Fatalf("n %d seed %d: %s", n, seed, fault)
					}
					if peak, load := plan.Peak(in), in.Load(); peak != load {
						t.Fatalf("n %d seed %d: the construction's peak is %d, the load %d", n, seed, peak, load)
					}
				}
			}
		})
	}
}

// TestFaultOf breaks good plans: the check above must see it.
func TestFaultOf(t *testing.T) {
	for _, name := range []string{"guillotine", "gapped", "pinned", "aligned"} {
		in, plan := perfectFamilies[name](40, 1)
		for i := range plan.Offsets {
			for _, by := range []int64{1, -1} {
				plan.Offsets[i] += by
				if faultOf(in, plan) == "" && plan.Peak(in) <= in.Load() {
					t.Errorf("%s: buffer %d moved by %d, and nothing is wrong", name, i, by)
				}
				plan.Offsets[i] -= by
			}
		}
	}
}

// TestFull: in the families that leave no byte free, every step carries the load.
func TestFull(t *testing.T) {
	for name, in := range map[string]*model.Instance{
		"nested": firstOf(nested(101, 1)), "comb": firstOf(comb(101, 1)), "pyramid": firstOf(pyramid(101, 1)),
		"guillotine": firstOf(guillotine(101, 1)), "pinwheel": firstOf(pinwheel(101, 1)), "always-full": firstOf(alwaysFull(101, 1)),
		"pinned": firstOf(pinned(101, 1)), "gapped": firstOf(gapped(101, 1)), "chain": chain(101, 50, 1), "long-chain": longChain(101, 50, 1),
	} {
		load := in.Load()
		for s := range in.Sections() {
			if s.Bytes != load {
				t.Errorf("%s: %d bytes at %v, load %d", name, s.Bytes, s.Steps, load)
			}
		}
	}
}

func TestLongChainsDieSlowly(t *testing.T) {
	for seed := range int64(20) {
		in := longChain(80, 50, seed)
		deaths := map[int64]int{}
		end := int64(0)
		for _, b := range in.Buffers {
			deaths[b.Life.End]++
			end = max(end, b.Life.End)
		}
		for step, n := range deaths {
			if step != end && n > 2 {
				t.Errorf("seed %d: %d deaths at step %d", seed, n, step)
			}
		}
	}
}

func TestLaminarIsLaminar(t *testing.T) {
	in, _ := laminar(200, 3)
	for i, b := range in.Buffers {
		for _, c := range in.Buffers[:i] {
			if b.Life.Meets(c.Life) && !b.Life.Contains(c.Life) && !c.Life.Contains(b.Life) {
				t.Errorf("%v crosses %v", b.Life, c.Life)
			}
		}
	}
}

// TestNestedCrosses: most ledges hold lives that nest and lives that cross.
func TestNestedCrosses(t *testing.T) {
	in, _ := nested(101, 3)
	nests, crosses := 0, 0
	for i, b := range in.Buffers {
		for _, c := range in.Buffers[:i] {
			switch {
			case !b.Life.Meets(c.Life):
			case b.Life.Contains(c.Life) || c.Life.Contains(b.Life):
				nests++
			default:
				crosses++
			}
		}
	}
	if nests < 101 || crosses < 101 {
		t.Errorf("%d pairs nest, %d cross", nests, crosses)
	}
}

// TestShuffled: the row says nothing of birth, size or the perfect offset. The
// rank correlation of row and value is below 0.1 in 1001 rows.
func TestShuffled(t *testing.T) {
	for name, generate := range perfectFamilies {
		in, plan := generate(1001, 7)
		for what, value := range map[string]func(i int) int64{
			"birth":  func(i int) int64 { return in.Buffers[i].Life.Start },
			"size":   func(i int) int64 { return in.Buffers[i].Size },
			"offset": func(i int) int64 { return plan.Offsets[i] },
		} {
			concordant, pairs := 0, 0
			for i := range in.Buffers {
				for j := range i {
					switch a, b := value(i), value(j); {
					case a > b:
						concordant++
						pairs++
					case a < b:
						concordant--
						pairs++
					}
				}
			}
			if 10*concordant > pairs || -10*concordant > pairs {
				t.Errorf("%s: rows are in order of %s: %d of %d pairs more with than against", name, what, concordant, pairs)
			}
		}
		for i, b := range in.Buffers {
			if b.ID != rowID(i) {
				t.Fatalf("%s: row %d is named %s", name, i, b.ID)
			}
		}
	}
}
