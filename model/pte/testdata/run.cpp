// Runs .pte programs in ExecuTorch's own runtime and hashes what they give.
// Each line of standard input is a job:
//
//   FILE FILL SEEDS CALLS CUT
//
// The program is loaded once a seed, its arenas filled with the byte FILL, each
// CUT bytes smaller than the file says, and every method is called CALLS times
// with inputs drawn from the seed. Printed is one line: "ok" and for each seed a
// hash of all outputs, or "error", its number, and what failed.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/runtime.h>

using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::extension::BufferDataLoader;
using executorch::extension::MallocMemoryAllocator;
using namespace executorch::runtime;

struct Failed { Error error; const char* what; };

static void check(Error error, const char* what) {
  if (error != Error::Ok) throw Failed{error, what};
}

struct Job { std::string file; int fill, seeds, calls; long cut; };

// An arena, with a guard behind it that nothing may write to.
struct Arena {
  static constexpr size_t kGuard = 256;
  std::vector<uint8_t> bytes;
  size_t size;
  Arena(size_t size, int fill) : bytes(size + kGuard + 64, 0xa5), size(size) { memset(base(), fill, size); }
  uint8_t* base() { return bytes.data() + (64 - reinterpret_cast<uintptr_t>(bytes.data()) % 64) % 64; }
  bool whole() {
    for (size_t i = 0; i < kGuard; i++) if (base()[size + i] != 0xa5) return false;
    return true;
  }
};

// Fills an input: small floats, small integers, of a method with several integer
// inputs the last with the number of the call, as a decoder's position.
static void fill(const TensorInfo& info, std::vector<uint8_t>& data, std::mt19937_64& random, bool position, int call) {
  data.resize(info.nbytes());
  size_t width = executorch::runtime::elementSize(info.scalar_type()), n = data.size() / width;
  for (size_t i = 0; i < n; i++) {
    uint64_t draw = random();
    if (info.scalar_type() == ScalarType::Float) {
      float v = static_cast<float>(static_cast<double>(draw >> 11) / (1ull << 52) - 1);
      memcpy(&data[i * width], &v, width);
    } else {
      uint64_t v = position ? static_cast<uint64_t>(call) : info.scalar_type() == ScalarType::Bool ? draw % 2 : draw % 12;
      memcpy(&data[i * width], &v, width);
    }
  }
}

static uint64_t hash(uint64_t h, const void* data, size_t n) {
  auto bytes = static_cast<const uint8_t*>(data);
  for (size_t i = 0; i < n; i++) h = (h ^ bytes[i]) * 1099511628211ull;
  return h;
}

// Loads a method, calls it, and adds its outputs to the hash.
static void run(Program& program, const char* name, const Job& job, int seed, uint64_t& h) {
  auto meta = program.method_meta(name);
  check(meta.error(), "method_meta");
  std::vector<std::unique_ptr<Arena>> arenas;
  std::vector<Span<uint8_t>> spans;
  for (size_t i = 0; i < meta->num_memory_planned_buffers(); i++) {
    size_t size = static_cast<size_t>(std::max<int64_t>(0, meta->memory_planned_buffer_size(i).get() - job.cut));
    arenas.push_back(std::make_unique<Arena>(size, job.fill));
    spans.push_back({arenas.back()->base(), size});
  }
  HierarchicalAllocator planned({spans.data(), spans.size()});
  MallocMemoryAllocator forever, temporary;
  MemoryManager memory(&forever, &planned, &temporary);
  auto method = program.load_method(name, &memory);
  check(method.error(), "load_method");
  std::mt19937_64 random(static_cast<uint64_t>(seed) * 7919 + 17);
  for (int call = 0; call < job.calls; call++) {
    size_t n = meta->num_inputs(), last = n, integers = 0;
    for (size_t i = 0; i < n; i++)
      if (meta->input_tag(i).get() == Tag::Tensor && meta->input_tensor_meta(i)->scalar_type() == ScalarType::Long) last = i, integers++;
    std::vector<std::vector<uint8_t>> data(n);
    for (size_t i = 0; i < n; i++) {
      if (meta->input_tag(i).get() != Tag::Tensor) continue;
      auto info = meta->input_tensor_meta(i);
      fill(*info, data[i], random, integers > 1 && i == last, call);
      std::vector<TensorImpl::SizesType> sizes(info->sizes().begin(), info->sizes().end());
      std::vector<TensorImpl::DimOrderType> order(info->dim_order().begin(), info->dim_order().end());
      std::vector<TensorImpl::StridesType> strides(sizes.size(), 1);
      for (size_t d = sizes.size(); d-- > 1;) strides[order[d - 1]] = strides[order[d]] * std::max(1, sizes[order[d]]);
      TensorImpl impl(info->scalar_type(), sizes.size(), sizes.data(), data[i].data(), order.data(), strides.data());
      check(method->set_input(Tensor(&impl), i), "set_input");
    }
    check(method->execute(), "execute");
    for (size_t i = 0; i < method->outputs_size(); i++) {
      const EValue& v = method->get_output(i);
      if (v.isTensor()) h = hash(h, v.toTensor().const_data_ptr(), v.toTensor().nbytes());
    }
  }
  for (auto& a : arenas) if (!a->whole()) throw Failed{Error::Internal, "bytes behind the arena were written"};
}

static std::vector<uint64_t> work(const Job& job) {
  FILE* f = fopen(job.file.c_str(), "rb");
  if (!f) throw Failed{Error::AccessFailed, "open"};
  std::vector<uint8_t> data;
  uint8_t chunk[1 << 16];
  for (size_t n; (n = fread(chunk, 1, sizeof chunk, f)) > 0;) data.insert(data.end(), chunk, chunk + n);
  fclose(f);
  BufferDataLoader loader(data.data(), data.size());
  auto program = Program::load(&loader, Program::Verification::InternalConsistency);
  check(program.error(), "load");
  std::vector<uint64_t> hashes(job.seeds, 14695981039346656037ull);
  for (int seed = 0; seed < job.seeds; seed++)
    for (size_t i = 0; i < program->num_methods(); i++) run(*program, *program->get_method_name(i), job, seed, hashes[seed]);
  return hashes;
}

int main() {
  runtime_init();
  char file[4096];
  Job job;
  while (scanf("%4095s %d %d %d %ld", file, &job.fill, &job.seeds, &job.calls, &job.cut) == 5) {
    job.file = file;
    try {
      std::string line = "ok";
      for (uint64_t h : work(job)) line += " " + std::to_string(h);
      puts(line.c_str());
    } catch (const Failed& e) {
      printf("error 0x%x %s\n", static_cast<unsigned>(e.error), e.what);
    }
    fflush(stdout);
  }
}
