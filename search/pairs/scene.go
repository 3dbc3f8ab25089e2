package pairs

import (
	"cmp"
	"slices"

	"memplan/model"
)

// A scene is some buffers of an instance, clipped to a window, that are to lie
// below a height.
type scene struct {
	in      *model.Instance
	window  model.Interval
	buffers []int // indexes in the instance
	height  int64

	size, align, low []int64 // by position in buffers
	ties             [][3]int64
	pairs            []pair
	steps            [][]int // sets of positions live at one step, none inside another
	at               [][]int // number of the pair of two positions, -1 = none
	sharing          bool    // some pair may share
}

// A pair of positions in conflict, a < b: they lie as one of the options says.
type pair struct {
	a, b    int
	options []option // a below b, b below a, and the ways they may share
}

// An option says that offset(b) - offset(a) lies between two bounds, both
// included.
type option struct {
	least, most int64
	lead        int64 // of a way to share by a lead: how far b, or a, is above; else -1
	over        int   // with a lead: the position of what lies over
}

const (
	most   = int64(1) << 60 // bytes; greater heights are not taken on
	beyond = int64(1) << 61 // more than any distance
)

// newScene is nil where numbers are beyond what is taken on.
func newScene(in *model.Instance, window model.Interval, buffers []int) *scene {
	s := &scene{in: in, window: window, buffers: buffers}
	n := len(buffers)
	place := make(map[int]int, n)
	for k, i := range buffers {
		place[i] = k
		b := &in.Buffers[i]
		if b.Size > most || b.Alignment() > most {
			return nil
		}
		s.size, s.align, s.low = append(s.size, b.Size), append(s.align, b.Alignment()), append(s.low, -1)
		at, pinned := in.Pin(i)
		switch pinned = pinned && b.Size > 0; {
		case pinned && at <= most:
			s.low[k] = at
		case pinned:
			return nil
		}
	}
	for k, i := range buffers {
		if t := in.Buffers[i].Tie; t != nil && s.size[k] > 0 {
			if root, here := place[t.To]; here {
				s.ties = append(s.ties, [3]int64{int64(root), int64(k), t.Delta})
			}
		}
	}
	s.sections()
	s.conflicts(place)
	return s
}

// sections finds the sets of buffers with bytes that are live at one step of
// the window, of those that are equal or inside another only one.
func (s *scene) sections() {
	var cuts []int64
	for _, i := range s.buffers {
		for part := range s.in.Buffers[i].Live() {
			if part = part.Intersect(s.window); !part.Empty() {
				cuts = append(cuts, part.Start)
			}
		}
	}
	slices.Sort(cuts)
	for _, step := range slices.Compact(cuts) {
		var set []int
		for k, i := range s.buffers {
			if s.size[k] > 0 && liveAt(&s.in.Buffers[i], step) {
				set = append(set, k)
			}
		}
		if slices.ContainsFunc(s.steps, func(o []int) bool { return within(set, o) }) {
			continue
		}
		s.steps = append(slices.DeleteFunc(s.steps, func(o []int) bool { return within(o, set) }), set)
	}
}

func liveAt(b *model.Buffer, step int64) bool {
	for part := range b.Live() {
		if part.Start <= step && step < part.End {
			return true
		}
	}
	return false
}

// within reports whether a is a part of b; both are sorted.
func within(a, b []int) bool {
	k := 0
	for _, x := range a {
		for k < len(b) && b[k] < x {
			k++
		}
		if k == len(b) || b[k] != x {
			return false
		}
	}
	return true
}

// conflicts lists the pairs and their options.
func (s *scene) conflicts(place map[int]int) {
	n := len(s.buffers)
	s.at = make([][]int, n)
	for i := range s.at {
		s.at[i] = slices.Repeat([]int{-1}, n)
	}
	for _, set := range s.steps {
		for x, a := range set {
			for _, b := range set[x+1:] {
				if s.at[a][b] < 0 {
					s.at[a][b], s.at[b][a] = 0, 0
					s.pairs = append(s.pairs, pair{a, b, []option{{s.size[a], beyond, -1, 0}, {-beyond, -s.size[b], -1, 0}}})
				}
			}
		}
	}
	slices.SortFunc(s.pairs, func(p, q pair) int { return cmp.Or(cmp.Compare(p.a, q.a), cmp.Compare(p.b, q.b)) })
	for k, p := range s.pairs {
		s.at[p.a][p.b], s.at[p.b][p.a] = k, k
	}
	for _, p := range s.in.PairsInOrder() {
		over, here := place[p.Over]
		under, too := place[p.Under]
		if here && too && s.at[over][under] >= 0 {
			s.share(&s.pairs[s.at[over][under]], p, over)
		}
	}
}

// share adds a way to share to the options of a pair, unless the two are apart
// that way.
func (s *scene) share(p *pair, by model.Pair, over int) {
	o := option{by.Distance, s.size[over] - 1, by.Distance, over} // of offset(under) - offset(over)
	if by.Equal {
		o = option{-by.Distance, -by.Distance, -1, over}
	}
	if over != p.a {
		o.least, o.most = -o.most, -o.least
	}
	if o.least <= o.most && o.least < s.size[p.a] && o.most > -s.size[p.b] {
		p.options = append(p.options, o)
		s.sharing = true
	}
}

// settled are offsets with what has no bytes, and so takes no room, where it is
// pinned or tied.
func (s *scene) settled(offsets []int64) []int64 {
	offsets = slices.Clone(offsets)
	for k, i := range s.buffers {
		b := &s.in.Buffers[i]
		if b.Size > 0 {
			continue
		}
		if at, fixed := s.in.Pin(i); fixed {
			offsets[k] = at
		} else if b.Tie != nil {
			if root := slices.Index(s.buffers, b.Tie.To); root >= 0 {
				offsets[k] = offsets[root] + b.Tie.Delta
			}
		}
	}
	return offsets
}
