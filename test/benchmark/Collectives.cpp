// SPDX-License-Identifier: Apache-2.0
// Collectives between threads of a process: long messages compared with the lower bound of their
// memory traffic, and short ones.
//
//     benchmark-collectives [participants] [megabytes]
//     benchmark-collectives --overlap [participants] [megabytes]
//     mpirun -n 2 benchmark-collectives --overlap --mpi [megabytes]
//
// The lower bound is a loop on the same threads that moves the same bytes without waiting: each
// reads what its result needs from everyone's operands; for an all-reduce, each adds up its share
// and writes it to everyone's results. Before each call participants write their operands again, as
// a program does. Both are measured alternately, and the minimum of several calls is reported.
//
// With --overlap (Overlap.h): how much of a long message a matrix product hides, between threads or
// over MPI.

#include "Operation.h"
#include "Overlap.h"
#include "hlort/communicator.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <thread>

using namespace hloc::test;

void hloc::test::addFloats(void *into, const void *from, int64_t elements) {
  auto *sum = static_cast<float *>(into);
  auto *next = static_cast<const float *>(from);
  for (int64_t i = 0; i < elements; ++i)
    sum[i] += next[i];
}

namespace {

constexpr int kRounds = 15;
constexpr int64_t kBlock = 16 << 10; // bytes that the loop keeps in a near cache

std::vector<Operation> makeKinds(int32_t n, int64_t bytes) {
  int64_t whole = std::max<int64_t>(bytes / 4 / n, 1) * n;
  Shape all{HLORT_F32, {whole}}, part{HLORT_F32, {whole / n}};
  Operation ring{"permute", HLORT_COLLECTIVE_PERMUTE, {all}, {all}};
  for (int64_t i = 0; i < n; ++i)
    ring.pairs.insert(ring.pairs.end(), {i, (i + 1) % n});
  return {{"all-reduce", HLORT_ALL_REDUCE, {all}, {all}},
          {"all-gather", HLORT_ALL_GATHER, {part}, {all}},
          {"reduce-scatter", HLORT_REDUCE_SCATTER, {all}, {part}},
          {"all-to-all", HLORT_ALL_TO_ALL, {all}, {all}},
          ring};
}

class Benchmark {
public:
  Benchmark(const Operation &operation, int32_t n)
      : operation(operation), n(n), program{"benchmark", 1, n, 1},
        descriptor(std::make_unique<Descriptor>(operation, program)), arrays(n) {
    operand = descriptor->what.operands[0];
    operand.combine = operand.combine ? addFloats : nullptr;
    descriptor->what.operands = &operand;
    for (Array &each : arrays) {
      each.from.assign(size_t(operation.operands[0].bytes()), 1);
      each.to.assign(size_t(operation.results[0].bytes()), 0);
    }
  }

  /// Nanoseconds for one call: of the operation, and of the least traffic. Without that, calls
  /// follow each other in one run.
  std::pair<double, double> measure(int64_t calls, bool withLeast) {
    hlort_communicator *all = hlort_in_process_create(n, nullptr);
    double operationTime = 1e30, leastTime = 1e30;
    std::vector<std::thread> threads;
    for (int32_t self = 0; self < n; ++self)
      threads.emplace_back([&, self] {
        hlort_context *context = hlort_context_create(nullptr, nullptr);
        hlort_context_join(context, all, self, nullptr, nullptr);
        for (int round = 0; round < kRounds; ++round) {
          double time = withLeast ? timed(self, calls, [&] { run(context, self, 1); })
                                  : timed(self, 1, [&] { run(context, self, calls); }) / calls;
          double least = withLeast ? timed(self, calls, [&] { moveLeast(self); }) : 0;
          if (self == 0) {
            operationTime = std::min(operationTime, time);
            leastTime = std::min(leastTime, least);
          }
        }
        gate();
        hlort_context_destroy(context);
      });
    for (std::thread &thread : threads)
      thread.join();
    hlort_communicator_destroy(all);
    return {operationTime, leastTime};
  }

private:
  struct Array {
    Bytes from, to;
  };

  /// Nanoseconds of a call, waiting for all before and after.
  template <typename Function> double timed(int32_t self, int64_t calls, Function function) {
    double total = 0;
    for (int64_t i = 0; i < calls; ++i) {
      std::memset(arrays[self].from.data(), 0, arrays[self].from.size());
      gate();
      auto start = std::chrono::steady_clock::now();
      function();
      gate();
      total += std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
                   .count();
    }
    return total / double(calls);
  }

