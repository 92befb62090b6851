// SPDX-License-Identifier: Apache-2.0
// The threads that modules run with. Test: test/python/test_threads.py.

#ifndef HLOC_PYTHON_NATIVE_CONTEXT_H
#define HLOC_PYTHON_NATIVE_CONTEXT_H

#include "hloc/hloc.h"
#include <map>
#include <memory>
#include <mutex>

namespace hloc::python {

using SharedResult = std::shared_ptr<hloc_result>;

/// Throws hloc.RunError with the code and message of a status.
[[noreturn]] void throwRunError(const hlort_status &status);

/// A number of threads, created when a module first needs them: one pool for all modules that were
/// compiled in this process, and one for each that was opened, as it has its own runtime.
class Threads {
public:
  explicit Threads(int count);
  Threads(const Threads &) = delete;
  ~Threads();

  int getCount() const { return count; }
  /// The context for the entry function of the result's module; null, with a status, if it cannot
  /// be made. `isOpened` means a module that was opened.
  hlort_context *get(const SharedResult &result, bool isOpened, hlort_status &status);

private:
  const int count;
  std::mutex mutex;
  hlort_context *shared = nullptr;
  std::map<SharedResult, hlort_context *> opened;
};

/// The Python object: hloc.Context.
struct Context {
  std::shared_ptr<Threads> threads;
};

} // namespace hloc::python

#endif
