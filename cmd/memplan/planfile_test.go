package main

import (
	"strings"
	"testing"

	"memplan/model"
	"memplan/results"
)

// Where buffers of two arenas have one name, no plan is read, in whatever order its rows are: they could be either's.
func TestPlanOfBuffersWithOneName(t *testing.T) {
	arena := func(name string, id string) *model.Instance {
		return &model.Instance{Name: name, Buffers: []model.Buffer{{ID: id, Life: model.Interval{End: 1}, Size: 8}}}
	}
	for _, c := range []struct {
		arenas []*model.Instance
		plan   string
		fault  string
	}{
		{[]*model.Instance{arena("a", "x"), arena("b", "x")}, "id,offset\na/x,0\nb/x,8\n", ""},
		{[]*model.Instance{arena("a", "x"), arena("a", "x")}, "id,offset\na/x,0\na/x,8\n", `"a/x"`},
		{[]*model.Instance{arena("a/b", "c"), arena("a", "b/c")}, "id,offset\na/b/c,0\na/b/c,8\n", `"a/b/c"`},
		{[]*model.Instance{arena("a", "x"), arena("a", "x")}, `{"offsets": {"a/x": 0}}`, `"a/x"`},
	} {
		s := &source{task: &results.Task{Arenas: c.arenas}}
		e := &env{files: map[string]string{"plan": c.plan}}
		_, err := s.readPlan(e, "plan")
		if c.fault == "" && err != nil || c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)) {
			t.Errorf("%s: %v", c.plan, err)
		}
	}
}
