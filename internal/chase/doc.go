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
// [Meeting] goes on from both ends of time, and keeps sets apart by the sizes that
// are live. CPU seconds of one busy core, from nothing but load and height:
//
//	optimum/load   buffers   seconds   found by
//	9/7            15        0.01      Meeting{7, 8, Live: 3, Keep: 100}
//	13/10          27        0.04      Meeting{10, 12, Live: 3, Keep: 400, Power: 2}
//	17/13          52        2.0       Meeting{13, 16, Live: 4, Least: 2, Keep: 100, Power: 2}
//	25/19          76        22        Meeting{19, 24, Live: 4, Least: 3, Keep: 100, Power: 2}
//
// No instance is above these heights, with so many buffers live at once beside one
// for an instant, which Meeting shows by keeping all (load/height): any number 3/3,
// 4/5, 5/6; five 7/9; four 6/7, 8/10; three 9/11, 12/15, 13/16, 15/19, 16/20, 17/22. So a ratio of 4/3
// does not occur at load 3, nor at 6 with four live, nor at 9 and 12 with three.
//
// Tried and not found: by Chase 7/5, 4/3 (6 to 8, 9 to 12, 12 to 16, 15 to 20) and
// 17/13; by Meeting 21/16 with five live, births of at least 3 and the best 60 (an
// instance is known), and 29/22 with four live, births of at least 4 and the best 100,
// after 332,000 sets.
package chase
