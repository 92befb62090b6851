// SPDX-License-Identifier: Apache-2.0
// Measures the limits of this machine, for comparison in the benchmark: multiply-adds per second in
// registers, and the bandwidth of a[i] = b[i] + s * c[i] over arrays that fit into L2, into the
// last-level cache, and only into memory.
//
//     machine-limits THREADS        prints one JSON object; rates of all threads together
//
// Each number is the best of several short trials: a limit, not an average.
#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64, kAccumulators = 24;
#elif defined(__AVX__)
constexpr int kVectorBytes = 32, kAccumulators = 12;
#else
constexpr int kVectorBytes = 16, kAccumulators = 12;
#endif
constexpr int kTrials = 8;

using Floats = float __attribute__((vector_size(kVectorBytes)));
constexpr int kLanes = kVectorBytes / sizeof(float);

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Keeps the compiler from knowing, merging or dropping a register's value.
template <typename Vector> inline void opaque(Vector &value) {
#if defined(__x86_64__)
  asm volatile("" : "+v"(value));
#else
  asm volatile("" : "+w"(value));
#endif
}

// Steps per second of `step(accumulator)` on independent accumulators. The index sequence unrolls
// the accumulators into registers.
template <typename Vector, typename Step, size_t... I>
double stepRate(Step step, std::index_sequence<I...>) {
  Vector accumulators[] = {(static_cast<void>(I), Vector{})...};
  (opaque(accumulators[I]), ...);
  constexpr int64_t kRounds = 6'000'000;
  double start = seconds();
  for (int64_t round = 0; round < kRounds; ++round) {
    (static_cast<void>(accumulators[I] = step(accumulators[I])), ...);
    (opaque(accumulators[I]), ...);
  }
  return static_cast<double>(kRounds) * sizeof...(I) / (seconds() - start);
}

template <typename Vector, typename Step> double stepRate(Step step) {
  return stepRate<Vector>(step, std::make_index_sequence<kAccumulators>());
}

double f32Rate() {
  Floats x{}, y{};
  opaque(x), opaque(y);
  auto step = [=](Floats a) { return __builtin_elementwise_fma(x, y, a); };
  return stepRate<Floats>(step) * kLanes * 2;
}

#if defined(__AVX512BF16__)
double bf16Rate() {
  __m512bh x{}, y{};
  opaque(x), opaque(y);
  return stepRate<__m512>([=](__m512 a) { return _mm512_dpbf16_ps(a, x, y); }) * 16 * 4;
}
#endif

#if defined(__AVX512VNNI__)
double s8Rate() {
  __m512i x{}, y{};
  opaque(x), opaque(y);
  return stepRate<__m512i>([=](__m512i a) { return _mm512_dpbusd_epi32(a, x, y); }) * 16 * 8;
}
#endif

// Bytes read and written per second over three arrays of `bytes` in all.
double triadRate(int64_t bytes) {
  int64_t count = bytes / 3 / static_cast<int64_t>(sizeof(Floats));
  auto *memory = static_cast<Floats *>(std::aligned_alloc(64, 3 * count * sizeof(Floats)));
  Floats *a = memory, *b = memory + count, *c = memory + 2 * count;
  for (int64_t i = 0; i < 3 * count; ++i)
    memory[i] = Floats{} + 1.0f;
  int64_t sweeps = 1 + (int64_t{1} << 29) / bytes;
  double start = seconds();
  for (int64_t sweep = 0; sweep < sweeps; ++sweep) {
    for (int64_t i = 0; i < count; ++i)
      a[i] = b[i] + 3.0f * c[i];
    asm volatile("" ::: "memory");
  }
  double rate = static_cast<double>(3 * count * sizeof(Floats) * sweeps) / (seconds() - start);
  std::free(memory);
  return rate;
}

// The best total over the trials of all threads running `measure` at the same time, in 10^9/s.
double best(int threads, const std::function<double()> &measure) {
  double most = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::barrier gate(threads);
    std::vector<double> rates(threads);
    std::vector<std::thread> running;
    for (int t = 0; t < threads; ++t)
      running.emplace_back([&, t] {
        gate.arrive_and_wait();
        rates[t] = measure();
      });
    double total = 0;
    for (int t = 0; t < threads; ++t) {
      running[t].join();
      total += rates[t];
    }
    most = total > most ? total : most;
  }
  return most / 1e9;
}

} // namespace

int main(int argc, char **argv) {
  int threads = argc == 2 ? std::atoi(argv[1]) : 0;
  if (threads < 1) {
    std::fprintf(stderr, "usage: machine-limits THREADS\n");
    return 2;
  }
  std::printf("{\"f32\": %.1f", best(threads, f32Rate));
#if defined(__AVX512BF16__)
  std::printf(", \"bf16\": %.1f", best(threads, bf16Rate));
#endif
#if defined(__AVX512VNNI__)
  std::printf(", \"s8\": %.1f", best(threads, s8Rate));
#endif
  struct Level {
    const char *name;
    int64_t bytes;
  };
  for (Level level : {Level{"L2", 768 << 10}, Level{"L3", 12 << 20}, Level{"memory", 384 << 20}})
    std::printf(", \"%s\": %.1f", level.name,
                best(threads, [&] { return triadRate(level.bytes); }));
  std::printf("}\n");
  return 0;
}
