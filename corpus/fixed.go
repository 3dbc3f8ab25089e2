package corpus

import (
	_ "embed"
	"encoding/csv"
	"strconv"
	"strings"

	"memplan/model"
)

// A row is a buffer of a hand-made or found instance.
type row struct{ start, end, size int64 }

// sixFits is meant to break every one-pass rule at once: first and best fit by
// size, area, life and start all need 15 where optimum = load = 10.
var sixFits = []row{{0, 4, 2}, {1, 2, 5}, {4, 5, 6}, {3, 5, 4}, {2, 3, 3}, {0, 4, 3}}

// sevenAbove is meant to break whoever takes the load for the optimum: load 4,
// optimum 5. Package smallest shows that no smaller instance is above its load,
// by number of buffers and then by total size, and that 5/4 is the largest ratio
// of optimum to load for 7 buffers and for 8.
var sevenAbove = []row{{0, 1, 2}, {0, 2, 2}, {1, 3, 1}, {1, 4, 1}, {2, 4, 1}, {3, 5, 2}, {4, 5, 2}}

// sevenTwins is the other shape of 7 buffers that can be above its load, with
// the sizes of the largest ratio, 5/4.
var sevenTwins = []row{{0, 1, 3}, {0, 3, 1}, {1, 2, 2}, {1, 4, 1}, {2, 5, 1}, {3, 4, 2}, {4, 5, 3}}

// eightAbove is an instance of load 4 and optimum 5 that is sevenAbove with one
// buffer more: it was thought to be the smallest.
var eightAbove = []row{{0, 1, 2}, {0, 2, 2}, {1, 3, 1}, {2, 3, 1}, {2, 4, 1}, {1, 4, 1}, {3, 5, 2}, {4, 5, 2}}

// nineSevenths is load 7 and optimum 9 with 15 buffers: the optimum can be more
// than 5/4 of the load. Found and proven by package chase.
var nineSevenths = []row{
	{0, 3, 2}, {0, 1, 5}, {1, 4, 2}, {1, 2, 3}, {2, 7, 2}, {3, 5, 3}, {4, 9, 1}, {5, 6, 4},
	{6, 11, 2}, {7, 8, 4}, {8, 10, 3}, {9, 12, 2}, {10, 13, 2}, {11, 12, 3}, {12, 13, 5},
}

// thirteenTenths is load 10 and optimum 13. Found and proven by package chase.
var thirteenTenths = []row{
	{0, 3, 3}, {0, 1, 7}, {1, 4, 3}, {1, 2, 4}, {2, 8, 3}, {3, 5, 4}, {4, 7, 2}, {5, 6, 5},
	{6, 8, 3}, {7, 11, 4}, {8, 9, 6}, {9, 15, 1}, {10, 13, 3}, {11, 12, 6}, {12, 15, 3}, {13, 14, 6},
	{14, 17, 4}, {15, 16, 6}, {16, 18, 3}, {16, 23, 3}, {17, 19, 3}, {18, 20, 4}, {19, 24, 2}, {20, 21, 5},
	{22, 26, 4}, {23, 24, 4}, {24, 25, 6}, {25, 27, 3}, {25, 28, 3}, {26, 28, 3}, {27, 29, 4}, {28, 29, 6},
}

// seventeenThirteenths is load 13 and optimum 17. Found and proven by package chase.
var seventeenThirteenths = []row{
	{0, 1, 9}, {0, 3, 4}, {1, 2, 5}, {1, 5, 4}, {2, 11, 4}, {4, 7, 5}, {6, 9, 3}, {7, 8, 6},
	{8, 12, 4}, {10, 15, 5}, {12, 13, 8}, {13, 27, 2}, {14, 17, 4}, {15, 16, 7}, {16, 20, 4}, {17, 18, 7},
	{18, 25, 3}, {19, 22, 4}, {21, 28, 3}, {22, 23, 5}, {23, 33, 2}, {25, 26, 6}, {26, 31, 4}, {27, 28, 4},
	{28, 29, 7}, {29, 30, 5}, {29, 34, 2}, {30, 35, 2}, {31, 32, 7}, {32, 38, 5}, {33, 34, 4}, {34, 35, 6},
	{35, 36, 8}, {36, 40, 4}, {37, 46, 4}, {39, 42, 3}, {40, 41, 6}, {41, 44, 5}, {43, 47, 4}, {45, 48, 4},
	{46, 47, 5}, {47, 48, 9},
}

