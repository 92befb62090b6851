// SPDX-License-Identifier: Apache-2.0
// The main function of stand-alone programs (hloc --emit=exe).

#include "hlort/async.h"
#include "hlort/transfer.h"
#include "program/Arguments.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <vector>

using namespace hloc::runtime;

// Calls of atexit in the runtime name the program itself by this, where no compiler's start files
// do.
extern "C" __attribute__((weak, visibility("hidden"))) void *__dso_handle = nullptr;

namespace {

enum ExitCode { Done = 0, Failed = 1, WrongUsage = 2 };

struct Options {
  std::string inputsFrom, outputsTo;
  int64_t threads = 1, repeat = 1, seed = 0;
  bool help = false;
};

void printUsage(FILE *out, const char *program, const hlort_module &module) {
  std::fprintf(out,
               "usage: %s [option...]\n"
               "Runs %s once and prints its results.\n"
               "  --inputs-from=DIR  read in0.npy, in1.npy, ... (default: random arrays)\n"
               "  --outputs-to=DIR   write out0.npy, ... instead of printing\n"
               "  --threads=N        threads of a run (default 1)\n"
               "  --repeat=N         run N times and print the time of one (median)\n"
               "  --seed=N           of random arrays and generators\n",
               program, module.name);
}

/// Reads "--name=value"; false if the argument is another one.
bool readOption(std::string_view argument, std::string_view name, std::string &value) {
  if (!argument.starts_with(name) || argument.size() <= name.size() || argument[name.size()] != '=')
    return false;
  value = argument.substr(name.size() + 1);
  return true;
}

/// Whether the arguments are right.
bool readOptions(int32_t argc, char **argv, Options &options) {
  struct Number {
    const char *name;
    int64_t &value;
    int64_t least, most;
  };
  for (int32_t i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    std::string text;
    if (argument == "--help") {
      options.help = true;
      continue;
    }
    if (readOption(argument, "--inputs-from", options.inputsFrom) ||
        readOption(argument, "--outputs-to", options.outputsTo))
      continue;
    bool right = false;
    for (Number number : {Number{"--threads", options.threads, 1, 4096},
                          Number{"--repeat", options.repeat, 1, INT64_MAX},
                          Number{"--seed", options.seed, 0, INT64_MAX}})
      if (readOption(argument, number.name, text)) {
        const char *end = text.data() + text.size();
        auto [stop, error] = std::from_chars(text.data(), end, number.value);
        right = error == std::errc() && stop == end && number.value >= number.least &&
                number.value <= number.most;
      }
    if (!right) {
      std::fprintf(stderr, "error: unexpected '%s'; see --help\n", argv[i]);
      return false;
    }
  }
  return true;
}

struct Free {
  void operator()(char *memory) const { hlort_arena_free(memory); }
};
using Memory = std::unique_ptr<char, Free>;

Memory allocate(int64_t bytes, hlort_status &status) {
  return Memory(static_cast<char *>(hlort_arena_allocate(bytes, 0, &status)));
}

class Program {
public:
  Program(const hlort_module &module, const int64_t *bounds, const Options &options)
      : module(module), bounds(bounds), options(options) {}

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
    hlort_context_options settings = {int32_t(options.threads), 0};
    context.reset(hlort_context_create(&settings, &status));
    if (context) {
      hlort_transfers_close(context.get(), "this program has no data for it", &status);
      if (options.threads > 1 && hlort_context_add_threads(context.get(), &module, &status))
        return fail();
      hlort_random_seed(context.get(), uint64_t(options.seed), &status);
    }
    arena = allocate(module.arena_bytes, status);
    for (int64_t i = 0; i < module.argument_count; ++i)
      in.push_back((arguments.emplace_back(allocate(module.arguments[i].bytes, status)).get()));
    for (int64_t i = 0; i < module.result_count; ++i) {
      const hlort_port &port = module.results[i];
      own.push_back(port.alias >= 0 ? nullptr : allocate(port.bytes, status));
      results.push_back(port.alias >= 0 ? arguments[size_t(port.alias)].get() : own.back().get());
    }
    return status.code ? fail() : true;
  }

  bool makeArguments() {
    for (int64_t i = 0; i < module.argument_count; ++i) {
      const hlort_port &port = module.arguments[i];
      if (port.size_of >= 0)
        continue; // its array brings it
      char *memory = arguments[size_t(i)].get();
      ArrayShape shape = getBounds(port);
      if (options.inputsFrom.empty()) {
        drawArgument(port, uint64_t(options.seed + i), bounds ? bounds[i] : 0, memory);
      } else {
        std::string file = options.inputsFrom + "/in" + std::to_string(i) + ".npy";
        if (std::string fault = readArgument(file, port, memory, shape); !fault.empty())
          return fail(file + ": " + fault);
      }
      for (int32_t d = 0; port.sizes && d < port.rank; ++d)
        if (port.sizes[d] >= 0)
          sizeIn(arguments[size_t(port.sizes[d])].get()) = int32_t(shape[size_t(d)]);
    }
    return true;
  }

  /// The size of a bounded dimension, in the memory of the argument or result that holds it.
  static int32_t &sizeIn(void *memory) { return *static_cast<int32_t *>(memory); }

  bool callModule() {
    std::vector<double> times;
    for (int64_t i = 0; i < options.repeat; ++i) {
      auto start = std::chrono::steady_clock::now();
      if (module.run(context.get(), in.data(), results.data(), arena.get(), &status))
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
      mkdir(options.outputsTo.c_str(), 0777); // or it is there; or writing says why not
    for (int64_t i = 0; i < module.result_count; ++i) {
      const hlort_port &port = module.results[i];
      if (port.size_of >= 0)
        continue;
      auto *memory = static_cast<const char *>(results[size_t(i)]);
      ArrayShape shape = getBounds(port);
      for (int32_t d = 0; port.sizes && d < port.rank; ++d)
        if (port.sizes[d] >= 0)
          shape[size_t(d)] = sizeIn(results[size_t(port.sizes[d])]);
      if (options.outputsTo.empty()) {
        std::printf("out%lld %s: %s\n", static_cast<long long>(i), port.name,
                    summarizeResult(port, shape, memory).c_str());
        continue;
      }
      std::string file = options.outputsTo + "/out" + std::to_string(i) + ".npy";
      if (std::string fault = writeResult(file, port, shape, memory); !fault.empty())
        return fail(file + ": " + fault);
    }
    return std::fflush(stdout) == 0 || fail("cannot write to standard output");
  }

  struct Destroy {
    void operator()(hlort_context *context) const { hlort_context_destroy(context); }
  };

  const hlort_module &module;
  const int64_t *bounds;
  const Options &options;
  hlort_status status = {};
  std::unique_ptr<hlort_context, Destroy> context;
  Memory arena;
  std::vector<Memory> arguments, own;
  std::vector<const void *> in;
  std::vector<void *> results;
};

} // namespace

int32_t hlort_main(int32_t argc, char **argv, const hlort_module *module, const int64_t *bounds) {
  Options options;
  if (!readOptions(argc, argv, options))
    return WrongUsage;
  if (options.help) {
    printUsage(stdout, argv[0], *module);
    return Done;
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
