package results

import (
	"context"
	"slices"

	"memplan/ilp"
	"memplan/ilp/highs"
	"memplan/model"
	"memplan/model/json"
	"memplan/search/pairs"
	"memplan/search/replan"
)

// A Replanning plans like a given choice of planner, and then keeps what it can of
// an old plan.
type Replanning struct {
	Old    []model.Place
	Fewest bool // HiGHS is asked for the fewest bytes that must move

	fewest map[*model.Instance]int64 // what it said
}

// Choice is c with what it does afterwards. Planning, keeping and HiGHS have the
// time of c each.
func (r *Replanning) Choice(c Choice, s Settings) Choice {
	p := replan.Planner{Fresh: c.Planner, Quick: pairs.Planner{Of: first{}}, Old: r.Old, Limit: c.Limit}
	p.Patient = func(watch func(model.Point)) model.Planner {
		return race(Settings{Threads: s.Threads, Seed: s.Seed, Rounds: 1, Watch: watch}, "replan", proversFirst)
	}
	if r.Fewest {
		r.fewest = make(map[*model.Instance]int64)
		p.Fewest = func(ctx context.Context, in *model.Instance, old []int64, peak int64, plan model.Plan) (model.Plan, error) {
			moved, err := ilp.Moves{Solver: highs.Solver{}, Threads: s.Threads}.Fewest(ctx, in, old, peak, plan)
			r.fewest[in] = moved.Least
			return moved.Plan, err
		}
	}
	c.Planner, c.Limit = p, -1
	return c
}

// Moved says which buffers of an outcome's arenas an old plan has, and how many of
// them lie elsewhere.
func (r *Replanning) Moved(t *Task, results []model.Result) json.Moved {
	var m json.Moved
	var least int64
	for k := range t.Arenas {
		in, plan := t.Tensors(k), results[k].Plan
		old := replan.Old(in, slices.DeleteFunc(slices.Clone(r.Old), func(p model.Place) bool {
			return len(t.Arenas) > 1 && p.Pool != t.Spaces[k]
		}))
		for i, at := range plan.Offsets[:len(old)] {
			switch {
			case old[i] < 0:
				m.New++
			case old[i] == at:
				m.Kept++
			default:
				m.Moved++
				m.Bytes += in.Buffers[i].Size
			}
		}
		least += r.fewest[t.Arenas[k]]
	}
	if r.Fewest {
		m.Least = &least
	}
	return m
}

// proversFirst are our searches, those that prove bounds before those that find
// plans: most sets of buffers that cannot all stay are refuted at once.
func proversFirst(in *model.Instance, seed int64) []model.Engine {
	engines := searches(in, seed)
	slices.Reverse(engines)
	return engines
}
