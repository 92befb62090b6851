// SPDX-License-Identifier: Apache-2.0

#include "Overlap.h"
#include "hlort/mpi_process.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <thread>

namespace hloc::test {

namespace {

constexpr int kRounds = 15;

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

void check(int32_t code, const hlort_status &status) {
  if (code == HLORT_OK)
    return;
  std::fprintf(stderr, "error: %s\n", status.message);
  std::exit(1);
}

/// Matrices that stay in a near cache, multiplied again and again.
class Product {
public:
  void run(int64_t times) {
    for (; times > 0; --times)
      for (int64_t i = 0; i < kSize; ++i)
        for (int64_t k = 0; k < kSize; ++k)
          for (int64_t j = 0; j < kSize; ++j)
            to[i][j] += left[i][k] * right[k][j];
    asm volatile("" ::"r"(to) : "memory");
  }

private:
  static constexpr int64_t kSize = 64;
  alignas(64) float left[kSize][kSize] = {}, right[kSize][kSize] = {}, to[kSize][kSize] = {};
};

/// The least of several rounds, in microseconds.
struct Times {
  double transfer = 1e30, product = 1e30, both = 1e30;
  double done = 0;      // of the quickest round of both
  double meanwhile = 0; // the part of the bytes that others than the participants have moved
};

/// One participant of one operation.
class Side {
public:
  Side(hlort_context *context, hlort_communicator *all, const Operation &operation)
      : context(context), all(all), program{"overlap", 1, hlort_communicator_participants(all), 1},
        descriptor(operation, program),
        sum(Operation{"sum", HLORT_ALL_REDUCE, {{HLORT_F32, {}}}, {{HLORT_F32, {}}}}, program),
        from(size_t(operation.operands[0].bytes()), 1), to(size_t(operation.results[0].bytes())) {
    operand = descriptor.what.operands[0];
    operand.combine = operand.combine ? addFloats : nullptr;
    descriptor.what.operands = &operand;
    scalar = sum.what.operands[0];
    scalar.combine = addFloats;
    sum.what.operands = &scalar;
  }

  Times measure() {
    check(hlort_program_begin(context, &program, &status), status);
    Times times;
    auto timed = [&](double &least, auto &&body) {
      meet();
      auto start = Clock::now();
      body();
      double time = since(start);
      bool isBest = time < least;
      least = std::min(least, time);
      return isBest;
    };
    for (int round = 0; round < kRounds; ++round)
      timed(times.transfer, [&] { transfer(0); });
    double one = 1e30;
    for (int round = 0; round < kRounds; ++round)
      timed(one, [&] { product.run(1); });
    // About half as long again as the transfer; the same for all.
    float participants = meet(1);
    auto count = int64_t(meet(float(1.5 * times.transfer / one)) / participants) + 1;
    for (int round = 0; round < kRounds; ++round)
      timed(times.product, [&] { product.run(count); });
    meet();
    hlort_traffic before, after;
    hlort_communicator_traffic(all, &before);
    for (int round = 0; round < kRounds; ++round) {
      double done = 0;
      if (timed(times.both, [&] { done = transfer(count); }))
        times.done = done;
    }
    meet();
    hlort_communicator_traffic(all, &after);
    times.meanwhile =
        double(after.bytes_meanwhile - before.bytes_meanwhile) / double(after.bytes - before.bytes);
    check(hlort_program_end(context, &program, HLORT_OK, &status), status);
    return times;
  }

private:
  /// With so many products between start and done, if any. How long the done takes.
  double transfer(int64_t products) {
    const void *operands[] = {from.data()};
    void *results[] = {to.data()};
    hlort_ticket *ticket = nullptr;
    if (products == 0) {
      check(hlort_collective_run(context, &descriptor.what, operands, results, &status), status);
      return 0;
    }
    check(hlort_collective_start(context, &descriptor.what, operands, results, &ticket, &status),
          status);
    product.run(products);
    auto start = Clock::now();
    check(hlort_collective_done(context, ticket, &status), status);
    return since(start);
  }

