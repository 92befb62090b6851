// SPDX-License-Identifier: Apache-2.0
// Runs a fuzzer on a fixed set of inputs instead of searching for new ones: the modules, each
// mutated in so many ways. An input depends on its module and the seed alone. A search depends on
// the code that it runs, so a change of the code leads it to faults that were there before.
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <cstdlib>
#include <random>

using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed);

static constexpr size_t kMaxBytes = 4096;
static constexpr unsigned kMostMutations = 6;

/// Ends the program with a message.
[[noreturn]] static void stop(const Twine &message) {
  errs() << message << "\n";
  std::exit(2);
}

/// Writes the input to `path`, from where it can be repeated if the fuzzer stops, and runs it.
static void run(StringRef input, const std::string &path) {
  std::error_code error;
  raw_fd_ostream out(path, error);
  out << input;
  out.close();
  if (error || out.has_error())
    stop("cannot write '" + path + "'");
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(input.data()), input.size());
}

/// Runs `rounds` mutations of each of the modules in `files`. The last input stays in `path` if it
/// stops the program.
static void runFixed(ArrayRef<StringRef> files, unsigned rounds, uint64_t seed,
                     const std::string &path) {
  uint64_t count = 0;
  for (StringRef file : files) {
    auto text = MemoryBuffer::getFile(file);
    if (!text)
      stop("cannot read '" + file + "': " + text.getError().message());
    std::mt19937_64 random(seed ^ xxh3_64bits((*text)->getBuffer()));
    for (unsigned round = 0; round < rounds; ++round, ++count) {
      std::string input = (*text)->getBuffer().str();
      size_t size = input.size();
      input.resize(std::max(size, kMaxBytes));
      for (unsigned left = 1 + random() % kMostMutations; left > 0; --left)
        // Multiples of eight are for libFuzzer's own mutations, which need its search.
        size = LLVMFuzzerCustomMutator(reinterpret_cast<uint8_t *>(input.data()), size,
                                       input.size(), unsigned(random()) | 1);
      run(StringRef(input).take_front(size), path);
    }
  }
  std::remove(path.c_str());
  errs() << "stat::number_of_inputs: " << count << "\n";
}

/// With `--fixed=ROUNDS,SEED,INPUT,LIST` as the first argument, where INPUT is the file for the
/// current input and LIST names a file with the modules, one a line: runs those and exits.
extern "C" int LLVMFuzzerInitialize(int *argc, char ***argv) {
  StringRef option = *argc > 1 ? (*argv)[1] : "";
  if (!option.consume_front("--fixed="))
    return 0;
  SmallVector<StringRef> fields, files;
  option.split(fields, ',', /*MaxSplit=*/3);
  unsigned rounds;
  uint64_t seed;
  if (fields.size() != 4 || !to_integer(fields[0], rounds) || !to_integer(fields[1], seed))
    stop("expected --fixed=ROUNDS,SEED,INPUT,LIST");
  auto list = MemoryBuffer::getFile(fields[3]);
  if (!list)
    stop("cannot read '" + fields[3] + "': " + list.getError().message());
  (*list)->getBuffer().split(files, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  runFixed(files, rounds, seed, fields[2].str());
  std::exit(0);
}
