package pte

import (
	"encoding/binary"

	"memplan/model/internal/flat"
)

// XNNPACK's payload: a header that says where its own FlatBuffer lies, and in
// that the numbers of its inputs.
const (
	xnnpack            = "XnnpackBackend"
	xnnHeader          = "XH00"
	xnnHeaderBytes     = 30
	xnnFlat, xnnSize   = 10, 14
	xnnInputs, xnnOuts = 4, 5
	inSegment          = 1
)

// readDelegate reads a delegate's name and, of XNNPACK, how many inputs it has.
func (p *Program) readDelegate(t flat.Table) delegate {
	d := delegate{name: t.Text(delegateID), inputs: absent}
	data, ok := t.Table(delegateData)
	if d.name != xnnpack || !ok {
		return d
	}
	payload, i := []byte(nil), int64(data.U32(dataIndex))
	switch inside := data.U8(dataWhere) != inSegment; {
	case inside && i < int64(len(p.inline)):
		payload = p.inline[i].Data()
	case !inside && i < int64(len(p.segments)):
		s := p.segments[i]
		payload = p.data[p.base+s.offset:][:s.size]
	default:
		t.R.Fail(data.Pos, "its data is in number %d, which is not there", i)
	}
	if n, ok := xnnInputCount(payload); ok {
		d.inputs = n
	}
	return d
}

// xnnInputCount is the number of inputs that a payload of XNNPACK's declares.
func xnnInputCount(payload []byte) (int, bool) {
	if len(payload) >= xnnHeaderBytes && string(payload[4:8]) == xnnHeader {
		from := uint64(binary.LittleEndian.Uint32(payload[xnnFlat:]))
		size := uint64(binary.LittleEndian.Uint32(payload[xnnSize:]))
		if from+size > uint64(len(payload)) {
			return 0, false
		}
		payload = payload[from : from+size]
	}
	r := flat.New(payload)
	root := r.Table(r.Follow(0))
	n := root.Vector(xnnInputs, 4).N
	root.Vector(xnnOuts, 4)
	return int(n), r.Err == nil
}