  /// Waits for all; the sum of what they bring.
  float meet(float mine = 0) {
    float total = 0;
    const void *operands[] = {&mine};
    void *results[] = {&total};
    check(hlort_collective_run(context, &sum.what, operands, results, &status), status);
    return total;
  }

  hlort_context *context;
  hlort_communicator *all;
  hlort_status status{};
  hlort_program program;
  Descriptor descriptor, sum;
  hlort_collective_array operand, scalar;
  Bytes from, to;
  Product product;
};

/// Prints the line of participant 0 if it is one of this process.
void measureOne(hlort_communicator *all, const Operation &operation,
                const std::vector<hlort_context *> &contexts) {
  Times times;
  std::vector<std::thread> participants;
  for (hlort_context *context : contexts)
    participants.emplace_back([&, context] {
      Times own = Side(context, all, operation).measure();
      if (hlort_participant(context) == 0)
        times = own;
    });
  for (std::thread &participant : participants)
    participant.join();
  if (hlort_participant(contexts[0]) > 0)
    return;
  int64_t bytes = std::max(operation.operands[0].bytes(), operation.results[0].bytes());
  double hidden = (times.transfer + times.product - times.both) / times.transfer;
  std::printf("%-16s %10lld %12.1f %12.1f %12.1f %12.1f %7.0f%% %9.0f%%\n", operation.name.c_str(),
              (long long)bytes, times.transfer, times.product, times.both, times.done, 100 * hidden,
              100 * times.meanwhile);
  std::fflush(stdout);
}

/// Takes the communicator. `first`: the first participant of this process.
void measureAll(hlort_communicator *all, int64_t bytes, int32_t first, int32_t threads,
                const MakeKinds &makeKinds) {
  int32_t n = hlort_communicator_participants(all);
  if (first == 0)
    std::printf("%d participants\n%-16s %10s %12s %12s %12s %12s %8s %10s\n", n, "", "bytes", "us",
                "product us", "both us", "done us", "hidden", "meanwhile");
  std::vector<hlort_context *> contexts;
  hlort_status status{};
  for (int32_t i = 0; i < threads; ++i) {
    contexts.push_back(hlort_context_create(nullptr, &status));
    check(hlort_context_join(contexts.back(), all, first + i, nullptr, &status), status);
  }
  for (const Operation &operation : makeKinds(n, bytes))
    measureOne(all, operation, contexts);
  for (hlort_context *context : contexts)
    hlort_context_destroy(context);
  hlort_communicator_destroy(all);
}

/// The library beside this program, which MPI needs to have its symbols seen by all.
template <typename Function> Function *find(const char *name) {
  static void *library = [] {
    char path[4096] = "";
    if (FILE *file = std::fopen("/proc/self/cmdline", "r")) {
      [[maybe_unused]] size_t read = std::fread(path, 1, sizeof path - 1, file);
      std::fclose(file);
    }
    std::string program = path;
    size_t slash = program.rfind('/');
    std::string beside = slash == std::string::npos ? "" : program.substr(0, slash) + "/../lib/";
    return dlopen((beside + "libhlort_mpi_process.so").c_str(),
                  RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
  }();
  void *symbol = library ? dlsym(library, name) : nullptr;
  if (!symbol) {
    std::fprintf(stderr, "error: %s\n", dlerror());
    std::exit(1);
  }
  return reinterpret_cast<Function *>(symbol);
}

} // namespace

int measureOverlap(int32_t participants, int64_t bytes, bool isMpi, const MakeKinds &makeKinds) {
  hlort_status status{};
  if (!isMpi) {
    hlort_communicator *all = hlort_in_process_create(participants, &status);
    check(status.code, status);
    measureAll(all, bytes, 0, participants, makeKinds);
    return 0;
  }
  hlort_mpi_process process{};
  check(find<decltype(hlort_mpi_process_begin)>("hlort_mpi_process_begin")(&process, &status),
        status);
  hlort_communicator *all = hlort_communicator_create(&process.transport, &status);
  check(status.code, status);
  measureAll(all, bytes, process.rank, 1, makeKinds);
  find<decltype(hlort_mpi_process_end)>("hlort_mpi_process_end")(0);
  return 0;
}

} // namespace hloc::test
