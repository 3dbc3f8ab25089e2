// Package tflite reads .tflite models, says what arena an interpreter needs for
// them, and writes a plan into them that TensorFlow Lite Micro (TFLM) obeys.
//
// # Reading
//
// Read takes the seven tables of the FlatBuffers schema that planning needs
// (Model, OperatorCode, SubGraph, Tensor, Operator, Buffer, Metadata), each
// offset checked against the file, and the few operator options that scratch
// depends on. What it builds is charged against the file's length, so that a
// hostile file costs no more memory than a small multiple of its own.
//
// # Conventions
//
// File.Graph converts to the project's own convention, operator k at step k,
// by one of three runtimes:
//
//	tflm     Graph inputs live at step 0 alone unless read later, operator i at
//	         step i+1, graph outputs to the end; the bodies of IF, WHILE and
//	         CALL_ONCE are walked in line. Sizes are rounded up to 16, offsets
//	         are multiples of 16, int4 takes a byte an element. Variables are
//	         not in the head. Kernels' scratch is modelled.
//	litert   Inputs live throughout, outputs and values that nobody reads from
//	         their producer to the end; 64-byte alignment. Bodies have arenas of
//	         their own and are left out, as are variables (arena_planner.cc of
//	         TensorFlow, read, not run).
//	generic  Exactly what the operators need: no rounding, no scratch, int4
//	         packed, variables live throughout, reshapes are views.
//
// # The plan inside a file
//
// TFLM obeys a metadata entry named OfflineMemoryAllocation: int32 version,
// number of subgraphs, number n of all tensors, then n offsets from the head's
// start, -1 for "plan at run time". TFLM checks none of them: offsets that
// overlap are accepted and the answer is silently wrong. WithPlan writes one
// without touching the old bytes.
//
// Facts about TFLM are from its sources at 90b983c2, and were measured with
// the interpreter of PyPI tflite-micro 0.dev20261023182759.
package tflite
