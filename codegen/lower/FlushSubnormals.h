// SPDX-License-Identifier: Apache-2.0
// Code that takes subnormal numbers for zero (--flush-subnormals).

#ifndef HLOC_CODEGEN_LOWER_FLUSHSUBNORMALS_H
#define HLOC_CODEGEN_LOWER_FLUSHSUBNORMALS_H

#include "llvm/IR/Module.h"

namespace hloc {

/// Changes every function that is called from outside, by hosts, by threads of the runtime or by
/// other units, so that the processor flushes subnormal numbers while it runs, and does afterwards
/// what it did before. The body becomes a function of its own, which the mode is set around, so
/// that no arithmetic is moved over its borders. Functions that are called within have the mode of
/// their caller, as has what they call in turn: runtime and host functions. For x86 and AArch64;
/// after all optimizations. Test: test/codegen/flush-subnormals.hlo.
void flushSubnormals(llvm::Module &module);

} // namespace hloc

#endif
