package oracle

import "memplan/model"

// ByOrders is the optimal peak of an instance without ties, whatever its
// sizes, by trying the buffers in every order of offset, each as low as those
// before it allow: every plan, pushed down, is one of these. For about eight
// buffers.
func ByOrders(in *model.Instance) int64 {
	o := orders{in: in, placed: make([]bool, len(in.Buffers)), at: make([]int64, len(in.Buffers)), best: model.MaxBytes}
	o.place(0, 0)
	return o.best
}

type orders struct {
	in     *model.Instance
	placed []bool
	at     []int64
	best   int64
}

func (o *orders) place(depth int, peak int64) {
	if depth == len(o.at) {
		o.best = min(o.best, peak)
	}
	for i := range o.at {
		if o.placed[i] || peak >= o.best {
			continue
		}
		b := &o.in.Buffers[i]
		at, ok := o.lowest(i)
		if end, fits := model.Add(at, b.Size); ok && fits {
			o.placed[i], o.at[i] = true, at
			if b.Size == 0 {
				end = 0 // takes no room
			}
			o.place(depth+1, max(peak, end))
			o.placed[i] = false
		}
	}
}

// lowest is where i can lie above the buffers placed.
func (o *orders) lowest(i int) (int64, bool) {
	b := &o.in.Buffers[i]
	least := int64(0)
	for j, placed := range o.placed {
		if c := &o.in.Buffers[j]; placed && c.Conflicts(b) {
			least = max(least, o.at[j]+c.Size)
		}
	}
	if b.Offset != nil {
		return *b.Offset, *b.Offset >= least
	}
	return model.AlignUp(least, b.Align)
}
