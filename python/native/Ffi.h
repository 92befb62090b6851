// SPDX-License-Identifier: Apache-2.0
// Compiled modules called by XLA, inside functions that jax.jit compiles. Test:
// test/python/test_ffi.py.

#ifndef HLOC_PYTHON_NATIVE_FFI_H
#define HLOC_PYTHON_NATIVE_FFI_H

#include <nanobind/nanobind.h>

namespace hloc::python {

/// Adds to hloc._native: `ffi_handler()`, the function that XLA calls, as a capsule; and
/// `ffi_register(program, context)`, which gives the number by which calls name a program in their
/// attribute `program`. What is registered stays as long as the process.
void bindFfi(nanobind::module_ &m);

} // namespace hloc::python

#endif
