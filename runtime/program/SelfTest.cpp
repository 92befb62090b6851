// SPDX-License-Identifier: Apache-2.0
// The main function of self-tests (hloc --emit=selftest).

#include "hlort/selftest.h"
#include "hlort/communicator.h"
#include "hlort/weights.h"
#include "program/Arguments.h"
#include "program/CommandLine.h"
#include "program/Instance.h"
#include "program/NpyHeader.h"
#include "program/Processor.h"
#include "program/Sample.h"
#include "program/StandardOutput.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstring>
#include <thread>

using namespace hloc::runtime;

namespace {

enum ExitCode { Passed = 0, Failed = 1, WrongUsage = 2 };

/// Bytes that memory is filled with before each run, alternately, so that a dependence on its
/// contents shows.
constexpr int fillings[] = {0xff, 0x55};
/// The maximum number of wrong elements of a result that are printed.
constexpr int64_t mostShown = 5;

struct Options {
  int64_t threads = 0, repeat = 1;
  bool help = false;
};

void printUsage(const char *program, const hlort_module &module) {
  std::printf(
      "usage: %s [option...]\n"
      "Runs %s on the inputs that it was tested with when it was compiled, and checks that its\n"
      "results on this machine are as close to those of the reference evaluator as the module's\n"
      "operations allow.\n"
      "  --threads=N  run on one thread and on N (default: as many as there are processors); the\n"
      "               bits of the results have to be the same\n"
      "  --repeat=N   run N times on each number of threads (default 1)\n"
      "Exit status: 0 passed, 1 failed, 2 the command line was wrong.\n",
      program, module.name);
}

/// The contexts of all participants, each with a number of threads.
class Team {
public:
  /// False, with a status, if one cannot be made.
  bool create(const hlort_module &module, int32_t participants, int32_t threads,
              hlort_status &status) {
    if (participants > 1) {
      communicator.reset(hlort_in_process_create(participants, &status));
      if (!communicator)
        return false;
    }
    for (int32_t i = 0; i < participants; ++i) {
      hlort_context *context = contexts.emplace_back(makeContext(module, threads, status)).get();
      if (!context ||
          (communicator && hlort_context_join(context, communicator.get(), i, nullptr, &status)))
        return false;
    }
    return true;
  }

