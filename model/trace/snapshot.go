package trace

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"

	"memplan/model"
)

// round is what PyTorch's allocator gives blocks in multiples of, bytes.
const round = 512

// IsSnapshot reports whether data may be a pickle.
func IsSnapshot(data []byte) bool {
	return len(data) > 2 && data[0] == opProto && data[1] >= 2 && data[1] <= 5
}

// ReadSnapshot reads a snapshot of PyTorch's CUDA allocator: an arena a device
// that has events. Nothing in it is run.
// Cost: O(n log n) for n events, and memory of some times the file's length.
func ReadSnapshot(data []byte, name string) (*File, error) {
	root, m, err := unpickle(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	traces, ok := root.get("device_traces")
	if !ok || traces.kind != list {
		return nil, fmt.Errorf("%s: no device_traces in the pickle: expected what torch.cuda.memory._dump_snapshot writes", name)
	}
	segments, _ := root.get("segments")
	var devices []*snapshot
	for device, events := range traces.list() {
		s := &snapshot{machine: m, builder: newBuilder(name, m.allocs(events)), device: int64(device)}
		if len(traces.list()) > 1 {
			s.name = fmt.Sprintf("%s/device %d", name, device)
		}
		s.addresses = true
		if err := s.read(events, segments); err != nil {
			return nil, err
		}
		s.machine = nil // what the pickle built is done with: it is as large as what is read
		devices = append(devices, s)
	}
	count := len(traces.list())
	m, root, traces, segments = nil, value{}, value{}, value{}
	all := &File{}
	for _, s := range devices {
		f, err := s.finish()
		if err != nil {
			return nil, err
		}
		if f != nil {
			all.Arenas, all.Notes = append(all.Arenas, f.Arenas...), append(all.Notes, f.Notes...)
		}
	}
	if len(all.Arenas) == 0 {
		return nil, fmt.Errorf("%s: no alloc in any of its %d traces: record with torch.cuda.memory._record_memory_history", name, count)
	}
	return all, nil
}

// get is what stands under a key of a dictionary: the last there.
func (v value) get(name string) (value, bool) {
	if v.kind == dict {
		for i := len(v.node.keys) - 1; i >= 0; i-- {
			if v.node.keys[i] == keys[name] {
				return v.node.items[i], true
			}
		}
	}
	return value{}, false
}

// number is the integer under a key.
func (v value) number(name string) (int64, bool) {
	n, ok := v.get(name)
	return n.n, ok && n.kind == number
}

// allocs is how many of a list's events are that.
func (m *machine) allocs(events value) (n int) {
	for _, e := range events.happenings() {
		if e.kind == event && m.events[e.n].action == allocated {
			n++
		}
	}
	return n
}

// list is a list's items, but for events.
func (v value) list() []value {
	if v.kind != list {
		return nil
	}
	return v.node.items
}

// happenings are a list's items, as events where they are these.
func (v value) happenings() iter.Seq2[int, value] {
	if v.kind != list || v.node.events.Empty() {
		return slices.All(v.list())
	}
	all := v.node.events
	return func(yield func(int, value) bool) {
		for k := range all.End - all.Start {
			if !yield(int(k), value{kind: event, n: all.Start + k}) {
				return
			}
		}
	}
}

// A snapshot is read one device at a time.
type snapshot struct {
	*machine
	*builder
	device   int64
	ranges   []model.Interval // that segments ever had
	segments int              // at the end
	reserved int64
}

// read reads one device.
func (s *snapshot) read(events, segments value) error {
	for k, e := range events.happenings() {
		if err := s.happened(k+1, e); err != nil {
			return fmt.Errorf("%s: event %d of device %d: %w", s.name, k+1, s.device, err)
		}
	}
	for _, segment := range segments.list() {
		if device, ok := segment.number("device"); ok && device != s.device {
			continue
		}
		if err := s.segment(segment); err != nil {
			return fmt.Errorf("%s: a segment of device %d: %w", s.name, s.device, err)
		}
	}
	return nil
}

// finish makes a device's arena; nil where nothing is allocated on it.
func (s *snapshot) finish() (*File, error) {
	if len(s.buffers) == 0 {
		return nil, nil
	}
	f, err := s.file(round, s.ranges)
	if err != nil {
		return nil, err
	}
	f.Notes = append(f.Notes, fmt.Sprintf("%s: at the end %d bytes are reserved in %d segments", s.name, s.reserved, s.segments))
	if f.Arenas[0].Plan == nil {
		f.Notes = append(f.Notes, fmt.Sprintf("%s: no plan: some blocks lie in no segment that the snapshot tells of", s.name))
	}
	return f, nil
}

// happened is one event of the trace.
func (s *snapshot) happened(k int, v value) error {
	if v.kind != event {
		return errors.New("it has no action")
	}
	e := s.events[v.n]
	if e.action == ignored {
		return nil
	}
	if e.addr < 0 || e.size < 0 {
		return errors.New("it has no address and size")
	}
	if e.action == segmented {
		return s.cover(e.addr, e.size)
	}
	size, ok := model.AlignUp(max(e.size, 1), round)
	if !ok {
		return fmt.Errorf("a block of %d bytes", e.size)
	}
	id := fmt.Appendf(nil, "%#x", e.addr)
	if _, live := s.live[string(id)]; e.action == allocated && live {
		return fmt.Errorf("%s is allocated a second time", id)
	}
	return s.event(k, e.action == allocated, id, size)
}

// cover notes addresses that a segment has.
func (s *snapshot) cover(start, size int64) error {
	end, ok := model.Add(start, size)
	if !ok {
		return fmt.Errorf("%d bytes at %#x do not fit in int64", size, start)
	}
	s.ranges = append(s.ranges, model.Interval{Start: start, End: end})
	return nil
}

// segment is one of those that are there at the end. Its active blocks live from
// the start where the trace does not know them.
func (s *snapshot) segment(v value) error {
	addr, known := v.number("address")
	size, sized := v.number("total_size")
	if !known || !sized || addr < 0 || size < 0 {
		return fmt.Errorf("it has no address and total_size")
	}
	if err := s.cover(addr, size); err != nil {
		return err
	}
	var ok bool
	if s.reserved, ok = model.Add(s.reserved, size); !ok {
		return fmt.Errorf("the segments do not fit in int64")
	}
	s.segments++
	blocks, _ := v.get("blocks")
	for _, b := range blocks.list() {
		size, ok := b.number("size")
		if !ok || size < 0 {
			return fmt.Errorf("a block of the segment at %#x has no size", addr)
		}
		if at, given := b.number("address"); given {
			addr = at
		}
		if state, _ := b.get("state"); bytes.HasPrefix(s.of(state), []byte("active")) {
			s.active(addr, size)
		}
		if addr, ok = model.Add(addr, size); !ok {
			return fmt.Errorf("its blocks do not fit in int64")
		}
	}
	return nil
}

// active is a block that is in use at the end: from the start, unless the trace
// allocates it.
func (s *snapshot) active(addr, size int64) {
	id := fmt.Sprintf("%#x", addr)
	if _, live := s.live[id]; !live {
		s.early++
		s.live[id] = s.add(0, id, size, fromBefore)
	}
}
