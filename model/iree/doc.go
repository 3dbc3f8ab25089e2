// Package iree reads the memory that IREE plans, out of the text of its stream
// dialect, and writes plans into it.
//
// # What is read
//
// A pack is an operation that places slices of memory in one slab:
//
//	%20:3 = stream.resource.pack slices({ [0, 13] = %c512, [1, 2] = %c64 }) : index
//
// The numbers in brackets are the first and the last step at which a slice is
// used, both included; here they become half-open. The sizes are values, which
// have to be constants of the same function, arith.constant N : index. Result 0
// is the slab's size, result k the offset of slice k.
//
// There are two kinds of files. A dump is what iree-compile prints with
//
//	--compile-to=stream --mlir-disable-threading
//	--mlir-print-ir-before=iree-stream-layout-slices
//	--mlir-print-ir-after=iree-stream-layout-slices
//
// function by function, before and after IREE places the slices. Afterwards the
// packs are gone and constants stand where their results were used, which is
// found by going through both texts side by side: they differ in nothing else
// but the names of values. A module is the whole program before that pass, as
// iree-opt prints it after --iree-stream-schedule-allocation. There IREE's
// layout is replayed.
//
// # Alignment
//
// IREE's offsets, and the sizes it reserves, are multiples of the device's
// alignment. It stands in the text only where a stream.resource_config gives
// min_buffer_offset_alignment; else it is 64.
//
// # What is written
//
// File.Planned replaces packs by constants, and leaves every other byte as it
// is. IREE checks no plan: with all offsets 0 it compiles without a word, and
// what it computes is wrong. Whoever writes a plan has to verify it; Placed reads it
// back for that.
//
// Measured with iree-base-compiler 3.13.0. IREE's rule is from
// LayoutSlices.cpp of iree-org/iree.
package iree
