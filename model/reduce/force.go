package reduce

import (
	"cmp"
	"slices"

	"memplan/model"
)

// Room is what holds in every plan of an instance with a peak of at most
// Height: the least and the greatest offset of each buffer, and orders of
// conflicting pairs.
type Room struct {
	Height    int64
	Low, High []int64

	below []bool // below[i*n+j]: buffer i lies below buffer j
}

// Below reports whether i is known to lie below j.
func (r *Room) Below(i, j int) bool { return r.below != nil && r.below[i*len(r.Low)+j] }

// Orders lists the known orders.
func (r *Room) Orders() (orders []Order) {
	n := len(r.Low)
	for k, below := range r.below {
		if below {
			orders = append(orders, Order{int32(k / n), int32(k % n)})
		}
	}
	return orders
}

// Beyond maxForced buffers Force declines to know anything, as its table of
// pairs is quadratic; beyond maxCubed, the sum of |C|^3, it applies order and
// detect alone.
const (
	maxForced = 2000
	maxCubed  = 1 << 30
)

// Force finds what a height forces, and reports false when no plan fits below
// it. given are orders to assume; they need not be implied by the height.
//
// With low(i) and high(i) the least and greatest offset, z(i) the size, and C
// a clique, it applies until nothing changes:
//
//	order     i below j: low(j) >= low(i)+z(i), high(i) <= high(j)-z(i)
//	detect    low(j)+z(j) > high(i): j does not fit below i, so i lies below j
//	cycle     i below j below k, all live together: i below k
//	sum       S in C, all below j: low(j) >= min low(S) + sum z(S)
//	overload  S in C, between a and b: sum z(S) <= b - a
//	edge      S in C between a and b, j in C from a upwards, and together more
//	          than b - a: all of S lies below j
//
// and the mirror images of the last three. Buffers that conflict are disjoint
// in address, wherever their offsets come from, so all hold under pins, gaps
// and ties; lows are rounded up to alignments and highs down, and bodies move
// as one. Cost: a round is O(sum of |C|^3), few in practice; large cliques are
// spared the cubic rules.
func Force(in *model.Instance, height int64, given []Order) (*Room, bool) {
	f := open(in, height, given)
	if f.below == nil {
		return &f.Room, !f.dead
	}
	f.cliques, f.bodies = Cliques(in), in.Bodies()
	cubic := f.cliques
	if f.cubes() > maxCubed {
		cubic = nil
	}
	for f.changed = true; f.changed && !f.dead; {
		f.changed = false
		f.settle()
		f.pairs()
		for _, c := range cubic {
			f.cycles(c)
			for _, mirrored := range []bool{false, true} {
				v := f.view(c, mirrored)
				v.sums()
				v.edges()
			}
		}
	}
	return &f.Room, !f.dead
}

// Open is the room that sizes, pins and the given orders alone leave, and
// false when a buffer by itself does not fit.
func Open(in *model.Instance, height int64, given []Order) (*Room, bool) {
	f := open(in, height, given)
	return &f.Room, !f.dead
}

func open(in *model.Instance, height int64, given []Order) *forcing {
	n := len(in.Buffers)
	f := &forcing{in: in, Room: Room{Height: height, Low: make([]int64, n), High: make([]int64, n)}}
	for i := range in.Buffers {
		b := &in.Buffers[i]
		f.High[i] = height - b.Size
		if b.Offset != nil {
			f.dead = f.dead || *b.Offset > f.High[i]
			f.Low[i], f.High[i] = *b.Offset, *b.Offset
		}
		f.lower(i, f.High[i]) // to the alignment
	}
	if n <= maxForced {
		f.below = make([]bool, n*n)
	}
	for _, o := range given {
		if f.below != nil {
			f.put(int(o.Lower), int(o.Upper))
		}
	}
	return f
}

// forcing is a Room under way.
type forcing struct {
	Room
	in            *model.Instance
	cliques       [][]int32
	bodies        [][]int
	changed, dead bool
}

// cubes is the sum of |C|^3.
func (f *forcing) cubes() (sum int64) {
	for _, c := range f.cliques {
		n := int64(len(c)) // at most maxForced
		sum += n * n * n
	}
	return sum
}

// put notes that i lies below j.
func (f *forcing) put(i, j int) {
	n := len(f.Low)
	if f.below[i*n+j] {
		return
	}
	f.below[i*n+j], f.changed = true, true
	f.dead = f.dead || f.below[j*n+i]
}

// raise notes that low(i) is at least v.
func (f *forcing) raise(i int, v int64) {
	up, fits := model.AlignUp(v, f.in.Buffers[i].Align)
	if v <= f.Low[i] || up <= f.Low[i] {
		return
	}
	if !fits || up > f.High[i] {
		f.dead = true
		return
	}
	f.Low[i], f.changed = up, true
}

