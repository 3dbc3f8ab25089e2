package tflite

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// ScratchFromLog takes the scratch of the kernels that a device really has from
// what TFLM prints there (MicroMemoryPlanner::PrintMemoryPlan, built with
// TF_LITE_SHOW_MEMORY_USE): lines such as
//
//   - (id=31): size=1536, offset=55296, first_used=4 last_used=4
//
// Other lines are skipped; of several plans the last counts. The first ids are
// the model's tensors, which must have the model's sizes, the others scratch.
func (f *File) ScratchFromLog(log io.Reader) (Scratch, error) {
	lines, err := readLog(log)
	if err != nil {
		return nil, err
	}
	none := make(Scratch, len(f.Subgraphs))
	for s := range none {
		none[s] = make([][]int64, len(f.Subgraphs[s].Ops))
	}
	a, err := f.Arena(Options{Scratch: none})
	if err != nil {
		return nil, err
	}
	tensors := 0
	for i := range a.Apart.Buffers {
		size := a.Apart.Buffers[i].Size
		if size == 0 {
			continue
		}
		if tensors >= len(lines) || lines[tensors].size != size {
			return nil, fmt.Errorf("the log is of another model: its tensor number %d is not of %d bytes as %q", tensors, size, a.Apart.Buffers[i].ID)
		}
		tensors++
	}
	for id, l := range lines[tensors:] {
		if l.first < 0 || l.first >= int64(len(a.ops)) || a.ops[l.first][0] == absent {
			return nil, fmt.Errorf("the log is of another model: no operator runs at step %d, where id %d is used", l.first, tensors+id)
		}
		at := a.ops[l.first]
		none[at[0]][at[1]] = append(none[at[0]][at[1]], l.size)
	}
	return none, nil
}

// A logLine is a buffer of a logged plan.
type logLine struct{ size, first int64 }

// readLog reads the last plan of a log, by id.
func readLog(log io.Reader) ([]logLine, error) {
	var lines []logLine
	scan := bufio.NewScanner(log)
	for scan.Scan() {
		var mark string
		var id, size, offset, first, last int64
		n, _ := fmt.Sscanf(scan.Text(), "%1s (id=%d): size=%d, offset=%d, first_used=%d last_used=%d", &mark, &id, &size, &offset, &first, &last)
		if n != 6 {
			continue
		}
		if id == 0 {
			lines = lines[:0]
		}
		if id != int64(len(lines)) || size < 0 {
			return nil, fmt.Errorf("the log's id %d is out of order, or its size %d is", id, size)
		}
		lines = append(lines, logLine{size, first})
	}
	if err := scan.Err(); err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, errors.New("the log has no memory plan")
	}
	return lines, nil
}
