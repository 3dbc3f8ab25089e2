package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"memplan/model"
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
