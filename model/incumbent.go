package model

import (
	"sync"
	"time"
)

// An Incumbent is the best plan and the best bound so far, shared by planners
// that work on the same instance at the same time. Both only ever improve.
type Incumbent struct {
	in      *Instance
	began   time.Time
	watch   func(Point)
	mu      sync.Mutex
	best    Result
	peak    int64
	meeting chan struct{}
}

// NewIncumbent starts with no plan and a bound of 0. watch, when not nil, is
// told of every improvement, one at a time; it must not call back.
func NewIncumbent(in *Instance, watch func(Point)) *Incumbent {
	return &Incumbent{in: in, began: time.Now(), watch: watch, peak: MaxBytes, meeting: make(chan struct{})}
}

// Offer puts p forward; it is kept, and true returned, when its peak is lower
// than any before. The plan is kept as it is: do not change it afterwards.
func (s *Incumbent) Offer(p Plan, source string, work int64) bool {
	peak := p.Peak(s.in)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.best.Plan != nil && peak >= s.peak {
		return false
	}
	s.best.Plan, s.peak = &p, peak
	s.note(source, work)
	return true
}

// Raise puts a proven bound forward; it is kept, and true returned, when it is
// higher than any before.
func (s *Incumbent) Raise(c *Certificate, source string, work int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prove(c)
	if c.Bound <= s.best.Bound && s.best.Certificate != nil {
		return false
	}
	s.best.Bound, s.best.Certificate = c.Bound, c
	s.note(source, work)
	return true
}

// Vouch replaces the certificate of the bound by another for the same bound.
func (s *Incumbent) Vouch(c *Certificate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.prove(c); c.Bound == s.best.Bound {
		s.best.Certificate = c
	}
}

// prove keeps what is no solver's word, and puts it in place of one for the same
// bound; the lock is held.
func (s *Incumbent) prove(c *Certificate) {
	if c.Proof == ProofMIP || s.best.Proven != nil && c.Bound <= s.best.Proven.Bound {
		return
	}
	s.best.Proven = c
	if s.best.Certificate != nil && c.Bound == s.best.Bound && s.best.Certificate.Proof == ProofMIP {
		s.best.Certificate = c
	}
}

// note records an improvement; the lock is held.
func (s *Incumbent) note(source string, work int64) {
	p := Point{time.Since(s.began), work, s.peak, s.best.Bound, source}
	s.best.Stats.Trace = append(s.best.Stats.Trace, p)
	if s.watch != nil {
		s.watch(p)
	}
	if s.best.Plan != nil && s.peak <= s.best.Bound {
		select {
		case <-s.meeting:
		default:
			close(s.meeting)
		}
	}
}

// Peak is the best peak so far, MaxBytes when there is no plan.
func (s *Incumbent) Peak() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.peak
}

// Bound is the best bound so far.
func (s *Incumbent) Bound() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.best.Bound
}

// Closed is closed once best and bound meet.
func (s *Incumbent) Closed() <-chan struct{} { return s.meeting }

// Result is the state of affairs: plan, bound, certificate and trace.
func (s *Incumbent) Result() Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.best
}
