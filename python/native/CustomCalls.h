// SPDX-License-Identifier: Apache-2.0
// Functions of Python that a module's custom calls call. Test: test/python/test_custom_calls.py.

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

/// The functions of one module by target, and contexts that know them. Modules have other functions
/// for the same target, so that no two share one.
class CustomCalls {
public:
  /// `functions` is a dictionary of target and function(operands, results, attributes), where
  /// arrays are tuples (element type, shape, minor to major, memory as a NumPy array) and
  /// attributes a dictionary. The function fills the memory of the results. Tokens are left out.
  explicit CustomCalls(nb::dict functions);
  /// The same functions, with contexts of its own.
  CustomCalls(const CustomCalls &other) : functions(other.functions) {}
  ~CustomCalls();

  /// A context of so many threads for the module; null, with a status, if it cannot be made.
  hlort_context *getContext(int threads, const hlort_module &module, hlort_status &status);

  /// For Python's search for objects that only refer to each other: shows it the functions, and
  /// gives them up.
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
