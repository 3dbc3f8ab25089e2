package graph

import (
	"errors"
	"strconv"

	"memplan/model"
)

// A Fault is one thing wrong with one tensor or operator of a graph.
// Readers add the file and the line that it came from.
type Fault struct {
	Tensor, Op int // index; -1 where the fault is not about one
	Msg        string
}

func (f *Fault) Error() string { return f.Msg }

func quoted(id string) string { return strconv.Quote(id) }

// Report records the faults of a graph; the functions tell where a tensor and
// an operator came from.
func (g *Graph) Report(f *model.Faults, tensor, op func(int) int) {
	f.Record(g.Validate(), func(err error) int {
		var fault *Fault
		switch {
		case !errors.As(err, &fault):
			return 0
		case fault.Tensor >= 0:
			return tensor(fault.Tensor)
		case fault.Op >= 0:
			return op(fault.Op)
		}
		return 0
	})
}
