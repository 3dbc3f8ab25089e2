package csv

import (
	"slices"
	"strings"

	"memplan/model"
)

// lives reads when the current row's buffer is live: by steps, or by clocks, and
// in which arms.
func (rd *reader) lives(b *model.Buffer, w *model.When) {
	w.Arms = rd.arms()
	b.Gaps = rd.gaps()
	if rd.clocked() {
		w.Start, w.End = rd.clock(colLower), rd.clock(colUpper)
		return
	}
	b.Life = model.Interval{Start: rd.number(colLower, nil), End: rd.upper()}
}

// clocked reports whether the current row has clocks: numbers with colons.
func (rd *reader) clocked() bool {
	lower, _ := rd.cell(colLower)
	upper, _ := rd.cell(colUpper)
	return strings.Contains(lower, ":") || strings.Contains(upper, ":")
}

func (rd *reader) clock(c column) (clock []int64) {
	if !rd.head.has(c) {
		rd.fault("clocks need a column %v", c)
		return nil
	}
	text, _ := rd.cell(c)
	for word := range strings.SplitSeq(strings.TrimSpace(text), ":") {
		n, err := parse(word)
		if err != nil {
			rd.fault("%v %q: %v", c, text, err)
			break
		}
		clock = append(clock, n)
	}
	return clock
}

// arms reads GROUP=ARM, several with blanks between.
func (rd *reader) arms() (arms []model.Arm) {
	text, _ := rd.cell(colExclusive)
	for word := range strings.FieldsSeq(text) {
		group, name, ok := strings.Cut(word, "=")
		switch {
		case !ok || group == "" || name == "":
			rd.fault("exclusive %q is not GROUP=ARM", word)
		case slices.ContainsFunc(arms, func(a model.Arm) bool { return a.Group == group }):
			rd.fault("exclusive: group %q twice", group)
		default:
			arms = append(arms, model.Arm{Group: group, Name: name})
		}
	}
	return arms
}
