package results

import (
	"strings"

	"memplan/corpus"
	"memplan/model"
)

// Hash names the content of arenas, by their buffers. Capacities are no part of
// it: planners minimise whatever they are.
func Hash(arenas []*model.Instance) string {
	hashes := make([]string, len(arenas))
	for k, in := range arenas {
		hashes[k] = corpus.Hash(in)
	}
	return strings.Join(hashes, "+")
}