  /// Runs the module on all participants at once. False, with a status, if one fails.
  bool run(std::vector<Instance> &instances, uint64_t seed, hlort_status &status) {
    std::vector<hlort_status> statuses(instances.size());
    auto runOne = [&](size_t i) {
      if (!hlort_random_seed(contexts[i].get(), seed, &statuses[i]))
        instances[i].run(contexts[i].get(), statuses[i]);
    };
    std::vector<std::thread> others;
    for (size_t i = 1; i < instances.size(); ++i)
      others.emplace_back(runOne, i);
    runOne(0);
    for (std::thread &other : others)
      other.join();
    for (const hlort_status &one : statuses) // causes before consequences
      if (one.code && (!status.code || status.code == HLORT_CANCELLED))
        status = one;
    return !status.code;
  }

private:
  struct DestroyCommunicator {
    void operator()(hlort_communicator *all) const { hlort_communicator_destroy(all); }
  };
  std::unique_ptr<hlort_communicator, DestroyCommunicator> communicator;
  std::vector<ContextHandle> contexts; // contexts leave it before it is destroyed
};

std::string count(int64_t number, const char *what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

class SelfTest {
public:
  SelfTest(const hlort_module &module, const hlort_selftest &test, const Options &options)
      : module(module), test(test), options(options) {}

  /// Returns true if the module computes correctly; prints what is wrong.
  bool run() {
    describe();
    return hasFeatures() && prepare() && runAll();
  }

private:
  bool fail(const std::string &message) {
    std::printf("error: %s\n", message.c_str());
    return false;
  }
  bool fail() { return fail(status.message); }

  void describe() {
    std::printf("selftest of %s, compiled by %s for %s\n", module.name, test.compiler,
                module.target);
    std::printf("this machine: %s, %s\n", getProcessorName().c_str(),
                count(std::max(std::thread::hardware_concurrency(), 1u), "processor").c_str());
    if (test.participants > 1)
      std::printf("participants: %d, each a thread of this process\n", test.participants);
    flushStandardOutput();
  }

  bool hasFeatures() {
    std::string missing;
    for (const char *const *feature = test.features; *feature; ++feature)
      if (!hasFeature(*feature))
        missing += (missing.empty() ? "" : ", ") + std::string(*feature);
    return missing.empty() ||
           fail("this processor, or its operating system, lacks what the code was compiled for: " +
                missing + " (hloc --mcpu names another processor)");
  }

  bool prepare() {
    if (hlort_module_check(&module, &status))
      return fail();
    if (module.weights && (hlort_weights_load(module.weights, nullptr, &status) ||
                           hlort_weights_verify(module.weights, &status)))
      return fail();
    for (int32_t i = 0; i < test.participants; ++i)
      if (!instances.emplace_back(module).allocate(status))
        return fail();
    Fingerprint inputs;
    for (int32_t participant = 0; participant < test.participants; ++participant)
      for (int64_t i = 0; i < module.argument_count; ++i)
        if (module.arguments[i].size_of < 0) {
          makeArgument(participant, i);
          ArrayPlaces places(module.arguments[i], getBounds(module.arguments[i]));
          const char *memory = instances[size_t(participant)].getArgument(i);
          places.forEach([&](int64_t place) {
            char value[Element::mostBytes];
            places.load(memory, place, value);
            inputs.add(value, size_t(places.getElement().getBytes()));
            return true;
          });
        }
    return inputs.get() == test.inputs ||
           fail("the random inputs differ from those that were used when the module was compiled");
  }

  void makeArgument(int32_t participant, int64_t argument) {
    const hlort_port &port = module.arguments[argument];
    Instance &instance = instances[size_t(participant)];
    uint64_t seed = test.seed + (uint64_t(participant) << 32) + uint64_t(argument);
    drawArgument(port, seed, test.index_bounds[argument], instance.getArgument(argument));
    instance.setShape(argument, getBounds(port));
  }

  bool runAll() {
    int64_t most = std::thread::hardware_concurrency() / test.participants;
    std::vector<int32_t> threads{1};
    if (int64_t more = options.threads ? options.threads : most; more > 1)
      threads.push_back(int32_t(more));
    std::vector<Team> teams(threads.size());
    for (size_t i = 0; i < teams.size(); ++i)
      if (!teams[i].create(module, test.participants, threads[i], status))
        return fail();
    bool right = true;
    int64_t runs = 0;
    for (int64_t round = 0; round < options.repeat; ++round)
      for (size_t i = 0; i < teams.size(); ++i, ++runs) {
        if (!runOnce(teams[i], runs))
          return false;
        if (runs == 0)
          right = judge();
        else if (!isAsBefore(runs, threads[i]))
          return false;
      }
    std::string text = count(runs, "run") + " on " + count(threads[0], "thread");
    if (threads.size() > 1)
      text += " and on " + std::to_string(threads[1]);
    const char *known = !test.has_bits            ? ""
                        : bits.get() == test.bits ? ", as where it was compiled"
                                                  : ", NOT as where it was compiled";
    std::printf("%s%s\nfingerprint of the results' bits: %016" PRIx64 "%s\n", text.c_str(),
                runs > 1 ? ": the same bits" : "", bits.get(), known);
    return right;
  }

  bool runOnce(Team &team, int64_t number) {
    for (Instance &instance : instances)
      instance.fill(fillings[number % std::ptrdiff_t(std::size(fillings))]);
    for (int64_t i = 0; number && i < module.result_count; ++i)
      if (int64_t argument = module.results[i].alias; argument >= 0) { // the last run wrote to it
        int64_t array = module.arguments[argument].size_of;
        for (int32_t participant = 0; participant < test.participants; ++participant)
          makeArgument(participant, array >= 0 ? array : argument);
      }
    return team.run(instances, test.seed, status) || fail();
  }

  /// Compares all results with the expected ones, prints the outcome, and keeps them for later
  /// runs.
  bool judge() {
    bool right = true;
    for (int32_t participant = 0; participant < test.participants; ++participant)
      for (int64_t i = 0; i < module.result_count; ++i) {
        const hlort_port &port = module.results[i];
        Instance &instance = instances[size_t(participant)];
        const char *memory = instance.getResult(i);
        first.push_back({{memory, memory + port.bytes}, instance.getShape(i)});
        if (port.size_of >= 0)
          continue;
        ArrayPlaces places(port, first.back().shape);
        places.forEach([&](int64_t place) {
          char value[Element::mostBytes];
          places.load(memory, place, value);
          bits.add(value, size_t(places.getElement().getBytes()));
          return true;
        });
        right &= judge(participant, i);
      }
    return right;
  }

  bool judge(int32_t participant, int64_t number) {
    const hlort_port &port = module.results[number];
    const hlort_expected &expected = test.results[participant * module.result_count + number];
    Instance &instance = instances[size_t(participant)];
    ArrayShape shape = instance.getShape(number),
               expectedShape(expected.dims, expected.dims + port.rank);
    std::string name = getName(participant, number) + " " + port.name + ": " +
                       findElement(port.element_type)->name + "[" + joinSizes(shape) + "], ";
    if (shape != expectedShape) {
      std::printf("%sexpected [%s]: WRONG\n", name.c_str(), joinSizes(expectedShape).c_str());
      return false;
    }
    ArrayPlaces places(port, shape);
    const Element &element = places.getElement();
    Tolerance tolerance = {.atol = expected.absolute, .ulp = expected.ulp};
    const auto *wanted = static_cast<const char *>(expected.elements);
    int64_t wrong = 0;
    double furthest = 0;
    std::string shown;
    for (int64_t i = 0; i < expected.count; ++i, wanted += element.getBytes()) {
      int64_t position = getSamplePosition(i, expected.count, places.getCount());
      char value[Element::mostBytes];
      places.load(instance.getResult(number), places.getPlace(position), value);
      furthest = std::max(furthest, expected.ulp ? element.getUlpsApart(value, wanted)
                                                 : element.getDistance(value, wanted));
      if (!element.isWithin(tolerance, value, wanted) && ++wrong <= mostShown)
        shown += "  at " + getIndexText(position, shape) + ": expected " +
                 element.getText(wanted, /*allDigits=*/true) + ", computed " +
                 element.getText(value, /*allDigits=*/true) + "\n";
    }
    const auto *all = static_cast<const char *>(expected.elements);
    std::string verdict = wrong ? count(wrong, "element") + " WRONG"
                          : element.admitsZeros(tolerance, all, expected.count)
                              ? "not judged, as even zeros would be"
                              : "right";
    std::string elements =
        expected.count < places.getCount() ? std::to_string(expected.count) + " of " : "";
    std::printf("%s%s%s: largest error %.3g%s, %s%s: %s\n", name.c_str(), elements.c_str(),
                count(places.getCount(), "element").c_str(), furthest, expected.ulp ? " ulp" : "",
                expected.bound ? "may be " : "must be exact", expected.bound ? expected.bound : "",
                verdict.c_str());
    std::printf("%s", shown.c_str());
    if (wrong > mostShown)
      std::printf("  and %lld more\n", static_cast<long long>(wrong - mostShown));
    return !wrong;
  }

  std::string getName(int32_t participant, int64_t result) const {
    std::string name = "out" + std::to_string(result);
    return test.participants > 1 ? name + ".p" + std::to_string(participant) : name;
  }

  /// Returns true if the results have the bits of the first run; otherwise prints where they
  /// differ.
  bool isAsBefore(int64_t run, int32_t threads) {
    for (int32_t participant = 0; participant < test.participants; ++participant)
      for (int64_t i = 0; i < module.result_count; ++i) {
        const Kept &kept = first[size_t(participant * module.result_count + i)];
        const char *memory = instances[size_t(participant)].getResult(i);
        ArrayPlaces places(module.results[i], kept.shape);
        int64_t position = 0;
        bool same = instances[size_t(participant)].getShape(i) == kept.shape;
        // Memory past the sizes of an array, and after its last bits, is unspecified.
        if (same && std::memcmp(memory, kept.bytes.data(), kept.bytes.size()) != 0)
          places.forEach([&](int64_t place) {
            char now[Element::mostBytes], before[Element::mostBytes];
            places.load(memory, place, now);
            places.load(kept.bytes.data(), place, before);
            same = std::memcmp(now, before, size_t(places.getElement().getBytes())) == 0;
            position += same;
            return same;
          });
        if (!same)
          return fail("run " + std::to_string(run + 1) + ", on " + count(threads, "thread") +
                      ", has other bits than the first in " + getName(participant, i) + " at " +
                      getIndexText(position, kept.shape));
      }
    return true;
  }

  /// A result of the first run.
  struct Kept {
    std::vector<char> bytes;
    ArrayShape shape;
  };

  const hlort_module &module;
  const hlort_selftest &test;
  const Options &options;
  hlort_status status = {};
  std::vector<Instance> instances;
  std::vector<Kept> first;
  Fingerprint bits; // of the results of the first run
};

} // namespace

int32_t hlort_selftest_main(int32_t argc, char **argv, const hlort_module *module,
                            const hlort_selftest *test) {
  Options options;
  if (!readCommandLine(argc, argv, {},
                       {{"--threads", options.threads, 1, mostThreads},
                        {"--repeat", options.repeat, 1, INT64_MAX}},
                       options.help))
    return WrongUsage;
  if (options.help) {
    printUsage(argv[0], *module);
    return flushStandardOutput() ? Passed : Failed;
  }
  bool passed = false;
  try {
    passed = SelfTest(*module, *test, options).run();
  } catch (const std::exception &error) { // no memory
    std::printf("error: %s\n", error.what());
  }
  std::printf("selftest: %s\n", passed ? "passed" : "FAILED");
  return flushStandardOutput() && passed ? Passed : Failed;
}
