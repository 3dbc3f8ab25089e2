package main

import (
	"memplan/model"
	"memplan/results"
)

// verdict is the exit status that an outcome deserves. A solver's word decides
// nothing unless it is to be taken. Where it is no, the source has the ways out.
func verdict(e *env, src *source, out results.Outcome, o *planFlags) error {
	for i, in := range src.task.Arenas {
		res := out.Results[i]
		proven := o.proven(res)
		switch {
		case in.Capacity > 0 && proven.Bound > in.Capacity && src.byWord() && !o.acceptSolver:
			return fail(exitLimit, "%s: undecided: that no other choice of memory spaces fits is HiGHS's word; --accept-solver takes it", in.Name)
		case in.Capacity > 0 && proven.Bound > in.Capacity && !src.undecided():
			src.waysOut = e.otherwise(src, o)
			return fail(exitNo, "%s does not fit: at least %d bytes are needed (proof: %s), the capacity is %s, %d short%s",
				in.Name, proven.Bound, proven.Proof, src.capacity(in), proven.Bound-in.Capacity, obstacle(in, res)+src.alone()+toldWays(src.waysOut))
		case in.Capacity > 0 && res.Bound > in.Capacity && !src.undecided():
			return fail(exitLimit, "%s: undecided: that at least %d bytes are needed is HiGHS's word, the capacity is %s; --accept-solver takes it",
				in.Name, res.Bound, src.capacity(in))
		case res.Plan == nil:
			return fail(exitLimit, "%s: no plan within the limit; no peak is below %d bytes", in.Name, res.Bound)
		case in.Capacity > 0 && res.Plan.Peak(in) > in.Capacity:
			return fail(exitLimit, "%s: undecided: the best plan takes %d bytes, the capacity is %s, and the bound is %d",
				in.Name, res.Plan.Peak(in), src.capacity(in), res.Bound)
		}
	}
	switch m := out.Record.Moved; {
	case m != nil && m.Least != nil && *m.Least < m.Bytes:
		return fail(exitLimit, "not known to move the fewest bytes: %s", moved(m))
	case e.ctx.Err() != nil && out.Record.Status != model.Optimal.String():
		return fail(exitLimit, "interrupted: %s", summary(&out.Record))
	case o.requireOptimal && out.Record.Status != model.Optimal.String():
		return fail(exitLimit, "not proven optimal: %s", summary(&out.Record))
	case o.requireOptimal && out.Record.Proof == model.ProofMIP && !o.acceptSolver:
		return fail(exitLimit, "not proven optimal: that no peak is below %d is HiGHS's word; --accept-solver takes it", out.Record.Bound)
	}
	return nil
}

// proven is the certificate that an outcome is judged by.
func (o *planFlags) proven(res model.Result) *model.Certificate {
	if o.acceptSolver || res.Proven == nil {
		return res.Certificate
	}
	return res.Proven
}
