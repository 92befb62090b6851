// SPDX-License-Identifier: Apache-2.0
// Arrays of Python beside what a module says of its arguments and results.

#ifndef HLOC_PYTHON_NATIVE_ARRAYS_H
#define HLOC_PYTHON_NATIVE_ARRAYS_H

#include "hlort/hlort.h"
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <vector>

namespace hloc::python {

namespace nb = nanobind;

/// The element type of an array that holds those of a port; `raw`: as unsigned integers, where
/// NumPy has no such type.
nb::dlpack::dtype getType(const hlort_port &port, bool raw);

/// The shape of such an array. Elements of less than a byte are packed, in one dimension of bytes.
std::vector<int64_t> getShape(const hlort_port &port);

/// How far apart in memory elements are that follow each other in each dimension, in elements.
std::vector<int64_t> getStrides(const hlort_port &port);

/// Whether an array is in memory what the port wants.
bool fits(const nb::ndarray<nb::ro> &array, const hlort_port &port, bool raw);

/// Owned memory as a NumPy array.
nb::object makeArray(const hlort_port &port, void *memory, nb::handle owner);

} // namespace hloc::python

#endif
