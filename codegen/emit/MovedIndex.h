// SPDX-License-Identifier: Apache-2.0
// The indices of data movement (compiler/hlo/Movement.h), computed in lanes.

#ifndef HLOC_CODEGEN_EMIT_MOVEDINDEX_H
#define HLOC_CODEGEN_EMIT_MOVEDINDEX_H

#include "codegen/emit/IndexBuilder.h"
#include "compiler/hlo/Movement.h"

namespace hloc {

/// Maps `at`, an index of the result, to an operand's index by `map`, whose divisors must be one.
inline ElementIndex mapIndex(IndexBuilder &index, const hlo::IndexMap &map,
                             llvm::ArrayRef<VectorIndex> at) {
  ElementIndex source;
  for (const hlo::DimensionMap &to : map)
    source.push_back(index.add(index.multiply(at[to.dimension], to.stride), to.offset));
  return source;
}

} // namespace hloc

#endif
