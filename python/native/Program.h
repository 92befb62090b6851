// SPDX-License-Identifier: Apache-2.0
// A compiled module as a Python object. Test: test/python/test_compile.py.

#ifndef HLOC_PYTHON_NATIVE_PROGRAM_H
#define HLOC_PYTHON_NATIVE_PROGRAM_H

#include "Context.h"
#include "CustomCalls.h"
#include <nanobind/nanobind.h>
#include <vector>

namespace hloc::python {

namespace nb = nanobind;

class Program {
public:
  /// `calls` may be null: then no custom call is implemented in Python.
  Program(SharedResult result, bool isOpened, std::shared_ptr<CustomCalls> calls);
  Program(const Program &) = delete;
  ~Program();

  const hlort_module &getModule() const { return *hloc_get_module(result.get()); }
  const SharedResult &getResult() const { return result; }
  bool wasOpened() const { return isOpened; }
  const std::shared_ptr<CustomCalls> &getCustomCalls() const { return calls; }

  /// Runs the module on a sequence of arrays, without copying those that have the layout that the
  /// module expects; convert(number, argument) converts others. Returns NumPy arrays of the
  /// results; those of types that NumPy lacks as unsigned integers of that many bits, those of less
  /// than eight bits as the packed bytes. With `inPlace`, a result that may share an argument's
  /// memory does so if that is writable, and then is that argument. Arguments that runs do not
  /// read, since they were prepared, may be None.
  nb::list call(const Context *context, nb::sequence arguments, nb::callable convert, bool inPlace);

  /// Fills a block of prepared arrays (hlort_preparation) from a sequence of the arguments before
  /// it, of which only prepared parameters may be other than None. Returns the block and a list of
  /// these arguments as runs take them: converted, or None if they do not read them.
  nb::tuple prepare(const Context *context, nb::sequence arguments, nb::callable convert);

  /// Runs the module on memory in its own layout, with threads or null. Needs no global interpreter
  /// lock. Returns 0, or the code of a failure, which is also in the status.
  int32_t run(Threads *threads, const void *const *arguments, void *const *results,
              hlort_status &status);

private:
  /// The context for the entry function; null, with a status, if it cannot be made.
  hlort_context *getContext(Threads *threads, hlort_status &status);
  /// Memory for temporaries that no other call uses; null, with a status, if there is none.
  void *takeArena(hlort_status &status);
  void giveBack(void *arena);

  SharedResult result;
  const bool isOpened;
  const std::shared_ptr<CustomCalls> calls;
  std::mutex mutex;
  std::vector<void *> arenas;
};

} // namespace hloc::python

#endif
