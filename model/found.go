package model

// A Found is an arena that a file of someone else's tells of: what lives in it,
// and where whoever wrote the file put it.
type Found struct {
	Instance *Instance
	Plan     *Plan // nil: the file does not say
}
