package heuristics

import "memplan/model"

// All lists every planner of the package, in a fixed order. Each also has a
// method Definition() string, one line.
func All() []model.Planner {
	return append(onePass(), ChooseBest{}, xlaChooseBest, TVMHillClimb{}, VelaHillClimb{}, Multistart{}, IteratedLocalSearch{}, Tabu{})
}

// onePass lists the planners that look at each body once.
func onePass() []model.Planner {
	list := []model.Planner{
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
