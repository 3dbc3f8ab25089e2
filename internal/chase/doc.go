// Package chase makes small instances whose optimum is far above their load, and
// proves it.
//
// It follows all plans at once. At any step, what matters of a plan for the
// steps to come is its arrangement: where the live buffers are. So keep the set
// of the arrangements of all plans whose peak is within a height. A death takes
// the buffer out of each; a birth puts it into each in every way there is room.
// When a birth leaves no arrangement at all, no plan is within the height: the
// buffers so far are an instance whose optimum is above it, and the sets are the
// proof ([Fits] repeats it for any instance).
//
// [Chase] looks for the deaths and births that make the set vanish while the
// live bytes stay within the load: a beam search, steered by how small a share
// is left of the arrangements that the live buffers could have. With load =
// height = 4 it finds the smallest instance there is (package smallest) at once.
//
// Found so far: load 7 and optimum 9 with 15 buffers, load 10 and optimum 13 with
// 32. So the optimum can be more than 5/4 of the load, which was the largest
// ratio known to us; up to 8 buffers it cannot. Tried and not found: 7/5, 4/3 (6
// to 8, 9 to 12, 12 to 16, 15 to 20), 17/13.
package chase
