package pairs

import (
	"cmp"
	"slices"

	"memplan/model"
)

// A node is what is known of a scene's plans after some decisions.
type node struct {
	s     *scene
	n     int      // positions and the ground, which is number 0
	apart []int64  // n*n: offset(j) - offset(i) is at least this; the ground is at 0
	open  [][]bool // of each pair: the options that are left
	left  []int    // of each pair: how many
	done  []bool   // of each pair: its only option has been applied
	dead  bool
	work  *int64 // counts steps of a few nanoseconds
}

// root is the node without decisions.
func root(s *scene, work *int64) *node {
	n := len(s.buffers) + 1
	d := &node{s: s, n: n, apart: make([]int64, n*n), open: make([][]bool, len(s.pairs)), left: make([]int, len(s.pairs)), done: make([]bool, len(s.pairs)), work: work}
	for k := range d.apart {
		d.apart[k] = -s.height
	}
	for i := range n {
		d.apart[i*n+i] = 0
	}
	for k, p := range s.pairs {
		d.open[k], d.left[k] = slices.Repeat([]bool{true}, len(p.options)), len(p.options)
	}
	for i := 1; i < n; i++ {
		low, high := int64(0), s.height-s.size[i-1]
		if s.low[i-1] >= 0 {
			low, high = s.low[i-1], min(high, s.low[i-1])
		}
		d.put(0, i, low)
		d.put(i, 0, -high)
	}
	for _, t := range s.ties {
		d.put(int(t[0])+1, int(t[1])+1, t[2])
		d.put(int(t[1])+1, int(t[0])+1, -t[2])
	}
	d.close()
	return d
}

func (d *node) clone() *node {
	c := *d
	c.apart, c.left, c.done = slices.Clone(d.apart), slices.Clone(d.left), slices.Clone(d.done)
	c.open = make([][]bool, len(d.open))
	for k := range d.open {
		c.open[k] = slices.Clone(d.open[k])
	}
	*d.work += int64(len(d.apart) + 4*len(d.open))
	return &c
}

// unit divides every distance between two offsets.
func (d *node) unit(i, j int) int64 {
	switch {
	case i == 0:
		return d.s.align[j-1]
	case j == 0:
		return d.s.align[i-1]
	}
	return model.GCD(d.s.align[i-1], d.s.align[j-1])
}

// up rounds a distance up to a multiple.
func up(x, unit int64) int64 {
	if r := x % unit; r > 0 {
		return x + unit - r
	} else {
		return x - r
	}
}

// put makes offset(j) - offset(i) at least x, and what follows for all others.
func (d *node) put(i, j int, x int64) {
	todo := [][3]int64{{int64(i), int64(j), x}}
	for k := 0; k < len(todo) && !d.dead; k++ {
		i, j, x := int(todo[k][0]), int(todo[k][1]), todo[k][2]
		if i == j {
			d.dead = d.dead || x > 0
			continue
		}
		if x = up(x, d.unit(i, j)); x <= d.apart[i*d.n+j] {
			continue
		}
		if x+d.apart[j*d.n+i] > 0 {
			d.dead = true
			return
		}
		*d.work += int64(d.n * d.n)
		for a := range d.n {
			first := d.apart[a*d.n+i] + x
			for b := range d.n {
				y := first + d.apart[j*d.n+b]
				if a == b || y <= d.apart[a*d.n+b] {
					continue
				}
				d.apart[a*d.n+b] = y
				if z := up(y, d.unit(a, b)); z > y {
					todo = append(todo, [3]int64{int64(a), int64(b), z})
				}
			}
		}
		if len(todo) > 10_000 {
			return // distances of different alignments: nothing wrong is known
		}
	}
}

// close applies the rules until nothing changes.
func (d *node) close() {
	for changed := true; changed && !d.dead; {
		changed = false
		for k := range d.s.pairs {
			changed = d.filter(k) || changed
			if d.dead {
				return
			}
		}
	}
	if !d.dead {
		d.dead = d.tooMuch()
	}
}

// filter takes the options of a pair away that what is known denies, and
// applies the last one.
func (d *node) filter(k int) (changed bool) {
	if d.done[k] {
		return false
	}
	p := &d.s.pairs[k]
	a, b := p.a+1, p.b+1
	least, most := d.apart[a*d.n+b], -d.apart[b*d.n+a]
	last := -1
	for o := range p.options {
		if !d.open[k][o] {
			continue
		}
		if p.options[o].least > most || p.options[o].most < least {
			d.open[k][o] = false
			d.left[k]--
			changed = true
		} else {
			last = o
		}
	}
	switch d.left[k] {
	case 0:
		d.dead = true
	case 1:
		d.choose(k, last)
		changed = true
	}
	return changed
}

