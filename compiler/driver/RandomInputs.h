// SPDX-License-Identifier: Apache-2.0
// Random arguments for a module, if the user gives none. Test: test/driver/RandomInputsTest.cpp.

#ifndef HLOC_COMPILER_DRIVER_RANDOMINPUTS_H
#define HLOC_COMPILER_DRIVER_RANDOMINPUTS_H

#include "compiler/driver/HostArray.h"
#include "mlir/IR/Value.h"

namespace hloc {

/// The number of values from 0 on that an integer parameter of a computation may take so that every
/// slice, gather and scatter that it indexes stays inside its operand; 0 if it indexes nothing.
/// Follows the parameter through elementwise and shape operations, and into computations.
int64_t findIndexBound(mlir::Value parameter);

/// The same array for the same arguments, on every machine. Floats are normally distributed;
/// integers are in [0, bound) or, if the bound is 0, in [-8, 8), unsigned ones in [0, 8). Bounded
/// dimensions have their bound as size.
HostArray makeRandomArray(mlir::RankedTensorType type, uint64_t seed, int64_t bound);

} // namespace hloc

#endif
