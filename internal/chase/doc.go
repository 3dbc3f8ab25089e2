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
// [Meeting] looks for such deaths and births from both ends of time. CPU seconds of
// one busy core, from nothing but load and height, over seeds 1 to 10:
//
//	optimum/load   found   least  median  most   buffers   by
//	9/7            10      0.00   0.00    0.00   15        Meeting{7, 8, Live: 3, Keep: 100}
//	13/10          10      0.02   0.03    0.03   27        Meeting{10, 12, Live: 3, Keep: 100}
//	17/13          10      0.9    1.0     1.2    42        Meeting{13, 16, Live: 4, Least: 2, Keep: 100}
//
// Without a seed: 21/16 by Meeting{16, 20, Live: 4, Least: 2, Keep: 100} in 8 seconds,
// and 29/22 by Meeting{22, 28, Live: 4, Least: 3, Keep: 100} in 37, after 1,024,101 sets.
//
// No instance is above these heights, with so many buffers live at once beside one
// for an instant, which Meeting shows by keeping all (load/height): any number 3/3,
// 4/5, 5/6; five 7/9; four 6/7, 8/10; three 9/11, 12/15, 13/16, 15/19, 16/20, 17/22,
// 19/24, 20/26, 23/29 (1,014,460 sets, 7 seconds). So a ratio of 4/3 does not occur at
// load 3, nor at 6 with four live, nor at 9 and 12 with three.
//
// Tried and not found: 7/5 and 4/3, the latter at loads from 6 to 15.
package chase
