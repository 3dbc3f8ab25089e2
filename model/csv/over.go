package csv

import (
	"fmt"
	"strings"

	"memplan/model"
)

// over resolves the pairs of an instance whose rows have all been read.
func (rd *reader) over(in *model.Instance, overs []tie) {
	find := model.NewFinder(in)
	for _, t := range overs {
		pairs, err := pairsOf(t.text, t.buffer, find)
		if err != nil {
			rd.faults.At(t.line, "buffer %q: %v", in.Buffers[t.buffer].ID, err)
			continue
		}
		in.Pairs = append(in.Pairs, pairs...)
	}
}

// pairsOf reads what a buffer may lie over. An id may hold blanks: words are
// put together until one ends in a distance.
func pairsOf(text string, over int, find *model.Finder) (pairs []model.Pair, err error) {
	start := 0
	for at := 0; at <= len(text); at++ {
		if at < len(text) && text[at] != ' ' && text[at] != '\t' {
			continue
		}
		word := strings.Trim(text[start:at], " \t")
		if at < len(text) && !whole(word) {
			continue
		}
		start = at
		if word == "" {
			continue
		}
		sign := strings.LastIndexAny(word, "+=")
		if sign < 0 {
			return nil, fmt.Errorf("over %q is not X+LEAD or X=DISTANCE", word)
		}
		under, known := find.Buffer(word[:sign])
		distance, err := parse(word[sign+1:])
		switch {
		case err != nil:
			return nil, fmt.Errorf("over %q: %w", word, err)
		case !known:
			return nil, fmt.Errorf("over %q, which no row without faults has", word[:sign])
		}
		pairs = append(pairs, model.Pair{Over: over, Under: under, Distance: distance, Equal: word[sign] == '='})
	}
	return pairs, nil
}

// whole reports whether a word ends in a distance.
func whole(word string) bool {
	end := strings.TrimRight(word, "0123456789")
	return len(end) < len(word) && strings.HasSuffix(strings.TrimSuffix(end, "-"), "+") ||
		len(end) < len(word) && strings.HasSuffix(strings.TrimSuffix(end, "-"), "=")
}

// oversOf writes what each buffer may lie over.
func oversOf(in *model.Instance) []string {
	texts := make([]string, len(in.Buffers))
	for _, p := range in.Pairs {
		sign := "+"
		if p.Equal {
			sign = "="
		}
		text := fmt.Sprint(in.Buffers[p.Under].ID, sign, p.Distance)
		if texts[p.Over] != "" {
			text = texts[p.Over] + " " + text
		}
		texts[p.Over] = text
	}
	return texts
}
