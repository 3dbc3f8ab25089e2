package iree

import (
	"cmp"
	"strconv"
	"strings"
)

// uses finds where the results of packs are used: in the region that a pack
// stands in, before it or behind it.
type uses struct {
	packs  []*Pack
	region map[int][]int // packs by the brace that opens their region
	names  map[string]int
	open   []int
}

func newUses(packs []*Pack) *uses {
	u := &uses{packs: packs, region: make(map[int][]int), names: make(map[string]int)}
	for k, p := range packs {
		u.region[p.region] = append(u.region[p.region], k)
	}
	u.enter(outside)
	return u
}

// enter brings the names of a region's packs into force; leave takes them out.
func (u *uses) enter(region int) {
	u.open = append(u.open, region)
	for _, k := range u.region[region] {
		for _, r := range u.packs[k].results {
			u.names[r.name] = k
		}
	}
}

func (u *uses) leave() {
	if len(u.open) == 1 {
		return
	}
	last := len(u.open) - 1
	for _, k := range u.region[u.open[last]] {
		for _, r := range u.packs[k].results {
			delete(u.names, r.name)
		}
	}
	u.open = u.open[:last]
}

// see follows the braces.
func (u *uses) see(t token, source string) {
	if t.kind != other {
		return
	}
	switch source[t.start] {
	case '{':
		u.enter(t.start)
	case '}':
		u.leave()
	}
}

// of is which result of which pack a value is: 0 is the slab's size.
func (u *uses) of(t token, source string) (pack int, result int64, used bool) {
	if t.kind != value || len(u.names) == 0 {
		return 0, 0, false
	}
	name, digits, numbered := strings.Cut(source[t.start:t.end], "#")
	k, ok := u.names[name]
	if !ok {
		return 0, 0, false
	}
	number := int64(0)
	if numbered {
		var err error
		if number, err = strconv.ParseInt(digits, 10, 64); err != nil {
			return 0, 0, false
		}
	}
	result, used = u.packs[k].result(name, number)
	return k, result, used
}

// uses looks at where the packs of a module are used. A use before a pack that
// would be planned is an error: constants in the pack's place would stand behind
// it as well, and what is written could not be read back.
func (f *File) uses() error {
	var early error
	err := f.eachUse(0, func(p *Pack, result int64, t token) {
		p.usedAt(f.text[:t.start], result)
		if early == nil && p.Why == "" && t.start < p.start {
			early = at(f.text, t.start, "%s is used before the pack of line %d makes it: expected the pack first", f.text[t.start:t.end], p.Line)
		}
	})
	return cmp.Or(err, early)
}

// usedAt takes from a use, behind text, of what memory the pack's slab is: its size
// stands in the braces of !stream.resource<transient>{%20#0}.
func (p *Pack) usedAt(text string, result int64) {
	if result == 0 && p.Kind == "" {
		p.Kind = slab(text)
	}
}

// slab is the kind of memory whose size follows text.
func slab(text string) string {
	text, ok := strings.CutSuffix(text, ">{")
	at := strings.LastIndexByte(text, '<')
	if !ok || at < 0 || !strings.HasSuffix(text[:at], "!stream.resource") {
		return ""
	}
	return text[at+1:]
}

// eachUse calls do for every use of a pack's result outside the pack itself. A
// name that a pack has, with a number that it does not have, is an error.
func (f *File) eachUse(start int, do func(p *Pack, result int64, t token)) error {
	l, u := newWalker(f.text), newUses(f.Packs)
	l.pos = start
	next := 0
	for {
		if next < len(f.Packs) && f.Packs[next].start <= l.pos {
			l.pos = max(l.pos, f.Packs[next].end)
			next++
			continue
		}
		t, err := l.next()
		if err != nil || t.kind == end {
			return err
		}
		if next < len(f.Packs) && t.start == f.Packs[next].start {
			l.pos = t.start
			continue
		}
		u.see(t, f.text)
		if t.kind != value {
			continue
		}
		if k, result, used := u.of(t, f.text); used {
			if l.defines(t) {
				return at(f.text, t.start, "%s is defined a second time", f.text[t.start:t.end])
			}
			do(f.Packs[k], result, t)
		} else if name, _, _ := strings.Cut(f.text[t.start:t.end], "#"); u.has(name) {
			return at(f.text, t.start, "%s: the pack of line %d has no such result", f.text[t.start:t.end], f.Packs[u.names[name]].Line)
		}
	}
}

func (u *uses) has(name string) bool {
	_, ok := u.names[name]
	return ok
}
