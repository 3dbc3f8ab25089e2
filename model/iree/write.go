package iree

import (
	"fmt"
	"strings"

	"memplan/model"
)

// A Written is a pack's plan, as it is to be written: offsets of the slices, and
// the slab's size.
type Written struct {
	Plan *model.Plan // nil: the pack is left as it is
	Size int64
}

// Planned is the text with each pack that has a plan replaced by constants. All
// else stays, byte for byte.
func (f *File) Planned(plans []Written) (string, error) {
	prefix := f.prefix()
	index := make(map[*Pack]int)
	for k, p := range f.Packs {
		if plans[k].Plan != nil {
			index[p] = k
		}
	}
	var out strings.Builder
	from, next := 0, 0
	upTo := func(pos int) { // what stays; packs on the way are replaced
		for ; next < len(f.Packs) && f.Packs[next].start < pos; next++ {
			p := f.Packs[next]
			if plans[next].Plan == nil {
				continue
			}
			out.WriteString(f.text[from:p.start])
			p.constants(&out, f.text, fmt.Sprintf("%s%d_", prefix, next), plans[next])
			from = p.end
		}
		out.WriteString(f.text[from:pos])
		from = pos
	}
	err := f.eachUse(0, func(p *Pack, result int64, t token) {
		if k, planned := index[p]; planned {
			upTo(t.start)
			fmt.Fprintf(&out, "%s%d_%d", prefix, k, result)
			if from = t.end; strings.HasPrefix(f.text[from:], "#") || (&lexer{text: f.text}).name(from, true) > from {
				out.WriteByte(' ') // MLIR ends a result's number at its last digit, a name not
			}
		}
	})
	upTo(len(f.text))
	return out.String(), err
}

// prefix is what names begin with that the text does not have.
func (f *File) prefix() string {
	prefix := "%memplan"
	for strings.Contains(f.text, prefix) {
		prefix += "_"
	}
	return prefix
}

// constants writes a pack's results as constants, each on a line of its own
// where the pack has one.
func (p *Pack) constants(out *strings.Builder, text, prefix string, w Written) {
	before := text[:p.start]
	indent := before[strings.LastIndexByte(before, '\n')+1:]
	if strings.TrimLeft(indent, " \t") != "" {
		indent = ""
	}
	fmt.Fprintf(out, "%s0 = arith.constant %d : index%s", prefix, w.Size, p.location)
	for i, offset := range w.Plan.Offsets {
		fmt.Fprintf(out, "\n%s%s%d = arith.constant %d : index%s", indent, prefix, i+1, offset, p.location)
	}
}

// Placed reads back what Planned wrote: where the slices of the packs that had a
// plan are in it, by going through both texts side by side; -1 for a slice that
// nothing uses.
func (f *File) Placed(written string) ([]*model.Plan, error) {
	return pair(newWalker(f.text), newWalker(written), f.Packs)
}
