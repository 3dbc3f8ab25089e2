package model

import (
	"iter"
	"math"
	"slices"
)

// An event is one end of a live interval of one buffer.
type event struct {
	step int64
	buf  int32
	born bool
}

// events lists the births and deaths of all buffers with bytes, by step,
// deaths before births: touching lifetimes are never live together. Within a
// step and kind the order is that of the indexes. Cost: O(n), and no memory but
// the list's where births rise.
func (in *Instance) events() []event {
	n, rising, last := 0, true, int64(math.MinInt64)
	for i := range in.Buffers {
		for part := range in.Buffers[i].Live() {
			if in.Buffers[i].Size > 0 {
				rising, last = rising && last <= part.Start, part.Start
				n++
			}
		}
	}
	list := make([]event, 2*n)
	room, deaths := list[:n], list[n:]
	step := func(e *event) uint64 { return Rising(e.step) }
	in.ends(deaths, false)
	sortByKey(deaths, room, step)
	at := 0 // never beyond the deaths that are left
	put := func(birth event) {
		for ; len(deaths) > 0 && deaths[0].step <= birth.step; at++ {
			list[at], deaths = deaths[0], deaths[1:]
		}
		list[at] = birth
		at++
	}
	if !rising {
		births := make([]event, n)
		in.ends(births, true)
		sortByKey(births, room, step)
		for _, b := range births {
			put(b)
		}
		return list
	}
	for i := range in.Buffers {
		for part := range in.Buffers[i].Live() {
			if in.Buffers[i].Size > 0 {
				put(event{part.Start, int32(i), true})
			}
		}
	}
	return list // the deaths that are left are at its end
}

// ends writes the births, or the deaths, of all buffers with bytes, by index.
func (in *Instance) ends(list []event, born bool) {
	k := 0
	for i := range in.Buffers {
		b := &in.Buffers[i]
		if b.Size == 0 {
			continue
		}
		for part := range b.Live() {
			list[k] = event{part.End, int32(i), born}
			if born {
				list[k].step = part.Start
			}
			k++
		}
	}
}

// A Section is a maximal run of steps with the same, non-empty, live set.
// Buffers of size 0 belong to no live set.
type Section struct {
	Steps      Interval
	Bytes      int64   // live bytes at each of the steps
	Live       int     // number of live buffers
	Born, Died []int32 // what changed at Steps.Start, by index; valid until the next section
}

// Sections yields the sections in order of time. Died includes what died since
// the section before, even across steps at which nothing is live. Cost:
// O(n log n) for all of them. Bytes is exact on valid instances.
func (in *Instance) Sections() iter.Seq[Section] {
	return func(yield func(Section) bool) {
		evs := in.events()
		var s Section
		var born, died []int32
		for k := 0; k < len(evs); {
			step := evs[k].step
			for ; k < len(evs) && evs[k].step == step; k++ {
				e := evs[k]
				if e.born {
					s.Bytes += in.Buffers[e.buf].Size
					s.Live++
					born = append(born, e.buf)
				} else {
					s.Bytes -= in.Buffers[e.buf].Size
					s.Live--
					died = append(died, e.buf)
				}
			}
			if s.Live == 0 {
				continue
			}
			s.Steps, s.Born, s.Died = Interval{step, evs[k].step}, born, died
			if !yield(s) {
				return
			}
			born, died = born[:0], died[:0]
		}
	}
}

// Load is the largest number of live bytes at any step, a lower bound on every
// peak; 0 for an instance without bytes. Of buffers that pairs link it counts
// what they take at least. Cost: O(n log n), and for each step the square of the
// paired buffers that are live.
func (in *Instance) Load() int64 {
	load, _, _ := in.peakLoad()
	return load
}

// LoadStep is the first step at which the load is reached, and the load.
func (in *Instance) LoadStep() (step, load int64) {
	load, step, _ = in.peakLoad()
	return step, load
}

func (in *Instance) peakLoad() (load, step int64, ok bool) {
	var live int64
	of := in.links()
	var paired []int32 // the live ones
	events := in.events()
	for k, e := range events {
		size := in.Buffers[e.buf].Size
		if !e.born {
			live -= size
			if at := slices.Index(paired, e.buf); at >= 0 {
				paired = slices.Delete(paired, at, at+1)
			}
			continue
		}
		if len(of[e.buf]) > 0 {
			paired = append(paired, e.buf)
		}
		var fits bool
		if live, fits = Add(live, size); !fits {
			return MaxBytes, e.step, false
		}
		if live <= load || len(paired) > 0 && k+1 < len(events) && events[k+1].step == e.step {
			continue
		}
		if least := live - in.saved(of, paired); least > load {
			load, step = least, e.step
		}
	}
	return load, step, true
}
