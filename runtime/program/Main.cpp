// SPDX-License-Identifier: Apache-2.0
// The main function of stand-alone programs (hloc --emit=exe).

#include "program/Arguments.h"
#include "program/CommandLine.h"
#include "program/Instance.h"
#include "program/StandardOutput.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <sys/stat.h>
#include <vector>

using namespace hloc::runtime;

namespace {

enum ExitCode { Done = 0, Failed = 1, WrongUsage = 2 };

struct Options {
  std::string inputsFrom, outputsTo;
  int64_t threads = 1, repeat = 1, seed = 0;
  bool help = false;
};

void printUsage(const char *program, const hlort_module &module) {
  std::printf("usage: %s [option...]\n"
              "Runs %s once and prints its results.\n"
              "  --inputs-from=DIR  read in0.npy, in1.npy, ... (default: random arrays)\n"
              "  --outputs-to=DIR   write out0.npy, ... instead of printing\n"
              "  --threads=N        threads of a run (default 1)\n"
              "  --repeat=N         run N times and print the time of one (median)\n"
              "  --seed=N           seed of random arrays and generators\n",
              program, module.name);
}

class Program {
public:
  Program(const hlort_module &module, const int64_t *bounds, const Options &options)
      : module(module), bounds(bounds), options(options), instance(module) {}

  bool run() { return prepare() && makeArguments() && callModule() && giveResults(); }

private:
  bool fail() { return fail(status.message); }
  bool fail(const std::string &message) {
    std::fprintf(stderr, "error: %s\n", message.c_str());
    return false;
  }

  bool prepare() {
    if (hlort_module_check(&module, &status))
      return fail();
    context = makeContext(module, int32_t(options.threads), status);
    if (!context || hlort_random_seed(context.get(), uint64_t(options.seed), &status))
      return fail();
    return instance.allocate(status) || fail();
  }

  bool makeArguments() {
    for (int64_t i = 0; i < module.argument_count; ++i) {
      const hlort_port &port = module.arguments[i];
      if (port.size_of >= 0)
        continue; // its array provides it
      char *memory = instance.getArgument(i);
      ArrayShape shape = getBounds(port);
      if (options.inputsFrom.empty()) {
        drawArgument(port, uint64_t(options.seed + i), bounds ? bounds[i] : 0, memory);
      } else {
        std::string file = options.inputsFrom + "/in" + std::to_string(i) + ".npy";
        if (std::string fault = readArgument(file, port, memory, shape); !fault.empty())
          return fail(file + ": " + fault);
      }
      instance.setShape(i, shape);
    }
    return true;
  }

  bool callModule() {
    std::vector<double> times;
    for (int64_t i = 0; i < options.repeat; ++i) {
      auto start = std::chrono::steady_clock::now();
      if (instance.run(context.get(), status))
        return fail();
      times.push_back(
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::nth_element(times.begin(), times.begin() + std::ptrdiff_t(times.size() / 2), times.end());
    if (options.repeat > 1)
      std::printf("%.9f seconds\n", times[times.size() / 2]);
    return true;
  }

  bool giveResults() {
    if (!options.outputsTo.empty())
      mkdir(options.outputsTo.c_str(), 0777); // if this fails, so does writing
    for (int64_t i = 0; i < module.result_count; ++i) {
      const hlort_port &port = module.results[i];
      if (port.size_of >= 0)
        continue;
      const char *memory = instance.getResult(i);
      ArrayShape shape = instance.getShape(i);
      if (options.outputsTo.empty()) {
        std::printf("out%lld %s: %s\n", static_cast<long long>(i), port.name,
                    summarizeResult(port, shape, memory).c_str());
        continue;
      }
      std::string file = options.outputsTo + "/out" + std::to_string(i) + ".npy";
      if (std::string fault = writeResult(file, port, shape, memory); !fault.empty())
        return fail(file + ": " + fault);
    }
    return flushStandardOutput();
  }

  const hlort_module &module;
  const int64_t *bounds;
  const Options &options;
  hlort_status status = {};
  ContextHandle context;
  Instance instance;
};

} // namespace

int32_t hlort_main(int32_t argc, char **argv, const hlort_module *module, const int64_t *bounds) {
  Options options;
  if (!readCommandLine(argc, argv,
                       {{"--inputs-from", options.inputsFrom}, {"--outputs-to", options.outputsTo}},
                       {{"--threads", options.threads, 1, mostThreads},
                        {"--repeat", options.repeat, 1, INT64_MAX},
                        {"--seed", options.seed, 0, INT64_MAX}},
                       options.help))
    return WrongUsage;
  if (options.help) {
    printUsage(argv[0], *module);
    return flushStandardOutput() ? Done : Failed;
  }
#ifdef SIGXFSZ
  std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error like a full disk
#endif
  try {
    return Program(*module, bounds, options).run() ? Done : Failed;
  } catch (const std::exception &error) { // no memory
    std::fprintf(stderr, "error: %s\n", error.what());
    return Failed;
  }
}
