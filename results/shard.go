package results

import (
	"fmt"
	"strconv"
	"strings"
)

// A Shard is one part of a run that several machines share: every Of-th case,
// beginning with number Index, counted from 0.
type Shard struct{ Index, Of int }

// ParseShard reads "I/N". Where I is left out, as in "/8", or text is empty, a
// job array says which part this is: Slurm by SLURM_ARRAY_TASK_ID, with _MIN and
// _COUNT, and a Kubernetes indexed job by JOB_COMPLETION_INDEX, which does not
// say of how many. env looks a variable up.
func ParseShard(text string, env func(string) string) (Shard, error) {
	index, of, both := strings.Cut(text, "/")
	if text != "" && !both {
		return Shard{}, fmt.Errorf("shard %q: want I/N, or /N in a job array", text)
	}
	if index == "" {
		index = arrayIndex(env)
	}
	if of == "" {
		of = env("SLURM_ARRAY_TASK_COUNT")
	}
	switch {
	case text == "" && index == "":
		return Shard{0, 1}, nil
	case index == "":
		return Shard{}, fmt.Errorf("shard %q: no job array says which part this is; want I/N", text)
	case of == "":
		return Shard{}, fmt.Errorf("this is part %s of a job array of unknown size: say --shard /N", index)
	}
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(of)
	if err1 != nil || err2 != nil || i < 0 || i >= n {
		return Shard{}, fmt.Errorf("shard %s/%s: want I/N with I from 0 to N-1", index, of)
	}
	return Shard{i, n}, nil
}

// arrayIndex is the number of the task in a job array, from 0; "" outside one.
func arrayIndex(env func(string) string) string {
	id := env("SLURM_ARRAY_TASK_ID")
	if id == "" {
		return env("JOB_COMPLETION_INDEX")
	}
	task, err1 := strconv.Atoi(id)
	first, err2 := strconv.Atoi(env("SLURM_ARRAY_TASK_MIN"))
	if err1 != nil || err2 != nil {
		return id
	}
	return strconv.Itoa(task - first)
}

// Part is the shard's part of the cases.
func (s Shard) Part(cases []Case) []Case {
	var part []Case
	for k := s.Index; k < len(cases); k += s.Of {
		part = append(part, cases[k])
	}
	return part
}