// choose applies one option of a pair.
func (d *node) choose(k, o int) {
	p := &d.s.pairs[k]
	for x := range d.open[k] {
		d.open[k][x] = x == o
	}
	d.left[k], d.done[k] = 1, true
	if p.options[o].least > -beyond {
		d.put(p.a+1, p.b+1, p.options[o].least)
	}
	if p.options[o].most < beyond {
		d.put(p.b+1, p.a+1, -p.options[o].most)
	}
}

// linked reports whether two positions may still share.
func (d *node) linked(i, j int) bool {
	k := d.s.at[i][j]
	return k >= 0 && slices.Contains(d.open[k][2:], true)
}

// joined reports whether two positions do share.
func (d *node) joined(i, j int) bool {
	k := d.s.at[i][j]
	return k >= 0 && d.done[k] && slices.Contains(d.open[k][2:], true)
}

// tooMuch reports whether what is live at one step takes more than the height.
func (d *node) tooMuch() bool {
	runs := d.runs()
	for _, set := range d.s.steps {
		*d.work += int64(len(set) * len(set))
		if d.weight(set) > d.s.height {
			return true
		}
		for _, r := range runs {
			if d.beside(r, set) > d.s.height {
				return true
			}
		}
	}
	return false
}

// runs lists the sets of positions that are known to share, one with another,
// so that their bytes have no hole.
func (d *node) runs() (runs [][]int) {
	if !d.s.sharing {
		return nil
	}
	return slices.DeleteFunc(components(model.Identity(d.n-1), d.joined), func(r []int) bool { return len(r) < 2 })
}

// beside is what a run takes together with the members of a set that are apart
// from all of it.
func (d *node) beside(run, set []int) int64 {
	var hull int64
	for _, i := range run {
		for _, j := range run {
			hull = max(hull, d.apart[(i+1)*d.n+j+1]+d.s.size[j])
		}
	}
	var others []int
	for _, w := range set {
		if !slices.ContainsFunc(run, func(r int) bool { return r == w || d.s.at[r][w] < 0 || d.linked(r, w) }) {
			others = append(others, w)
		}
	}
	return hull + d.weight(others)
}

// components parts a set by a relation.
func components(set []int, related func(i, j int) bool) (parts [][]int) {
	seen := make(map[int]bool, len(set))
	for _, first := range set {
		if seen[first] {
			continue
		}
		seen[first] = true
		part := []int{first}
		for k := 0; k < len(part); k++ {
			for _, j := range set {
				if !seen[j] && related(part[k], j) {
					seen[j] = true
					part = append(part, j)
				}
			}
		}
		parts = append(parts, part)
	}
	return parts
}

// weight is the bytes that positions live at one step take at least; see
// model.Instance.Load.
func (d *node) weight(set []int) (sum int64) {
	if !d.s.sharing {
		for _, i := range set {
			sum += d.s.size[i]
		}
		return sum
	}
	for _, part := range components(set, d.linked) {
		slices.SortFunc(part, func(a, b int) int {
			return cmp.Or(cmp.Compare(d.s.size[b], d.s.size[a]), cmp.Compare(a, b))
		})
		heaviest := int64(0)
		for _, first := range part {
			heaviest = max(heaviest, d.s.size[first]+d.unshared([]int{first}, part), d.released(first, part))
		}
		sum += heaviest
	}
	return sum
}

// unshared is the bytes of some of a component of which no two may share, nor one
// with what is taken.
func (d *node) unshared(taken, part []int) (sum int64) {
	for _, i := range part {
		if !slices.ContainsFunc(taken, func(j int) bool { return i == j || d.linked(i, j) }) {
			taken = append(taken, i)
			sum += d.s.size[i]
		}
	}
	return sum
}

// released is the bytes of an output and the inputs that it may lie over, and of
// others; 0 where two of the inputs may share.
func (d *node) released(y int, part []int) (end int64) {
	type input struct{ x, lead int64 }
	var inputs []input
	for _, x := range part {
		lead, only := d.lead(y, x)
		if lead < 0 {
			continue
		}
		if !only || slices.ContainsFunc(inputs, func(o input) bool { return d.linked(int(o.x), x) }) {
			return 0
		}
		inputs = append(inputs, input{int64(x), lead})
	}
	slices.SortFunc(inputs, func(a, b input) int { return cmp.Compare(a.lead, b.lead) })
	taken := []int{y}
	for _, i := range inputs {
		end = max(end, i.lead) + d.s.size[i.x]
		taken = append(taken, int(i.x))
	}
	return end + d.unshared(taken, part)
}

// lead is that of y over x, -1 = none; and whether it is the only way they may
// share.
func (d *node) lead(y, x int) (lead int64, only bool) {
	k := d.s.at[y][x]
	if k < 0 {
		return -1, false
	}
	lead, ways := -1, 0
	for o, p := range d.s.pairs[k].options {
		if o < 2 || !d.open[k][o] {
			continue
		}
		ways++
		if p.lead >= 0 && p.over == y {
			lead = p.lead
		}
	}
	return lead, ways == 1
}
