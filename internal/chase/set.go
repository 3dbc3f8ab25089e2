package chase

import (
	"fmt"
	"slices"

	"memplan/model"
)

const (
	wide    = 6           // bits of an offset
	tallest = 1<<wide - 1 // the largest height
	most    = 64 / wide   // the largest number of buffers live at once
)

// A set holds the arrangements of the live buffers that plans within a height
// can have: an arrangement is the offset of each buffer, packed.
type set struct {
	sizes []int64 // of the live buffers
	ways  []uint64
}

// die takes the i-th live buffer out.
func (s set) die(i int) set {
	t := set{slices.Concat(s.sizes[:i], s.sizes[i+1:]), make([]uint64, len(s.ways))}
	for k, way := range s.ways {
		t.ways[k] = without(way, i)
	}
	slices.Sort(t.ways)
	t.ways = slices.Compact(t.ways)
	return t
}

// bear adds a buffer wherever it fits below the height, as the last.
func (s set) bear(size, height int64) set {
	k := len(s.sizes)
	t := set{sizes: append(slices.Clone(s.sizes), size)}
	for _, way := range s.ways {
		taken := taken(s.sizes, way)
		for at := int64(0); at+size <= height; at++ {
			if taken&block(size, at) == 0 {
				t.ways = append(t.ways, way|uint64(at)<<(wide*k))
			}
		}
	}
	slices.Sort(t.ways)
	return t
}

// offset is that of the i-th buffer of an arrangement.
func offset(way uint64, i int) int64 { return int64(way >> (wide * i) & tallest) }

// without takes the i-th buffer out of an arrangement.
func without(way uint64, i int) uint64 {
	below := uint64(1)<<(wide*i) - 1
	return way&below | way>>wide&^below
}

// block is the bytes that a buffer takes, a bit for each.
func block(size, at int64) uint64 { return (1<<size - 1) << at }

// taken is the bytes that all buffers of an arrangement take.
func taken(sizes []int64, way uint64) (bytes uint64) {
	for i, z := range sizes {
		bytes |= block(z, offset(way, i))
	}
	return bytes
}

// Fits decides whether an instance has a plan with a peak of at most height, by
// following all plans from birth to birth. Exact; at most 63 bytes high and 10
// buffers live at once, without alignment, pins, gaps and ties. Cost: the number
// of arrangements, which grows like the factorial of the buffers live.
func Fits(in *model.Instance, height int64) (bool, error) {
	if height > tallest {
		return false, fmt.Errorf("chase: height %d is above %d", height, tallest)
	}
	s := set{ways: []uint64{0}} // nothing is born
	var live []int32
	for part := range in.Sections() {
		for _, i := range part.Died {
			k := slices.Index(live, i)
			s, live = s.die(k), slices.Delete(live, k, k+1)
		}
		for _, i := range part.Born {
			b := &in.Buffers[i]
			if len(live) == most || b.Alignment() > 1 || b.Offset != nil || b.Gaps != nil || b.Tie != nil {
				return false, fmt.Errorf("chase: buffer %q cannot be followed", b.ID)
			}
			s, live = s.bear(b.Size, height), append(live, i)
			if len(s.ways) == 0 {
				return false, nil
			}
		}
	}
	return true, nil
}
