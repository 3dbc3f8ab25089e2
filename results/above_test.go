package results

import (
	"testing"

	"memplan/corpus"
	"memplan/model"
)

// slice is the first slice of a race: units of work of about a microsecond.
const slice = 1 << 16

// TestSearchProvesSmallOptima: the searches prove every small optimum above its
// load before they have done the work of one slice together, so that a proof
// does not wait for an engine that only finds plans.
func TestSearchProvesSmallOptima(t *testing.T) {
	proven := 0
	for _, e := range corpus.Suite("small") {
		best := e.Best
		if best != e.Bound || best <= e.Load {
			continue
		}
		in := e.Instance()
		res, err := race(Settings{Threads: 1, Rounds: 1}, "search", searches).Plan(t.Context(), in)
		if err != nil || res.Status(in) != model.Optimal || res.Bound != best {
			t.Errorf("%s: %v, bound %d, optimum %d", e.Name, err, res.Bound, best)
			continue
		}
		if work := res.Stats.Trace[len(res.Stats.Trace)-1].Work; work >= slice {
			t.Errorf("%s: proven after %d units", e.Name, work)
		}
		proven++
	}
	if proven < 200 {
		t.Errorf("%d small instances have their optimum above the load, 200 are wanted", proven)
	}
}
