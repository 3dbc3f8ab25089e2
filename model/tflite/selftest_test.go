package tflite

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"memplan/internal/shared"
)

// interpreterStub stands for TFLM's headers: an interpreter whose outputs depend
// on the inputs, and with BROKEN on whether the model has a plan too.
const interpreterStub = `#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>
enum TfLiteType { kTfLiteFloat32, kTfLiteInt8, kTfLiteUInt8, kTfLiteInt16, kTfLiteInt32 };
enum TfLiteStatus { kTfLiteOk, kTfLiteError };
struct TfLiteTensor { TfLiteType type; size_t bytes; union { float* f; uint8_t* uint8; } data; };
inline const uint8_t* PLANNED;  // the planned file
namespace tflite {
struct Model { uint8_t first; };
inline const Model* GetModel(const void* p) { return static_cast<const Model*>(p); }
struct MicroOpResolver {};
struct MicroAllocator { size_t size; static MicroAllocator* Create(uint8_t*, size_t size) { static MicroAllocator a; a.size = size; return &a; } };
struct MicroResourceVariables { static MicroResourceVariables* Create(MicroAllocator*, int) { return nullptr; } };
struct MicroInterpreter {
  const uint8_t* model; size_t size; std::vector<float> in = std::vector<float>(4); std::vector<uint8_t> out = std::vector<uint8_t>(16); TfLiteTensor x, y;
  MicroInterpreter(const Model* m, const MicroOpResolver&, MicroAllocator* a, MicroResourceVariables*) : model(&m->first), size(a->size) {
    x.type = kTfLiteFloat32; x.bytes = 16; x.data.f = in.data(); y.type = kTfLiteInt8; y.bytes = 16; y.data.uint8 = out.data();
  }
  bool planned() const { return model == PLANNED; }
  TfLiteStatus AllocateTensors() { return size < (planned() ? 100u : 200u) ? kTfLiteError : kTfLiteOk; }
  size_t inputs_size() { return 1; }
  size_t outputs_size() { return 1; }
  TfLiteTensor* input(int) { return &x; }
  TfLiteTensor* output(int) { return &y; }
  TfLiteStatus Invoke() {
    memcpy(out.data(), in.data(), 16);
#ifdef BROKEN
    out[3] ^= planned();
#endif
    return kTfLiteOk;
  }
};
}
`

// The self-test tells whether the outputs are the same, and what else may be
// wrong. It was also compiled with TFLM's own sources.
func TestSelfTest(t *testing.T) {
	cxx, err := exec.LookPath("c++")
	if err != nil {
		shared.Missing(t, "there is no c++ to compile the self-test with")
	}
	folder := t.TempDir()
	write := func(name string, data []byte) {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Read(shared.Read(t, "tflite/tflm__person_detect.tflite"))
	if err != nil {
		t.Fatal(err)
	}
	_, _, planned := planExactly(t, f, Options{Overlap: true})
	var text bytes.Buffer
	if err := SelfTest(&text, planned, "1 model"); err != nil {
		t.Fatal(err)
	}
	for _, header := range []string{"micro/micro_allocator", "micro/micro_interpreter", "micro/micro_op_resolver", "micro/micro_resource_variable", "schema/schema_generated"} {
		write("tensorflow/lite/"+header+".h", []byte("#include \"stub.h\"\n"))
	}
	write("stub.h", []byte(interpreterStub))
	write("test.cc", text.Bytes())
	write("main.cc", []byte(`#include <cstdio>
#include "stub.h"
int model_1_model_self_test(const uint8_t*, size_t, const tflite::MicroOpResolver&, uint8_t*, size_t);
int main(int, char** args) {
  std::vector<uint8_t> model; int c; FILE* f = fopen(args[1], "rb");
  while ((c = fgetc(f)) != EOF) model.push_back(c);
  PLANNED = model.data();
  return model_1_model_self_test(model.data(), model.size(), {}, nullptr, atoi(args[2]));
}
`))
	write("planned.tflite", planned)
	planned[len(planned)-1] ^= 1
	write("other.tflite", planned)
	for _, broken := range []string{"", "-DBROKEN"} {
		args := []string{"-std=c++17", "-Wall", "-Werror", "-include", "cstdlib", "-I.", "main.cc", "test.cc", "-o", "test"}
		if broken != "" {
			args = append(args, broken)
		}
		cmd := exec.Command(cxx, args...)
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		differ := 0
		if broken != "" {
			differ = 1
		}
		for _, run := range []struct {
			model, arena string
			want         int
		}{{"planned", "1000", differ}, {"other", "1000", 2}, {"planned", "50", 3}, {"planned", "150", 4}} {
			cmd := exec.Command("./test", run.model+".tflite", run.arena)
			cmd.Dir = folder
			_ = cmd.Run()
			if got := cmd.ProcessState.ExitCode(); got != run.want {
				t.Errorf("%s: %+v: %d", broken, run, got)
			}
		}
	}
	if err := SelfTest(&text, f.data, "x"); err == nil {
		t.Error("a self-test of a file without a plan")
	}
}
