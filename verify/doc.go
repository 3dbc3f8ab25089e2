// Package verify checks plans and certificates with code of its own: it takes
// the types of package model and none of its algorithms, so that a mistake in
// a planner, or in the sweep that planners share, is not repeated here.
package verify
