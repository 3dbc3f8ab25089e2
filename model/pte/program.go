package pte

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"memplan/model/internal/flat"
)

// A Program is a .pte file, its indexes checked: those of values, operators,
// delegates and memories are all in range.
type Program struct {
	Methods []*Method

	data     []byte
	flat     int64 // bytes of the FlatBuffer, which comes first
	header   bool  // the extended header is there
	base     int64 // where the segments begin; 0: there are none
	segments []segment
	inline   []flat.Vector // delegates' data inside the FlatBuffer
}

// A segment is bytes behind the FlatBuffer, counted from the segments' base.
type segment struct{ offset, size int64 }

// The extended header, behind the FlatBuffer's root and identifier.
const (
	identifier, bundle    = "ET12", "BP08"
	headerPos, headerName = 8, "eh00"
	sizePos, basePos      = 16, 24
	headerShort           = 24 // bytes of a header without the segments' size
)

// Fields of the schema's tables, by position.
const (
	programPlans, programInline, programSegments                     = 1, 3, 4
	planName, planValues, planInputs, planOutputs, planChains        = 0, 2, 3, 4, 5
	planOperators, planDelegates, planSizes, planDevices             = 6, 7, 8, 9
	valueType, valueOf                                               = 0, 1
	tensorType, tensorSizes, tensorData, tensorAllocation            = 0, 2, 5, 6
	tensorDynamism, tensorExtra                                      = 8, 9
	extraName                                                        = 1
	allocationMemory, allocationLow, allocationHigh                  = 0, 1, 2
	operatorName, operatorOverload                                   = 0, 1
	delegateID, delegateData, dataWhere, dataIndex                   = 0, 1, 0, 1
	chainInstructions, chainTrace                                    = 2, 3
	instructionType, instructionOf, callIndex, callArgs, moveFrom    = 0, 1, 0, 1, 0
	moveTo, jumpCondition, freeValue, deviceMemory, deviceType       = 1, 0, 0, 0, 1
	deviceNumber, inlineData, segmentOffset, segmentSize, valueItems = 2, 0, 0, 1, 0
)

// Read reads a .pte file. It keeps data, which must not change afterwards, and
// never panics whatever is in it. Cost: linear in the tables and the operands
// of the instructions; weights are not looked at.
func Read(data []byte) (*Program, error) {
	switch {
	case len(data) >= 8 && string(data[4:8]) == bundle:
		return nil, errors.New("a bundled program (.bpte): take the .pte out of it first")
	case len(data) < 8 || string(data[4:8]) != identifier:
		return nil, fmt.Errorf("not a .pte file: no %s at byte 4", identifier)
	}
	p := &Program{data: data, flat: int64(len(data))}
	if err := p.readHeader(); err != nil {
		return nil, err
	}
	r := flat.New(data[:p.flat])
	root := r.Table(r.Follow(0))
	p.readData(root)
	plans := root.Vector(programPlans, 4)
	for i := 0; i < int(plans.N) && r.Err == nil; i++ {
		r.Where = fmt.Sprintf("method %d", i)
		p.Methods = append(p.Methods, p.readMethod(plans.Table(i)))
	}
	if r.Err != nil {
		return nil, r.Err
	}
	if len(p.Methods) == 0 {
		return nil, errors.New("the program has no method")
	}
	return p, nil
}

// readHeader takes the sizes from the extended header, where there is one.
func (p *Program) readHeader() error {
	if len(p.data) < headerPos+headerShort || string(p.data[headerPos:headerPos+4]) != headerName {
		return nil
	}
	length := binary.LittleEndian.Uint32(p.data[headerPos+4:])
	size := binary.LittleEndian.Uint64(p.data[sizePos:])
	base := binary.LittleEndian.Uint64(p.data[basePos:])
	all := uint64(len(p.data))
	switch {
	case length < headerShort:
		return fmt.Errorf("byte %d: a header of %d bytes", headerPos, length)
	case size > all || size < headerPos+headerShort:
		return fmt.Errorf("byte %d: a FlatBuffer of %d bytes in a file of %d", sizePos, size, all)
	case base > all || base != 0 && base < size:
		return fmt.Errorf("byte %d: segments from byte %d on, in a file of %d whose FlatBuffer has %d", basePos, base, all, size)
	}
	p.header, p.flat, p.base = true, int64(size), int64(base)
	return nil
}

// readData finds the segments and the delegates' data.
func (p *Program) readData(root flat.Table) {
	v := root.Vector(programSegments, 4)
	room := uint64(int64(len(p.data)) - p.base)
	for i := 0; i < int(v.N) && v.R.Err == nil; i++ {
		t := v.Table(i)
		offset, size := t.U64(segmentOffset), t.U64(segmentSize)
		if p.base == 0 || offset > room || size > room-offset {
			v.R.Fail(t.Pos, "segment %d lies outside the file", i)
			return
		}
		p.segments = append(p.segments, segment{int64(offset), int64(size)})
	}
	v = root.Vector(programInline, 4)
	for i := 0; i < int(v.N) && v.R.Err == nil; i++ {
		p.inline = append(p.inline, v.Table(i).Vector(inlineData, 1))
	}
}

// reader reads the FlatBuffer once more, to change it.
func (p *Program) reader() *flat.Reader { return flat.New(p.data[:p.flat]) }

// maxBytes bounds the bytes of a tensor and of a memory, so that their sums
// stay far inside int64.
const maxBytes = math.MaxInt64 / 4

// Is reports whether data is a program, or a program in its bundle.
func Is(data []byte) bool {
	return len(data) >= 8 && (string(data[4:8]) == identifier || string(data[4:8]) == bundle)
}
