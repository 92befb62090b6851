// SPDX-License-Identifier: Apache-2.0
// Conversion between arrays of Python and the arguments and results of a module.

#ifndef HLOC_PYTHON_NATIVE_ARRAYS_H
#define HLOC_PYTHON_NATIVE_ARRAYS_H

#include "hlort/hlort.h"
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <vector>

namespace hloc::python {

namespace nb = nanobind;

/// The element type of an array for a port; `raw`: as unsigned integers, for types that NumPy does
/// not have.
nb::dlpack::dtype getType(const hlort_port &port, bool raw);

/// The shape of such an array. Elements of less than a byte are packed, in one dimension of bytes.
std::vector<int64_t> getShape(const hlort_port &port);

/// The stride of each dimension in memory, in elements.
std::vector<int64_t> getStrides(const hlort_port &port);

/// True if an array has the type, shape and layout of the port.
bool fits(const nb::ndarray<nb::ro> &array, const hlort_port &port, bool raw);

/// Owned memory as a NumPy array.
nb::object makeArray(const hlort_port &port, void *memory, nb::handle owner);

} // namespace hloc::python

#endif