// lower notes that high(i) is at most v.
func (f *forcing) lower(i int, v int64) {
	if v < 0 {
		f.dead = true
		return
	}
	if f.in.Buffers[i].Offset == nil {
		v -= v % f.in.Buffers[i].Alignment()
	}
	if v >= f.High[i] {
		return
	}
	f.High[i], f.changed = v, true
	f.dead = f.dead || v < f.Low[i]
}

// settle makes bodies move as one.
func (f *forcing) settle() {
	for _, body := range f.bodies {
		root := body[0]
		for _, i := range body[1:] {
			d := f.in.Buffers[i].Tie.Delta
			f.raise(root, f.Low[i]-d)
			f.lower(root, f.High[i]-d)
		}
		for _, i := range body[1:] {
			d := f.in.Buffers[i].Tie.Delta
			f.raise(i, f.Low[root]+d)
			f.lower(i, f.High[root]+d)
		}
	}
}

// pairs applies order and detect to every pair that is live together.
func (f *forcing) pairs() {
	for _, c := range f.cliques {
		for _, a := range c {
			for _, b := range c {
				i, j := int(a), int(b)
				if i == j || f.dead {
					continue
				}
				size := f.in.Buffers[i].Size
				if f.Low[j] > f.High[i]-f.in.Buffers[j].Size {
					f.put(i, j)
				}
				if f.Below(i, j) {
					f.raise(j, f.Low[i]+size)
					f.lower(i, f.High[j]-size)
				}
			}
		}
	}
}

// cycles closes the order within a clique.
func (f *forcing) cycles(c []int32) {
	for _, j := range c {
		for _, i := range c {
			if !f.Below(int(i), int(j)) {
				continue
			}
			for _, k := range c {
				if f.Below(int(j), int(k)) {
					f.put(int(i), int(k))
				}
			}
		}
	}
}

// A view is a clique seen from the bottom, or from the height when mirrored.
type view struct {
	f          *forcing
	mirrored   bool
	set        []int   // by head
	head, tail []int64 // from the near side: least start, greatest end
	size       []int64
}

func (f *forcing) view(c []int32, mirrored bool) *view {
	v := &view{f: f, mirrored: mirrored, set: make([]int, len(c))}
	for k, i := range c {
		v.set[k] = int(i)
	}
	start := func(i int) int64 {
		if mirrored {
			return f.Height - f.High[i] - f.in.Buffers[i].Size
		}
		return f.Low[i]
	}
	slices.SortStableFunc(v.set, func(i, j int) int { return cmp.Compare(start(i), start(j)) })
	for _, i := range v.set {
		size := f.in.Buffers[i].Size
		end := f.High[i] + size
		if mirrored {
			end = f.Height - f.Low[i]
		}
		v.head, v.tail, v.size = append(v.head, start(i)), append(v.tail, end), append(v.size, size)
	}
	return v
}

// before notes that the k-th lies nearer than the l-th.
func (v *view) before(k, l int) {
	if v.mirrored {
		k, l = l, k
	}
	v.f.put(v.set[k], v.set[l])
}

func (v *view) isBefore(k, l int) bool {
	if v.mirrored {
		k, l = l, k
	}
	return v.f.Below(v.set[k], v.set[l])
}

// from notes that the k-th starts at least so far away.
func (v *view) from(k int, least int64) {
	i := v.set[k]
	if v.mirrored {
		v.f.lower(i, v.f.Height-least-v.size[k])
	} else {
		v.f.raise(i, least)
	}
}

// sums applies sum: from the farthest head down, the known predecessors of a
// buffer fill what is between that head and the buffer.
func (v *view) sums() {
	for k := range v.set {
		var sum int64
		for l := len(v.set) - 1; l >= 0; l-- {
			if v.isBefore(l, k) {
				sum += v.size[l]
				v.from(k, plus(v.head[l], sum))
			}
		}
	}
}

// plus is a+b, or MaxBytes when that does not fit.
func plus(a, b int64) int64 {
	if s, ok := model.Add(a, b); ok {
		return s
	}
	return model.MaxBytes
}

// edges applies overload and edge. For each end b it takes the buffers that
// end by b in descending order of head, so that S is what starts at a or
// later; each buffer outside S with a head of at least a is tried as j.
func (v *view) edges() {
	for m := range v.set {
		b := v.tail[m]
		var sum int64
		for l := len(v.set) - 1; l >= 0; l-- {
			if v.tail[l] > b {
				continue
			}
			a := v.head[l]
			if sum += v.size[l]; sum > b-a {
				v.f.dead = true
				return
			}
			for k := range v.set {
				if v.tail[k] > b && v.head[k] >= a && sum+v.size[k] > b-a {
					v.after(k, a, b)
				}
			}
		}
	}
}

// after notes that everything between a and b lies nearer than the k-th.
func (v *view) after(k int, a, b int64) {
	for l := range v.set {
		if v.head[l] >= a && v.tail[l] <= b {
			v.before(l, k)
		}
	}
}
