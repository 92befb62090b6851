// SPDX-License-Identifier: Apache-2.0
#include "passes/frontend/TupleLeaves.h"
#include "compiler/hlo/HloDialect.h"
#include "compiler/hlo/infer/Shape.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc {

Type withoutLayout(Type type) {
  auto array = dyn_cast<RankedTensorType>(type);
  return array ? Shape(array).getType() : type;
}

bool isUnbounded(RankedTensorType type) {
  return llvm::is_contained(hlo::getBounds(type), kUnbounded);
}

/// Appends the types of the leaves of `type`, with layouts.
static void appendLeaves(Type type, SmallVectorImpl<Type> &leaves) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    for (Type element : tuple.getTypes())
      appendLeaves(element, leaves);
  } else if (!isa<TokenType>(type)) {
    leaves.push_back(type);
  }
}

SmallVector<Type> getLeaves(TypeRange types) {
  SmallVector<Type> leaves;
  for (Type type : types)
    appendLeaves(type, leaves);
  return leaves;
}

SmallVector<Type> getPlainLeaves(TypeRange types) {
  SmallVector<Type> leaves = getLeaves(types);
  llvm::transform(leaves, leaves.begin(), withoutLayout);
  return leaves;
}

std::optional<int64_t> getLeafIndex(Type type, ArrayRef<int64_t> path) {
  int64_t index = 0;
  for (int64_t step : path) {
    auto tuple = dyn_cast<TupleType>(type);
    if (!tuple || step < 0 || step >= int64_t(tuple.size()))
      return std::nullopt;
    index += getLeaves(tuple.getTypes().take_front(step)).size();
    type = tuple.getType(step);
  }
  return isa<RankedTensorType>(type) ? std::optional(index) : std::nullopt;
}

} // namespace hloc
