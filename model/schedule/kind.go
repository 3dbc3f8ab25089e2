package schedule

import "fmt"

// Kind names a way to order the operators.
type Kind int

const (
	Given      Kind = iota // the graph's schedule, else its order of operators where that is one, else Kahn
	Kahn                   // whatever is ready, the lowest index first
	DepthFirst             // depth first from the outputs: each operator right after its operands
	Memory                 // whatever is ready and leaves the fewest live bytes, greedily
	Optimal                // the least load, by exact search
)

func (k Kind) String() string {
	return [...]string{"given", "kahn", "dfs", "memory", "optimal"}[k]
}

// Parse finds a kind by its name.
func Parse(name string) (Kind, error) {
	for k := Given; k <= Optimal; k++ {
		if k.String() == name {
			return k, nil
		}
	}
	return 0, fmt.Errorf("schedule %q: want given, kahn, dfs, memory or optimal", name)
}

// A Found tells how a schedule was found. Bytes are those of all spaces
// together, without reserved ranges.
type Found struct {
	Kind   Kind
	Load   int64 // of the instance
	Bound  int64 // no schedule has a smaller load; 0 where none was sought
	States int   // that the search visited
}

// Proven reports whether no schedule has a smaller load.
func (s Found) Proven() bool { return s.Bound > 0 && s.Load == s.Bound || s.Load == 0 }
