package main

import (
	"fmt"
	"strings"
)

// reservations names the reserved ranges of all memory spaces.
func (s *source) reservations() string {
	var list []string
	if s.graph == nil {
		return ""
	}
	for _, space := range s.graph.Graph.Spaces {
		for _, r := range space.Reserved {
			list = append(list, fmt.Sprintf("%v of %s", r, space.ID))
		}
	}
	return strings.Join(list, ", ")
}