// twentyOneSixteenths is load 16 and optimum 21. Found and proven by package chase.
var twentyOneSixteenths = []row{
	{0, 1, 11}, {0, 3, 5}, {1, 2, 6}, {1, 5, 5}, {2, 12, 5}, {4, 7, 6}, {6, 9, 4}, {7, 8, 7},
	{8, 11, 5}, {10, 15, 6}, {12, 13, 10}, {13, 17, 3}, {14, 20, 5}, {15, 16, 8}, {16, 19, 5}, {18, 24, 6},
	{20, 21, 10}, {21, 22, 8}, {21, 26, 2}, {22, 23, 5}, {22, 27, 3}, {23, 46, 2}, {24, 25, 9}, {25, 30, 5},
	{26, 27, 6}, {27, 28, 9}, {28, 39, 4}, {29, 32, 5}, {31, 34, 4}, {32, 33, 6}, {33, 36, 3}, {35, 41, 7},
	{37, 47, 2}, {40, 43, 5}, {42, 45, 5}, {43, 44, 7}, {44, 50, 6}, {46, 47, 8}, {47, 48, 10}, {48, 54, 5},
	{49, 52, 5}, {51, 55, 3}, {52, 53, 8}, {53, 58, 6}, {55, 56, 10}, {56, 66, 5}, {57, 60, 5}, {59, 62, 4},
	{60, 61, 7}, {61, 64, 6}, {63, 67, 5}, {65, 68, 5}, {66, 67, 6}, {67, 68, 11},
}

// twentyFiveNineteenths is load 19 and optimum 25. Proven by package chase, which finds
// one of 73 buffers.
var twentyFiveNineteenths = []row{
	{0, 1, 13}, {0, 3, 6}, {1, 2, 7}, {1, 4, 6}, {2, 8, 6}, {3, 5, 7}, {4, 7, 5}, {5, 6, 8},
	{6, 8, 6}, {7, 11, 7}, {8, 9, 12}, {9, 13, 4}, {10, 14, 6}, {11, 12, 9}, {12, 14, 6}, {13, 18, 7},
	{14, 15, 12}, {15, 16, 9}, {15, 19, 3}, {16, 17, 6}, {16, 21, 3}, {17, 22, 3}, {18, 19, 10}, {19, 20, 13},
	{20, 21, 7}, {20, 26, 6}, {21, 22, 10}, {22, 23, 13}, {23, 24, 9}, {23, 28, 4}, {24, 25, 6}, {24, 47, 3},
	{25, 32, 3}, {26, 27, 9}, {27, 30, 7}, {28, 29, 6}, {29, 33, 5}, {30, 31, 8}, {31, 35, 6}, {32, 33, 5},
	{33, 34, 10}, {34, 38, 6}, {35, 36, 10}, {36, 39, 7}, {37, 48, 3}, {38, 41, 4}, {39, 40, 9}, {40, 43, 6},
	{41, 42, 7}, {42, 45, 6}, {43, 44, 7}, {44, 49, 3}, {45, 46, 10}, {46, 52, 7}, {47, 48, 6}, {48, 49, 9},
	{49, 50, 12}, {50, 55, 6}, {51, 53, 6}, {52, 55, 4}, {53, 54, 9}, {54, 58, 7}, {55, 56, 12}, {56, 63, 6},
	{57, 59, 6}, {58, 61, 5}, {59, 60, 8}, {60, 62, 7}, {61, 64, 6}, {62, 65, 6}, {63, 64, 7}, {64, 65, 13},
}

