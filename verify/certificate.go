package verify

import (
	"errors"
	"fmt"

	"memplan/model"
)

// ErrWord is what Certificate returns for a bound that a solver vouches for
// without a proof: it may be reported as such, but not as checked.
var ErrWord = errors.New("the bound rests on a solver's word; there is no proof to replay")

// Certificate checks that c proves what it says of in: that no plan of in has
// a peak below c.Bound, with capacity left aside. It returns nil when the
// proof holds, ErrWord when there is none to replay, and otherwise an error
// that says where the proof fails.
//
// Exact. Proofs by search are replayed with the rules of PROOFS.md. Cost: that
// of the proof; O(n log n) for the load.
func Certificate(in *model.Instance, c *model.Certificate) error {
	switch {
	case c.Bound < 0:
		return fmt.Errorf("the bound %d is negative", c.Bound)
	case c.Proof == model.ProofNone && c.Bound == 0:
		return nil
	case c.Proof == model.ProofNone:
		return fmt.Errorf("the bound %d comes without a proof", c.Bound)
	case c.Proof == model.ProofLoad:
		return load(in, c)
	case c.Proof == model.ProofMIP:
		return ErrWord
	case c.Proof == model.ProofSearch && c.Refutation == nil:
		return errors.New("the refutation is missing")
	case c.Proof == model.ProofSearch && c.Refutation.Height < c.Bound-1:
		return fmt.Errorf("peaks up to %d are refuted, which does not make %d a bound", c.Refutation.Height, c.Bound)
	case c.Proof == model.ProofSearch:
		return Refutation(in, c.Refutation)
	}
	return fmt.Errorf("unknown kind of proof %q", c.Proof)
}

// load checks that what is live at the step takes so many bytes.
func load(in *model.Instance, c *model.Certificate) error {
	var live []int
	for i := range in.Buffers {
		for _, part := range parts(&in.Buffers[i]) {
			if part.Start <= c.Step && c.Step < part.End && in.Buffers[i].Size > 0 {
				live = append(live, i)
			}
		}
	}
	left := c.Bound
	if of := pairsOf(in); len(of) > 0 {
		left -= min(left, weight(asListed{in, of}, live))
		live = nil
	}
	for _, i := range live {
		left -= min(left, in.Buffers[i].Size)
	}
	if left > 0 {
		return fmt.Errorf("%d bytes are live at step %d, not %d", c.Bound-left, c.Step, c.Bound)
	}
	return nil
}

// Refutation replays a proof that the buffers it names, clipped to its window,
// have no plan with a peak of at most its height. nil: the proof holds. Where it
// has no hints they are found first, at the cost of a search.
func Refutation(in *model.Instance, r *model.Refutation) error {
	if len(r.Tree) > 0 {
		return tree(in, r)
	}
	in = relaxed(in)
	s, err := newScene(in, r)
	if err != nil {
		return err
	}
	for k, lemma := range r.Lemmas {
		if err := s.claims(lemma); err != nil {
			return fmt.Errorf("lemma %d: %w", k+1, err)
		}
	}
	t := newTheory(s)
	if r.Hints == nil {
		return unhinted(t, r.Lemmas)
	}
	if len(r.Hints.Steps) != len(r.Lemmas)+1 {
		return fmt.Errorf("%d lists of steps for %d lemmas and the end", len(r.Hints.Steps), len(r.Lemmas))
	}
	if err := t.assemble(r.Lemmas, r.Hints.Cliques); err != nil {
		return err
	}
	for k, steps := range r.Hints.Steps {
		if err := t.admit(k, steps); err != nil {
			return err
		}
	}
	for k, steps := range r.Hints.Steps {
		if refuted, err := t.prove(k, steps); refuted || err != nil {
			return err
		}
	}
	return nil
}
