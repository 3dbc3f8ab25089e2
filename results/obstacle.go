package results

import (
	"memplan/model"
	"memplan/search/learning"
	"memplan/verify"
)

// obstacleWork is what may be spent on leaving out buffers that do not matter, in
// units of about a microsecond.
const obstacleWork = 2_000_000

// Obstacle is a refutation of in's capacity over few buffers, made of the
// certificate of a bound above it, and whether none of them can be left out; nil
// where nobody knows one. It is verified like any other proof.
func Obstacle(in *model.Instance, c *model.Certificate) (r *model.Refutation, minimal bool) {
	if c == nil {
		return nil, false
	}
	r = c.Refutation
	if r == nil || r.Tree == nil {
		r, minimal = learning.Obstacle(in.Relaxed(), c, in.Capacity, obstacleWork)
	}
	if r == nil || verify.Refutation(in, r) != nil {
		return nil, false
	}
	return r, minimal
}
