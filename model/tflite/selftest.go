package tflite

import (
	"bufio"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"strings"
	"text/template"
)

// SelfTest writes a C++ file that tells on a device whether a plan is right with
// the kernels there: it runs the model with the plan and with TFLM's own, on the
// same inputs, and compares the outputs. planned is a file with a plan that
// WithPlan wrote; the model without it is a part of that, so the test holds no
// copy of either. name is the model's, and becomes that of the function.
func SelfTest(w io.Writer, planned []byte, name string) error {
	f, err := Read(planned)
	if err != nil {
		return err
	}
	old := f.unplanned()
	if old == nil {
		return errors.New("the file holds no plan of memplan's")
	}
	if earlier, err := old.Plan(); err != nil || earlier != nil {
		return errors.New("a self-test compares with TFLM's own plan, and below the new plan the file holds another")
	}
	digest := fnv.New64a()
	digest.Write(planned)
	variables := 0
	for i := range f.Subgraphs {
		variables += len(f.handles(i))
	}
	out := bufio.NewWriter(w)
	err = selfTest.Execute(out, map[string]any{
		"Title": strings.Map(printable, name), "Name": identifier(name), "Bytes": len(planned), "Old": len(planned) - len(old.data),
		"Digest": fmt.Sprintf("0x%016xULL", digest.Sum64()), "Variables": variables,
	})
	return errors.Join(err, out.Flush())
}

var selfTest = template.Must(template.New("self-test").Parse(`// Self-test of the plan of {{.Title}}, made by memplan.
//
// {{.Name}}_self_test runs the model with its plan and with TFLM's own, on the same
// pseudo-random inputs, and compares all outputs. It returns
//
//   0  the outputs are the same: the plan is right with these kernels
//   1  they differ: these are not the kernels that the plan is for; do not use it
//   2  the model is not the file that was planned, {{.Bytes}} bytes
//   3  the model does not load or run with its plan
//   4  it does not load or run with TFLM's own: give it a larger arena
//
// model is the planned file, at a multiple of 16. The arena must do for TFLM's own
// plan, so it must be as large as without memplan, for the test.
#include <cstddef>
#include <cstdint>

#include "tensorflow/lite/micro/micro_allocator.h"
#include "tensorflow/lite/micro/micro_interpreter.h"
#include "tensorflow/lite/micro/micro_op_resolver.h"
#include "tensorflow/lite/micro/micro_resource_variable.h"
#include "tensorflow/lite/schema/schema_generated.h"

namespace {

constexpr size_t kBytes = {{.Bytes}};  // of the planned file
constexpr size_t kOld = {{.Old}};  // where in it the model without the plan begins
constexpr int kVariables = {{.Variables}};
constexpr int kRuns = 8;

uint64_t Digest(uint64_t digest, const uint8_t* data, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) digest = (digest ^ data[i]) * 0x100000001b3ULL;
  return digest;
}

uint32_t Draw(uint32_t* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 16;
}

void Fill(TfLiteTensor* tensor, uint32_t* state) {
  if (tensor->type == kTfLiteFloat32) {
    for (size_t i = 0; i < tensor->bytes / sizeof(float); ++i) {
      tensor->data.f[i] = static_cast<float>(Draw(state)) / 32768.0f - 1.0f;
    }
    return;
  }
  const bool bytes = tensor->type == kTfLiteInt8 || tensor->type == kTfLiteUInt8 || tensor->type == kTfLiteInt16;
  for (size_t i = 0; i < tensor->bytes; ++i) tensor->data.uint8[i] = 0;
  if (bytes) {
    for (size_t i = 0; i < tensor->bytes; ++i) tensor->data.uint8[i] = Draw(state) & 0xff;
  } else if (tensor->bytes > 0) {  // perhaps a condition, or an index
    tensor->data.uint8[0] = Draw(state) & 1;
  }
}

bool Run(const uint8_t* model, const tflite::MicroOpResolver& resolver, uint8_t* arena, size_t size, uint64_t* digest) {
  tflite::MicroAllocator* allocator = tflite::MicroAllocator::Create(arena, size);
  if (allocator == nullptr) return false;
  tflite::MicroResourceVariables* variables = nullptr;
  if (kVariables > 0) variables = tflite::MicroResourceVariables::Create(allocator, kVariables);
  tflite::MicroInterpreter interpreter(tflite::GetModel(model), resolver, allocator, variables);
  if (interpreter.AllocateTensors() != kTfLiteOk) return false;
  uint32_t state = 1;
  for (int run = 0; run < kRuns; ++run) {
    for (size_t i = 0; i < interpreter.inputs_size(); ++i) Fill(interpreter.input(i), &state);
    if (interpreter.Invoke() != kTfLiteOk) return false;
    for (size_t i = 0; i < interpreter.outputs_size(); ++i) {
      *digest = Digest(*digest, interpreter.output(i)->data.uint8, interpreter.output(i)->bytes);
    }
  }
  return true;
}

}  // namespace

int {{.Name}}_self_test(const uint8_t* model, size_t bytes, const tflite::MicroOpResolver& resolver, uint8_t* arena, size_t arena_size) {
  const uint64_t start = 0xcbf29ce484222325ULL;
  if (bytes != kBytes || Digest(start, model, bytes) != {{.Digest}}) return 2;
  uint64_t planned = start, own = start;
  if (!Run(model, resolver, arena, arena_size, &planned)) return 3;
  if (!Run(model + kOld, resolver, arena, arena_size, &own)) return 4;
  return planned == own ? 0 : 1;
}
`))
