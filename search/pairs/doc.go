// Package pairs plans instances with pairs: buffers that may share bytes.
//
//   - Planner asks any planner that knows nothing of pairs: equal pairs are merged
//     first, all of them, those of equal sizes, or none, and the best plan counts.
//   - Finder looks for plans: first fit, in orders that a local search improves.
//   - Engine proves bounds, and is complete: it decides pair after pair how the two
//     lie, in windows of growing width and at last in the whole.
//   - Relaxed lends an engine for plain instances: its bounds hold whatever is
//     shared, see model.Instance.Relaxed.
//
// Two buffers in conflict lie one below the other, or share as a pair says: each
// way is a range for the difference of their offsets, so the decisions so far
// are a system of difference constraints, and the least offsets that satisfy it,
// longest paths, are a plan once all are decided. First fit is complete for
// leads: the buffers in order of offset, at equal offsets the later born first,
// each as low as those before it let it; it is not for equal pairs, of which
// merging two is a decision of its own.
//
// Source of the constraints: Dechter, Meiri and Pearl, "Temporal constraint
// networks", Artificial Intelligence 49 (1991), doi:10.1016/0004-3702(91)90006-6.
package pairs
