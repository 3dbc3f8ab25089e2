package iree

import (
	"fmt"
	"slices"
	"strings"

	"memplan/model"
)

// dump reads the packs of a dump: each part of before with the part of after
// that follows it.
func (f *File) dump() error {
	sections := sectionsOf(f.text)
	if len(sections) == 0 {
		return fmt.Errorf(" no dump of %s in it: print the IR before and after that pass", layout)
	}
	for k := 0; k < len(sections); k++ {
		before := sections[k]
		if before.after {
			return at(f.text, before.start, "a dump after %s without one before: expected both, with --mlir-disable-threading", layout)
		}
		if k++; k == len(sections) || !sections[k].after {
			return at(f.text, before.start, "a dump before %s that none after it follows: expected both, with --mlir-disable-threading", layout)
		}
		if err := f.placedBy(before, sections[k]); err != nil {
			return err
		}
	}
	if len(f.Packs) == 0 {
		return fmt.Errorf(" no stream.resource.pack in it: the program has no transient memory")
	}
	return nil
}

// A section is one part of a dump.
type section struct {
	start, end int // of its text in the whole
	after      bool
}

// sectionsOf finds the parts that the pass was printed in.
func sectionsOf(text string) (list []section) {
	for pos := 0; ; {
		n := strings.Index(text[pos:], header)
		if k := len(list) - 1; k >= 0 && list[k].end == 0 {
			list[k].end = len(text)
			if n >= 0 {
				list[k].end = pos + n
			}
		}
		if n < 0 {
			return list
		}
		pos += n + len(header)
		head, _, _ := strings.Cut(text[pos:], "\n")
		start := pos + len(head)
		if strings.Contains(head, layout) && (strings.HasPrefix(head, "Before") || strings.HasPrefix(head, "After")) {
			list = append(list, section{start: start, after: head[0] == 'A'})
		}
		pos = start
	}
}

// placedBy reads the packs of one part of before, and the plans of the part
// after it.
func (f *File) placedBy(before, after section) error {
	source := f.text[:before.end] // so that places are those of the whole
	part := &File{text: source}
	w := newWalker(source)
	w.pos = before.start
	if err := part.packs(w); err != nil {
		return err
	}
	if len(part.Packs) == 0 {
		return nil
	}
	f.align(w.alignment)
	err := part.eachUse(before.start, func(p *Pack, result int64, t token) { p.usedAt(source[:t.start], result) })
	if err != nil {
		return err
	}
	b, a := newWalker(source), newWalker(f.text[:after.end])
	b.pos, a.pos = before.start, after.start
	plans, err := pair(b, a, part.Packs)
	if err != nil {
		f.Notes = append(f.Notes, fmt.Sprintf("%s: no plan: line %v", part.Packs[0].Function, err))
		plans = make([]*model.Plan, len(part.Packs))
	}
	for k, p := range part.Packs {
		if plans[k] != nil && slices.Contains(plans[k].Offsets, unused) {
			f.Notes = append(f.Notes, fmt.Sprintf("%s: no plan: a slice is used nowhere", p.Name()))
			plans[k] = nil
		}
	}
	f.Packs, f.plans = append(f.Packs, part.Packs...), append(f.plans, plans...)
	return nil
}

// unused is the offset of a slice that a text uses nowhere.
const unused = -1

// pair goes through a text with packs and the same one with constants for their
// results, and takes the plans from the latter. A pack whose place is not known
// may stand in both, and has no plan.
func pair(before, after *walker, packs []*Pack) ([]*model.Plan, error) {
	u := newUses(packs)
	plans := make([]*model.Plan, len(packs))
	for k, p := range packs {
		if p.Why != "" {
			continue
		}
		plans[k] = &model.Plan{Offsets: make([]int64, len(p.Slices))}
		for i := range plans[k].Offsets {
			plans[k].Offsets[i] = unused
		}
	}
	for {
		t, p, err := before.step()
		if err != nil {
			return nil, err
		}
		if p != nil && p.Why == "" {
			continue
		}
		s, q, err := after.step()
		if err != nil {
			return nil, err
		}
		if (p == nil) != (q == nil) || p == nil && t.kind != value && before.of(t) != after.of(s) || (t.kind == value) != (s.kind == value) {
			return nil, at(after.text, s.start, "%q, where line %d before it has %q: expected the same text, with constants in place of the offsets",
				after.of(s), line(before.text, t.start), before.of(t))
		}
		if t.kind == end {
			break
		}
		if p != nil {
			continue
		}
		u.see(t, before.text)
		k, i, used := u.of(t, before.text)
		if !used || i == 0 || plans[k] == nil {
			continue
		}
		n, known := after.constant(after.of(s))
		if !known {
			return nil, at(after.text, s.start, "%s is no constant: expected the offset of a slice", after.of(s))
		}
		at := &plans[k].Offsets[i-1]
		if *at != unused && *at != n {
			return nil, fmt.Errorf("%d: slice %s at %d and at %d", line(after.text, s.start), packs[k].id(int(i-1)), *at, n)
		}
		*at = n
	}
	return plans, nil
}
