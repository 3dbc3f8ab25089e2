package heuristics

import "memplan/model"

// A Planner is one of this package. The zero value of each is its documented
// default.
type Planner interface {
	model.Planner
	Definition() string // order and rule of fit, in one line
}

// A Seeded planner draws: what it gives depends on a seed.
type Seeded interface {
	Planner
	WithSeed(seed int64) Planner // the same planner with this seed
}

// All lists every planner of the package, in a fixed order.
func All() []Planner {
	return append(onePass(), ChooseBest{}, xlaChooseBest, TVMHillClimb{}, VelaHillClimb{}, Multistart{}, IteratedLocalSearch{}, Tabu{})
}

// onePass lists the planners that look at each body once.
func onePass() []Planner {
	list := []Planner{
		NoReuse{},
		GreedyColouring{},
		Online{},
		Online{Fit: BestFit},
		Decreasing{},
		Decreasing{Ties: EarlierBirth},
		Decreasing{Fit: BestFit},
	}
	for _, fit := range []Fit{FirstFit, BestFit} {
		list = append(list, ByArea{fit}, ByDuration{fit}, ByBirth{fit}, ByDeath{fit}, ByConflicts{fit}, ByContention{fit})
	}
	return append(list, Breadth{}, TwoTier{}, TFLMGreedy{}, TVMBySize{}, TVMByConflicts{}, VelaGreedy{}, Spatial{}, Temporal{},
		SharedBySize{}, SharedByBreadth{}, SharedByClosestSize{}, SizeClassColouring{}, SizeClassColouring{Granularity: 1}, Skyline{}, Gergov{}, Boxing{})
}
