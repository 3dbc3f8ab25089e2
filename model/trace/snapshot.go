package trace

import (
	"errors"
	"fmt"
	"io"
	"strings"

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
func ReadSnapshot(r io.Reader, name string) (*File, error) {
	var data strings.Builder
	if _, err := io.Copy(&data, r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	root, m, err := unpickle(data.String())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	traces, ok := root.get("device_traces")
	if !ok || traces.kind != list {
		return nil, fmt.Errorf("%s: no device_traces in the pickle: expected what torch.cuda.memory._dump_snapshot writes", name)
	}
	segments, _ := root.get("segments")
	all := &File{}
	for device, events := range traces.list() {
		s := snapshot{machine: m, builder: newBuilder(name, len(events.list())/2), device: int64(device)}
		if len(traces.list()) > 1 {
			s.name = fmt.Sprintf("%s/device %d", name, device)
		}
		s.addresses = true
		f, err := s.read(events, segments)
		if err != nil {
			return nil, err
		}
		if f != nil {
			all.Arenas, all.Notes = append(all.Arenas, f.Arenas...), append(all.Notes, f.Notes...)
		}
	}
	if len(all.Arenas) == 0 {
		return nil, fmt.Errorf("%s: no alloc in any of its %d traces: record with torch.cuda.memory._record_memory_history", name, len(traces.list()))
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

// list is a list's items.
func (v value) list() []value {
	if v.kind != list {
		return nil
	}
	return v.node.items
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

// read reads one device; nil where nothing is allocated on it.
func (s *snapshot) read(events, segments value) (*File, error) {
	for k, e := range events.list() {
		if err := s.happened(k+1, e); err != nil {
			return nil, fmt.Errorf("%s: event %d of device %d: %w", s.name, k+1, s.device, err)
		}
	}
	for _, segment := range segments.list() {
		if device, ok := segment.number("device"); ok && device != s.device {
			continue
		}
		if err := s.segment(segment); err != nil {
			return nil, fmt.Errorf("%s: a segment of device %d: %w", s.name, s.device, err)
		}
	}
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
	what, addr, size := e.action, e.addr, e.size
	switch what {
	case "alloc", "free_completed", "segment_alloc", "segment_free", "segment_map", "segment_unmap":
	default:
		return nil
	}
	if addr < 0 || size < 0 {
		return fmt.Errorf("%s without an address and a size", what)
	}
	if strings.HasPrefix(what, "segment_") {
		return s.cover(addr, size)
	}
	size, ok := model.AlignUp(max(size, 1), round)
	if !ok {
		return fmt.Errorf("%s of %d bytes", what, size)
	}
	id := fmt.Sprintf("%#x", addr)
	if _, live := s.live[id]; what == "alloc" && live {
		return fmt.Errorf("%s is allocated a second time", id)
	}
	return s.event(k, what == "alloc", id, size)
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
		if state, _ := b.get("state"); strings.HasPrefix(s.of(state), "active") {
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
