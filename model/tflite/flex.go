package tflite

import (
	"bytes"

	"memplan/model/internal/flat"
)

// flexInt returns the integer under key of a FlexBuffers map, the form in which
// custom operators keep their options, and whether it is there. Everything in
// data may be wrong.
//
// The last two bytes are the root's type and width; before them lies the
// offset, backwards, of the map's values, which are followed by a byte of type
// each. The three words before the values are: the offset to the sorted keys,
// their width, and the number of entries.
func flexInt(data []byte, key string) (int64, bool) {
	const mapType = 9
	n := int64(len(data))
	if n < 3 || data[n-2]>>2 != mapType {
		return 0, false
	}
	r := flat.New(data)
	root, rootWidth := n-2-int64(data[n-1]), int64(data[n-1])
	values, width := root-word(r, root, rootWidth), int64(1)<<(data[n-2]&3)
	count := word(r, values-width, width)
	keysWidth := word(r, values-2*width, width)
	keys := values - 3*width - word(r, values-3*width, width)
	if r.Bytes(values, count) == nil { // also bounds what follows
		return 0, false
	}
	for i := range count {
		at := keys + i*keysWidth
		at -= word(r, at, keysWidth)
		if name := r.Bytes(at, int64(len(key))+1); !bytes.Equal(name, append([]byte(key), 0)) {
			r.Err = nil // the last key may lie at the very end
			continue
		}
		kind := r.U8(values+count*width+i) >> 2
		value := word(r, values+i*width, width)
		return value, r.Err == nil && (kind == 1 || kind == 2) // signed, unsigned
	}
	return 0, false
}

// word reads a little-endian number of 1, 2, 4 or 8 bytes; signed numbers are
// all non-negative where they are used here.
func word(r *flat.Reader, pos, width int64) int64 {
	switch width {
	case 1:
		return int64(r.U8(pos))
	case 2:
		return int64(r.U16(pos))
	case 4:
		return int64(r.U32(pos))
	case 8:
		if v := int64(r.U64(pos)); v >= 0 {
			return v
		}
	}
	r.Fail(pos, "a number of %d bytes", width)
	return 0
}
