// SPDX-License-Identifier: Apache-2.0
// Reducers that are one operation with an identity, and sums, products and extremes of lanes by
// them.

#ifndef HLOC_CODEGEN_EMIT_MONOID_H
#define HLOC_CODEGEN_EMIT_MONOID_H

#include "codegen/emit/IndexBuilder.h"
#include "compiler/hlo/HloDialect.h"

namespace hloc {

/// What a reducer does, if it is one of the operations with an identity.
enum class Monoid { Add, Multiply, Minimum, Maximum, And, Or, Xor };
std::optional<Monoid> matchMonoid(hlo::ComputationOp computation);

/// The operation of `monoid` on two values of register types; `element` is the HLO element type.
VectorValue emitMonoid(IndexBuilder &index, Monoid monoid, mlir::Type element, VectorValue x,
                       VectorValue y);
/// The value that changes nothing when combined.
VectorValue emitIdentity(IndexBuilder &index, Monoid monoid, mlir::Type element);

} // namespace hloc

#endif
