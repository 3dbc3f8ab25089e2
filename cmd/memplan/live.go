package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"memplan/model"
	"memplan/model/json"
	"memplan/results"
)

// liveAt lists the buffers with bytes that are live at step, largest first.
func liveAt(in *model.Instance, step int64) []int {
	var live []int
	for i := range in.Buffers {
		b := &in.Buffers[i]
		if b.Size == 0 {
			continue
		}
		for part := range b.Live() {
			if part.Start <= step && step < part.End {
				live = append(live, i)
			}
		}
	}
	slices.SortFunc(live, func(a, b int) int {
		return cmp.Or(cmp.Compare(in.Buffers[b].Size, in.Buffers[a].Size), cmp.Compare(a, b))
	})
	return live
}

// together names the fewest buffers, all live at the step of the load, that do
// not fit below capacity together; "" where those do.
func together(in *model.Instance, capacity int64) string {
	step, load := in.LoadStep()
	if load <= capacity {
		return ""
	}
	var names []string
	left := capacity
	if len(in.Pairs) > 0 {
		left = model.MaxBytes // some may share: all of them count
	}
	for _, i := range liveAt(in, step) {
		names = append(names, fmt.Sprintf("%s (%d)", in.Buffers[i].ID, in.Buffers[i].Size))
		if left -= in.Buffers[i].Size; left < 0 {
			break
		}
	}
	return fmt.Sprintf("at step %d these alone are too many: %s", step, shortened(names))
}

// shortened joins names, of many the first ten.
func shortened(names []string) string {
	const most = 10
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// conflict lists buffers that do not fit into their capacity together, in the
// first arena of which that is proven: all that are live at the step of the load,
// or all that a refutation is about. nil where nobody knows any.
func (s *source) conflict(out results.Outcome) *json.Conflict {
	for k, in := range s.task.Arenas {
		res := out.Results[k]
		if in.Capacity == 0 || res.Bound <= in.Capacity {
			continue
		}
		c := &json.Conflict{}
		if len(s.task.Arenas) > 1 {
			c.Space = s.task.Spaces[k]
		}
		var members []int
		if step, load := in.LoadStep(); load > in.Capacity {
			c.Steps, members = &[2]int64{step, step + 1}, liveAt(in, step)
		} else if r, minimal := results.Obstacle(in, res.Certificate); r != nil {
			c.Minimal, members = minimal, r.Buffers
			if r.Window != model.Always {
				c.Steps = &[2]int64{r.Window.Start, r.Window.End}
			}
		} else {
			return nil
		}
		for _, i := range members {
			c.Buffers = append(c.Buffers, json.Conflicting{ID: in.Buffers[i].ID, Size: in.Buffers[i].Size})
		}
		return c
	}
	return nil
}
