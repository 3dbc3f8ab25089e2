package search

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"memplan/model"
)

// A script is an engine that finds what it is told, slice by slice; after its
// last line it has nothing to contribute. Before a slice it takes one value from
// wait, if there is such a channel.
type script struct {
	name  string
	lines []model.Finding
	err   error
	wait  <-chan struct{}
	runs  *int
}

func (s *script) Name() string { return s.name }

func (s *script) Run(ctx context.Context, _ model.Result, work int64) (model.Finding, error) {
	*s.runs++
	if s.wait != nil {
		select {
		case <-s.wait:
		case <-ctx.Done():
		}
	}
	if len(s.lines) == 0 {
		return model.Finding{Done: true}, s.err
	}
	f := s.lines[0]
	s.lines = s.lines[1:]
	return f, nil
}

func pair() *model.Instance {
	return &model.Instance{Name: "pair", Buffers: []model.Buffer{
		{ID: "a", Life: model.Interval{Start: 0, End: 2}, Size: 3},
		{ID: "b", Life: model.Interval{Start: 1, End: 3}, Size: 4},
	}}
}

func planAt(offsets ...int64) model.Finding {
	return model.Finding{Result: model.Result{Plan: &model.Plan{Offsets: offsets}}, Work: 5}
}

func boundAt(b int64) model.Finding {
	return model.Finding{Result: model.Result{Certificate: &model.Certificate{Proof: model.ProofMIP, Bound: b}}, Work: 7}
}

// An engine behind the one that closes the race may never come back by itself;
// it is called off, and what it found does not count.
func TestRaceStopsTogether(t *testing.T) {
	for _, threads := range []int{1, 2, 3} {
		var finds, hangs int
		r := Race{Threads: threads, Engines: func(*model.Instance) []model.Engine {
			return []model.Engine{
				&script{name: "finds", lines: []model.Finding{planAt(0, 10), planAt(0, 3)}, runs: &finds},
				&script{name: "hangs", lines: []model.Finding{planAt(0, 5), planAt(4, 0)}, wait: once(), runs: &hangs},
			}
		}}
		res, err := r.Plan(context.Background(), pair())
		if err != nil || !reflect.DeepEqual(res.Plan.Offsets, []int64{0, 3}) || res.Bound != 7 {
			t.Fatalf("threads %d: %+v, %v", threads, res, err)
		}
		if res.Status(pair()) != model.Optimal || res.Certificate.Proof != model.ProofLoad {
			t.Fatalf("threads %d: status %v, %v", threads, res.Status(pair()), res.Certificate)
		}
		if last := res.Stats.Trace[len(res.Stats.Trace)-1]; last.Source != "finds" || last.Work != 15 {
			t.Fatalf("threads %d: trace ends with %+v", threads, last)
		}
	}
}

// once lets one slice pass, and no other.
func once() <-chan struct{} {
	c := make(chan struct{}, 1)
	c <- struct{}{}
	return c
}

// A bound above a known peak is refused, and its engine leaves the race.
func TestRaceRefusesLies(t *testing.T) {
	var runs, honest int
	r := Race{Engines: func(*model.Instance) []model.Engine {
		return []model.Engine{
			&script{name: "honest", lines: []model.Finding{planAt(0, 10), planAt(0, 8)}, runs: &honest},
			&script{name: "liar", lines: []model.Finding{boundAt(99), boundAt(12)}, runs: &runs},
		}
	}}
	res, err := r.Plan(context.Background(), pair())
	if err != nil || res.Bound != 7 || res.Plan.Peak(pair()) != 12 || runs != 1 {
		t.Fatalf("%+v, %v, %d runs of the liar", res, err, runs)
	}
}

// spoilt is an engine with a bug.
type spoilt struct{ list []int }

func (spoilt) Name() string { return "spoilt" }
func (e spoilt) Run(context.Context, model.Result, int64) (model.Finding, error) {
	return model.Finding{Work: int64(e.list[3])}, nil
}

// An engine that panics ends neither the program nor the race, but leaves no
// result that one could rely on.
func TestRaceReportsPanics(t *testing.T) {
	for threads := 1; threads <= 3; threads++ {
		var runs int
		r := Race{Threads: threads, Rounds: 3, Engines: func(*model.Instance) []model.Engine {
			return []model.Engine{spoilt{}, &script{name: "finds", lines: []model.Finding{planAt(0, 10), planAt(0, 8)}, runs: &runs}}
		}}
		res, err := r.Plan(context.Background(), pair())
		var bug *model.Panic
		if !errors.As(err, &bug) || res.Plan != nil || runs != 3 {
			t.Fatalf("%d threads: %+v, %v, %d runs", threads, res, err, runs)
		}
		if want := "spoilt: panicked: runtime error: index out of range [3] with length 0, in memplan/search.spoilt.Run"; !strings.HasPrefix(err.Error(), want) {
			t.Error(err)
		}
	}
}

// With no plan at all the engines' errors are the result; the bound stays.
func TestRaceReportsErrors(t *testing.T) {
	var runs int
	broken := errors.New("broken")
	r := Race{Engines: func(*model.Instance) []model.Engine {
		return []model.Engine{&script{name: "bad", err: broken, runs: &runs}}
	}}
	res, err := r.Plan(context.Background(), pair())
	if !errors.Is(err, broken) || res.Plan != nil || res.Bound != 7 {
		t.Fatalf("%+v, %v", res, err)
	}
}

// Time that is up is no error, and the load is known all the same.
func TestRaceWithoutTime(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	res, err := Race{}.Plan(ctx, pair())
	if err != nil || res.Plan != nil || res.Bound != 7 || res.Status(pair()) != model.Unknown {
		t.Fatalf("%+v, %v", res, err)
	}
}
