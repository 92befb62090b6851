// SPDX-License-Identifier: Apache-2.0
// A module in a stand-alone program: its arrays in memory, and contexts. Tests:
// test/tools/program.test, test/tools/selftest.test.
#ifndef HLOC_RUNTIME_PROGRAM_INSTANCE_H
#define HLOC_RUNTIME_PROGRAM_INSTANCE_H

#include "program/Array.h"

#include <memory>
#include <vector>

namespace hloc::runtime {

struct DestroyContext {
  void operator()(hlort_context *context) const { hlort_context_destroy(context); }
};
using ContextHandle = std::unique_ptr<hlort_context, DestroyContext>;

/// A context for the module, without data for its transfers; null if that fails.
ContextHandle makeContext(const hlort_module &module, int32_t threads, hlort_status &status);

/// The arrays of one participant.
class Instance {
public:
  explicit Instance(const hlort_module &module) : module(module) {}

  /// False, with a status, if there is not enough memory.
  bool allocate(hlort_status &status);

  char *getArgument(int64_t argument) { return arguments[size_t(argument)].get(); }
  /// It may be the memory of an argument.
  char *getResult(int64_t result) { return static_cast<char *>(results[size_t(result)]); }

  /// Sets the sizes of an argument, if these are separate arguments.
  void setShape(int64_t argument, const ArrayShape &shape);
  /// The sizes of a result, as the last call wrote them.
  ArrayShape getShape(int64_t result) const;

  /// Fills the arena and the results that share no argument's memory with a byte.
  void fill(int byte);
  /// Calls the module. Returns 0, or the code of a failure.
  int32_t run(hlort_context *context, hlort_status &status) {
    return module.run(context, in.data(), results.data(), arena.get(), &status);
  }

private:
  struct Free {
    void operator()(char *memory) const { hlort_arena_free(memory); }
  };
  using Memory = std::unique_ptr<char, Free>;

  const hlort_module &module;
  Memory arena;
  std::vector<Memory> arguments, own;
  std::vector<const void *> in;
  std::vector<void *> results;
};

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_PROGRAM_INSTANCE_H
