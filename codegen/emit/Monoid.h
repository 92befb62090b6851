// SPDX-License-Identifier: Apache-2.0
// Reducers that are a single operation with an identity element.

#ifndef HLOC_CODEGEN_EMIT_MONOID_H
#define HLOC_CODEGEN_EMIT_MONOID_H

#include "codegen/emit/IndexBuilder.h"
#include "compiler/hlo/HloDialect.h"

namespace hloc {

/// The operation of a reducer, if it is one that has an identity.
enum class Monoid { Add, Multiply, Minimum, Maximum, And, Or, Xor };
std::optional<Monoid> matchMonoid(hlo::ComputationOp computation);

/// The operation of `monoid` on two values in register types; `element` is the HLO element type.
VectorValue emitMonoid(IndexBuilder &index, Monoid monoid, mlir::Type element, VectorValue x,
                       VectorValue y);
/// The identity element.
VectorValue emitIdentity(IndexBuilder &index, Monoid monoid, mlir::Type element);

} // namespace hloc

#endif