// twentyNineTwentySeconds is load 22 and optimum 29, the largest ratio known to us.
// Found and proven by package chase.
var twentyNineTwentySeconds = []row{
	{0, 1, 15}, {0, 3, 7}, {1, 2, 8}, {1, 5, 7}, {2, 11, 7}, {4, 7, 8}, {6, 9, 6}, {7, 8, 9},
	{8, 12, 7}, {10, 15, 8}, {12, 13, 14}, {13, 17, 5}, {14, 20, 7}, {15, 16, 10}, {16, 19, 7}, {18, 23, 8},
	{20, 21, 14}, {21, 25, 4}, {22, 28, 7}, {23, 24, 11}, {24, 27, 7}, {26, 32, 8}, {28, 29, 14}, {29, 30, 11},
	{29, 34, 3}, {30, 31, 7}, {30, 35, 4}, {31, 54, 3}, {32, 33, 12}, {33, 38, 7}, {34, 35, 8}, {35, 36, 12},
	{36, 46, 5}, {37, 40, 7}, {39, 42, 5}, {40, 41, 9}, {41, 44, 5}, {43, 49, 9}, {45, 55, 3}, {48, 51, 7},
	{50, 53, 7}, {51, 52, 9}, {52, 58, 8}, {54, 55, 11}, {55, 56, 14}, {56, 62, 7}, {57, 60, 7}, {59, 63, 4},
	{60, 61, 11}, {61, 66, 8}, {63, 64, 14}, {64, 70, 7}, {65, 68, 7}, {67, 71, 5}, {68, 69, 10}, {69, 74, 8},
	{71, 72, 14}, {72, 76, 7}, {73, 82, 7}, {75, 78, 6}, {76, 77, 9}, {77, 80, 8}, {79, 83, 7}, {81, 84, 7},
	{82, 83, 8}, {83, 84, 15},
}

// sixOperators is a transformer example, T0 to T7 over six operators, sizes in
// units of 2^20: the caller's input T0 is split into T1 and T2, which give T3,
// and T3 waits as the residual while T4 and T5 are made. It is meant to break
// colouring into pools whose capacity does not grow with a new tenant, which
// reports 320 MB in 3 pools where 384 MB are live at once; done right, greedy
// colouring needs 3 pools of 128 MB, 57.14 % less than the 896 MB of all
// buffers, and the load proves it optimal.
//
// Sizes, number of operators, pools and peak are as published; the lifetimes
// are not known, and are chosen here so that all of these follow: closed
// [0,0] [0,1] [0,1] [1,4] [2,3] [3,4] [4,5] [5,5].
var sixOperators = []row{
	{0, 1, 128 << 20}, {0, 2, 64 << 20}, {0, 2, 64 << 20}, {1, 5, 128 << 20},
	{2, 4, 128 << 20}, {3, 5, 128 << 20}, {4, 6, 128 << 20}, {5, 6, 128 << 20},
}

// listed makes an instance of rows as they stand, named prefix0, prefix1, ...
func listed(prefix string, rows []row) *model.Instance {
	in := &model.Instance{Buffers: make([]model.Buffer, len(rows))}
	for i, r := range rows {
		in.Buffers[i] = model.Buffer{ID: layer(prefix, i), Life: model.Interval{Start: r.start, End: r.end}, Size: r.size}
	}
	return in
}

// worst holds the instances on which each planner was found to be worst, by
// package adversary: planner, start, end, size.
//
//go:embed worst.csv
var worst string

// worstFamilies is a family for each planner in worst, in its order.
var worstFamilies = readWorst(worst)

// readWorst panics on a fault: the list is part of the program.
func readWorst(text string) []Family {
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		panic(err)
	}
	var families []Family
	var rows []row
	for k, r := range records[1:] {
		var n [3]int64
		for j, field := range r[1:] {
			if n[j], err = strconv.ParseInt(field, 10, 64); err != nil {
				panic(err)
			}
		}
		rows = append(rows, row{n[0], n[1], n[2]})
		if k+2 == len(records) || records[k+2][0] != r[0] {
			families = append(families, Family{"worst-" + r[0], nil, "the worst found for " + r[0] + " by the adversary", unknown, literal("b", rows), nil})
			rows = nil
		}
	}
	return families
}
