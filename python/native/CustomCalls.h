// SPDX-License-Identifier: Apache-2.0
// Custom calls that are implemented by Python functions. Test: test/python/test_custom_calls.py.

#ifndef HLOC_PYTHON_NATIVE_CUSTOMCALLS_H
#define HLOC_PYTHON_NATIVE_CUSTOMCALLS_H

#include "hlort/hlort.h"
#include <map>
#include <mutex>
#include <nanobind/nanobind.h>
#include <string>
#include <vector>

namespace hloc::python {

namespace nb = nanobind;

/// The functions of one module by target, and contexts that have them registered. Modules may have
/// different functions for the same target, so they do not share contexts.
class CustomCalls {
public:
  /// `functions` maps targets to function(operands, results, attributes), where arrays are tuples
  /// (element type, shape, minor to major, memory as a NumPy array) and attributes are a
  /// dictionary. The function fills the memory of the results. Tokens are omitted.
  explicit CustomCalls(nb::dict functions);
  /// The same functions, with separate contexts.
  CustomCalls(const CustomCalls &other) : functions(other.functions) {}
  ~CustomCalls();

  /// A context with this number of threads for the module; null, with a status, if it cannot be
  /// made.
  hlort_context *getContext(int threads, const hlort_module &module, hlort_status &status);

  /// For Python's garbage collector, which finds cycles of references: visits the functions, and
  /// releases them.
  int traverse(visitproc visit, void *argument);
  void clear() { functions.clear(); }

private:
  struct Function {
    std::string target;
    nb::object function;
  };
  std::vector<Function> functions;
  std::mutex mutex;
  std::map<int, hlort_context *> contexts;
};

} // namespace hloc::python

#endif
