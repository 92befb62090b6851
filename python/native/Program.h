// SPDX-License-Identifier: Apache-2.0
// A compiled module as Python calls it. Test: test/python/test_compile.py.

#ifndef HLOC_PYTHON_NATIVE_PROGRAM_H
#define HLOC_PYTHON_NATIVE_PROGRAM_H

#include "Context.h"
#include <nanobind/nanobind.h>
#include <vector>

namespace hloc::python {

namespace nb = nanobind;

class Program {
public:
  Program(SharedResult result, bool isOpened);
  Program(const Program &) = delete;
  ~Program();

  const hlort_module &getModule() const { return *hloc_get_module(result.get()); }
  const SharedResult &getResult() const { return result; }

  /// Runs the module on a sequence of arrays, without a copy of those that are in memory as the
  /// module wants them; convert(number, argument) makes one of what is not. NumPy arrays of the
  /// results; of types that NumPy lacks as unsigned integers of that many bits, of less than eight
  /// bits as the packed bytes. With `inPlace` a result that may share an argument's memory does,
  /// where that is writable, and is that argument.
  nb::list call(Context *context, nb::sequence arguments, nb::callable convert, bool inPlace);

private:
  /// Memory for temporaries that no call uses now.
  void *takeArena();
  void giveBack(void *arena);
  void run(Context *context, const std::vector<const void *> &arguments,
           const std::vector<void *> &results);

  SharedResult result;
  const bool isOpened;
  std::mutex mutex;
  std::vector<void *> arenas;
};

} // namespace hloc::python

#endif
