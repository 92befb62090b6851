// SPDX-License-Identifier: Apache-2.0
// Calls of compiled modules by XLA, inside functions that jax.jit compiles. Test:
// test/python/test_ffi.py.

#ifndef HLOC_PYTHON_NATIVE_FFI_H
#define HLOC_PYTHON_NATIVE_FFI_H

#include <nanobind/nanobind.h>

namespace hloc::python {

/// Adds to hloc._native: `ffi_handler()`, the function that XLA calls, as a capsule; and
/// `ffi_register(program, context)`, which returns the number by which calls refer to a program in
/// their attribute `program`. Registered programs are kept until the process ends.
void bindFfi(nanobind::module_ &m);

} // namespace hloc::python

#endif
