package heuristics

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"memplan/model"
)

// uniform makes n buffers of random sizes of which about live are live at once.
func uniform(n, live int, seed uint64) *model.Instance {
	r := rand.New(rand.NewPCG(seed, 0))
	in := &model.Instance{Name: fmt.Sprintf("uniform-%d-%d", n, live), Buffers: make([]model.Buffer, n)}
	for i := range in.Buffers {
		birth := r.Int64N(int64(10 * n))
		in.Buffers[i] = model.Buffer{
			ID:   fmt.Sprint(i),
			Life: model.Interval{Start: birth, End: birth + 1 + r.Int64N(int64(20*live))},
			Size: 1 + r.Int64N(1<<20),
		}
	}
	return in
}

// BenchmarkPlan shows the growth of every planner: time and bytes a buffer.
func BenchmarkPlan(b *testing.B) {
	for _, live := range []int{1, 100, 1000} {
		for n := 1000; n <= 1000_000; n *= 10 {
			in := uniform(n, live, 1)
			for _, p := range All() {
				b.Run(fmt.Sprintf("%s/live=%d/n=%d", p.Name(), live, n), func(b *testing.B) { growth(b, p, in) })
			}
		}
	}
}

func growth(b *testing.B, p model.Planner, in *model.Instance) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var peak int64
	for b.Loop() {
		r, err := p.Plan(context.Background(), in)
		if err != nil {
			b.Fatal(err)
		}
		peak = r.Plan.Peak(in)
	}
	runtime.ReadMemStats(&after)
	n := float64(b.N) * float64(len(in.Buffers))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/n, "ns/buffer")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/n, "B/buffer")
	b.ReportMetric(float64(peak)/float64(in.Load()), "peak/load")
	b.ReportMetric(0, "ns/op")
}
