// Package hlo reads what XLA leaves behind of a compiled module: the buffers
// that its heap simulator placed, and where.
//
// The file is the one whose name ends in after_optimizations.hlo.pb, written
// with --xla_dump_to=DIR --xla_dump_hlo_as_proto: an HloProto of XLA's
// hlo.proto, of which the buffer assignment is read and the module skipped.
//
//	HloProto              3 buffer_assignment
//	BufferAssignment      1 logical_buffers, 3 buffer_allocations, 4 heap_simulator_traces
//	LogicalBuffer         1 id, 2 size, 4 color
//	BufferAllocation      9 assigned
//	Assigned              1 logical_buffer_id, 2 offset
//	HeapSimulatorTrace    1 events
//	Event                 1 kind (0 alloc, 1 free, 2 share with), 2 buffer_id, 4 instruction_name, 5 share_with_canonical_id
//
// # Conventions
//
// An alloc or a share after a free begins a new step, and a value is live from
// the step of its alloc to the one of its free, that step included. Values
// that share are one buffer: as large as the largest of them, live while any of
// them is, with gaps between; it is named after the value that was allocated,
// instruction#id. Buffers come in order of those ids, which is how XLA breaks
// ties, and what XLA counts as their lifetime is in their Ticks. Buffers
// without bytes are left out.
//
// The offsets are looked up in whichever allocation holds a value: the trace's
// own index of an allocation is stale on CPUs. The alignment is not in the file: it is
// 64, as on CPUs, unless the plan's own offsets say less. What XLA puts into the
// same allocation without tracing it, such as tuples of pointers, is not seen:
// it may lie below the first buffer or above the last.
//
// Measured with jaxlib 0.10.2.
package hlo