  /// Waits for all without going to sleep.
  void gate() {
    int64_t number = gateArrivals.fetch_add(1) / n;
    while (gateArrivals.load() < (number + 1) * n)
      __builtin_ia32_pause();
  }

  void run(hlort_context *context, int32_t self, int64_t calls) {
    hlort_status status{};
    int32_t code = hlort_program_begin(context, &program, &status);
    const void *operands[] = {arrays[self].from.data()};
    void *results[] = {arrays[self].to.data()};
    for (int64_t i = 0; i < calls && !code; ++i)
      code = hlort_collective_run(context, &descriptor->what, operands, results, &status);
    if (hlort_program_end(context, &program, code, &status)) {
      std::fprintf(stderr, "error: %s\n", status.message);
      std::exit(1);
    }
  }

  /// What one thread has to move.
  void moveLeast(int32_t self) {
    bool isReduce = operation.kind == HLORT_ALL_REDUCE;
    if (isReduce || operation.kind == HLORT_REDUCE_SCATTER) {
      int64_t part = int64_t(arrays[0].from.size()) / n;
      for (int64_t at = 0; at < part; at += kBlock)
        addBlock(self * part + at, isReduce ? self * part + at : at, std::min(kBlock, part - at),
                 isReduce ? arrays : std::span(&arrays[self], 1));
      return;
    }
    char *to = reinterpret_cast<char *>(arrays[self].to.data());
    int64_t size = int64_t(arrays[self].to.size());
    if (operation.kind == HLORT_COLLECTIVE_PERMUTE) {
      std::memcpy(to, arrays[(self + n - 1) % n].from.data(), size_t(size));
      return;
    }
    int64_t part = size / n, offset = operation.kind == HLORT_ALL_TO_ALL ? self * part : 0;
    for (int32_t source = 0; source < n; ++source)
      std::memcpy(to + source * part, arrays[source].from.data() + offset, size_t(part));
  }

  /// Adds up a block of all operands and writes it to the results.
  void addBlock(int64_t from, int64_t to, int64_t bytes, std::span<Array> targets) {
    alignas(64) char sum[kBlock];
    std::memcpy(sum, arrays[0].from.data() + from, size_t(bytes));
    for (int32_t source = 1; source < n; ++source)
      addFloats(sum, arrays[source].from.data() + from, bytes / 4);
    for (Array &target : targets)
      std::memcpy(target.to.data() + to, sum, size_t(bytes));
  }

  Operation operation;
  int32_t n;
  hlort_program program;
  std::unique_ptr<Descriptor> descriptor;
  hlort_collective_array operand;
  std::vector<Array> arrays;
  std::atomic<int64_t> gateArrivals = 0;
};

void measureCalls(int32_t n, int64_t megabytes) {
  std::printf("%d participants\n%-16s %10s %12s %12s %8s\n", n, "", "bytes", "us", "least us",
              "times");
  std::vector<int64_t> sizes = {1 << 20, 4 << 20, 16 << 20, 64 << 20};
  if (megabytes)
    sizes = {megabytes << 20};
  for (int64_t bytes : sizes)
    for (const Operation &operation : makeKinds(n, bytes)) {
      int64_t calls = std::max<int64_t>((32 << 20) / bytes, 1);
      auto [time, least] = Benchmark(operation, n).measure(calls, true);
      std::printf("%-16s %10lld %12.1f %12.1f %8.2f\n", operation.name.c_str(), (long long)bytes,
                  time / 1000, least / 1000, time / least);
    }
  for (const Operation &operation : makeKinds(n, 64)) {
    double time = Benchmark(operation, n).measure(2000, false).first;
    std::printf("%-16s %10d %12.2f\n", operation.name.c_str(), 64, time / 1000);
  }
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  bool isOverlap = std::erase(arguments, "--overlap") > 0,
       isMpi = std::erase(arguments, "--mpi") > 0;
  auto number = [&](size_t i, int64_t otherwise) {
    return i < arguments.size() ? std::atoll(arguments[i].c_str()) : otherwise;
  };
  int64_t n = isMpi ? 2 : number(0, 2), megabytes = number(isMpi ? 0 : 1, 0);
  if (n < 2 || n > 64 || megabytes < 0 || (isMpi && !isOverlap)) {
    std::fprintf(stderr, "usage: benchmark-collectives [--overlap [--mpi]] [participants] "
                         "[megabytes]\n");
    return 2;
  }
  if (isOverlap)
    return measureOverlap(int32_t(n), (megabytes ? megabytes : 16) << 20, isMpi, makeKinds);
  measureCalls(int32_t(n), megabytes);
  return 0;
}
