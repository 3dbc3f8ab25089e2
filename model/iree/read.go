package iree

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"memplan/model"
)

// defaultAlign is the alignment where the text gives none, bytes.
const defaultAlign = 64

// A File is the text of a module before its slices are placed, or a dump of
// before and after.
type File struct {
	Packs []*Pack
	Align int64 // of offsets and of reserved sizes, bytes
	Dump  bool  // of before and after
	Notes []string

	text  string
	plans []*model.Plan // IREE's, of each pack; nil where it is not known
}

const (
	header = "// -----// IR Dump "
	layout = "iree-stream-layout-slices"
)

// Is reports whether data may be such a text.
func Is(data []byte) bool {
	return bytes.Contains(data, []byte(header)) || bytes.Contains(data, []byte(" = stream.resource.pack "))
}

// Read reads a module or a dump; name stands in messages. It never panics; its
// memory is in proportion to the packs, beside the text itself.
// Cost: O(n) for n bytes, and for IREE's layout O(s^2) for s slices of a pack.
func Read(r io.Reader, name string) (*File, error) {
	var text strings.Builder
	if _, err := io.Copy(&text, r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f := &File{text: text.String()}
	read := f.module
	if f.Dump = strings.Contains(f.text, header); f.Dump {
		read = f.dump
	}
	err := read()
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	return f, nil
}

// module reads a module, in which IREE's layout is to be replayed.
func (f *File) module() error {
	w := newWalker(f.text)
	if err := f.packs(w); err != nil {
		return err
	}
	f.align(w.alignment)
	if err := f.uses(); err != nil {
		return err
	}
	if len(f.Packs) == 0 {
		return fmt.Errorf(" no stream.resource.pack in it: expected a module as iree-opt prints it after --iree-stream-schedule-allocation, or a dump of %s", layout)
	}
	f.Notes = append(f.Notes, "IREE's own plan is not in the text: it is replayed, as IREE 3.13 makes it")
	f.plans = make([]*model.Plan, len(f.Packs))
	for k, p := range f.Packs {
		f.plans[k] = p.greedy(f.Align)
	}
	return nil
}

// packs reads a text's packs.
func (f *File) packs(w *walker) error {
	for {
		t, p, err := w.step()
		switch {
		case err != nil:
			return err
		case p != nil:
			f.Packs = append(f.Packs, p)
		case t.kind == end:
			if len(w.regions) > 1 {
				return at(w.text, w.regions[len(w.regions)-1].open, "a brace that is never closed")
			}
			return nil
		}
	}
}

// align takes the alignment that a text gives.
func (f *File) align(given int64) {
	if f.Align == 0 {
		f.Align = defaultAlign
	}
	if given > 0 {
		f.Align = given
	}
}

// Realign has offsets and sizes be multiples of an alignment other than the
// text's; those of the text's own have to be.
func (f *File) Realign(align int64) error {
	if align < 1 || align&(align-1) != 0 {
		return fmt.Errorf("alignment %d: want a power of two", align)
	}
	f.Align = align
	for k, p := range f.Packs {
		f.plans[k] = p.greedy(align)
	}
	return nil
}

// IREE is where IREE itself puts the slices of pack k; nil where it does not at
// compile time.
func (f *File) IREE(k int) *model.Plan { return f.plans[k] }

// Found lists the packs of transient memory as arenas, with IREE's plans, the
// sizes as they are in the text. The memory of results, which lives throughout,
// is left out.
func (f *File) Found(name string) (list []model.Found, notes []string) {
	notes = f.Notes
	left := 0
	for k, p := range f.Packs {
		if p.Kind != "transient" && p.Kind != "" {
			left++
			continue
		}
		in, err := p.Instance(name, f.Align, false)
		if err != nil {
			notes = append(notes, fmt.Sprintf("left out: %v", err))
			continue
		}
		list = append(list, model.Found{Instance: in, Plan: f.plans[k]})
		if len(list) > 1 || f.transients() > 1 {
			in.Name = name + "/" + p.Name()
		}
	}
	if left > 0 {
		notes = append(notes, fmt.Sprintf("%d slabs of other memory than transient are left out", left))
	}
	return list, notes
}

func (f *File) transients() (n int) {
	for _, p := range f.Packs {
		if p.Kind == "transient" || p.Kind == "" {
			n++
		}
	}
	return n
}
