// Package pte reads .pte programs of ExecuTorch, says what each of their
// memories must hold when, and writes other plans into them.
//
// # The file
//
// A .pte file is a FlatBuffer (identifier ET12; tables Program, ExecutionPlan,
// EValue, Tensor, AllocationDetails, Chain, Instruction of the schema's version
// 0), an extended header behind its first eight bytes (eh00), and segments with
// weights. Read checks every offset and index, and charges what it builds
// against the file's length, so that a hostile file costs no more memory than a
// small multiple of its own.
//
// # Lifetimes
//
// The file holds the exporter's plan, an offset a tensor, but no lifetimes. They
// follow from the instructions, replayed on memories that remember who wrote
// each byte:
//
//   - Instruction k runs at step k. A tensor lives from the first instruction
//     that writes it to the last that reads it; inputs from step 0, outputs to
//     the end. One that is written anew in between lives throughout that.
//   - A kernel's last argument is its result, a list where there are several;
//     arguments before it that are results too are out parameters, only
//     written. Of an operator whose name ends in "_" the result is read first.
//   - A tensor that is read and never written is a view for which the exporter
//     left no instruction: it is whatever was written, last and intact, to
//     exactly its bytes, to bytes around them, or, part by part, to all of them.
//     Such tensors keep their distances: they are one buffer, live while any is.
//     executorch_prim::et_view makes its result a name for its operand's bytes.
//   - Bytes that are read before anything writes them are state: live
//     throughout, and from one run to the next.
//   - A delegate's arguments are its inputs and then its outputs, without a mark
//     between them. XNNPACK's payload says how many inputs there are; of others,
//     what has a value, or is changed in place elsewhere, is taken for an input,
//     and what covers exactly a value that is still wanted for both.
//   - The last operand of a kernel that is none of PyTorch's own, named nowhere
//     else and never written, is workspace where its bytes hold leftovers.
//
// This trusts the plan in force, so that is checked on the way: an instruction
// that finds another tensor's bytes where its operand should be is an Overlap.
//
// # What is left alone
//
// Methods with jumps or moves (cond, map, while), tensors whose shape has no
// bound, memories on other devices, methods whose own plan does not hold, and,
// in programs of several methods, memories that hold state alone, since other
// methods may rely on where it lies (the exporter's share_mutable_buffers).
//
// # Sizes
//
// Tensors are aligned to 16 bytes as the exporter does, and their sizes rounded
// up to that; where the plan in force is aligned less, so are they. Where a
// delegate runs, up to 64 bytes behind the last tensor stay: XNNPACK's kernels
// read beyond their operands. A tensor that nothing uses must lie in its memory
// nevertheless, or the runtime loads nothing.
//
// Facts about ExecuTorch are from its sources, and were measured with the
// runtime in the wheel of PyPI executorch 1.5.1.
package pte
