// SPDX-License-Identifier: Apache-2.0
// Arithmetic on indices of lanes, which folds constants and known multiples as it builds code.

#ifndef HLOC_CODEGEN_EMIT_INDEXBUILDER_H
#define HLOC_CODEGEN_EMIT_INDEXBUILDER_H

#include "codegen/emit/VectorValue.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"

namespace hloc {

/// An index as variable + constant; `variable` is null if there is only the constant.
struct SplitIndex {
  mlir::Value variable;
  int64_t constant = 0;
};
SplitIndex splitConstant(mlir::Value index);

class IndexBuilder {
public:
  /// Emits code at the insertion point of `b`. `lanes` is the number of lanes (1: scalar code),
  /// `laneType` the integer type of indices that are arbitrary in each lane.
  IndexBuilder(mlir::ImplicitLocOpBuilder &b, int64_t lanes, mlir::Type laneType)
      : b(b), lanes(lanes), laneType(laneType) {}

  int64_t getLanes() const { return lanes; }
  void setLanes(int64_t count) { lanes = count; }
  mlir::Type getLaneType() const { return laneType; }
  mlir::VectorType getLaneVectorType() const;

  mlir::Value constant(int64_t value);
  VectorIndex uniform(mlir::Value index, int64_t multiple = 1) { return {index, 0, multiple, {}}; }
  VectorIndex uniform(int64_t index);
  /// The index `base + lane`.
  VectorIndex consecutive(mlir::Value base, int64_t multiple = 1) {
    return {base, lanes > 1 ? 1 : 0, multiple, {}};
  }

  VectorIndex add(VectorIndex x, VectorIndex y);
  VectorIndex add(VectorIndex x, int64_t constant);
  VectorIndex multiply(VectorIndex x, int64_t factor);
  /// x mod size and x div size for x >= 0.
  std::pair<VectorIndex, VectorIndex> divideWithRemainder(VectorIndex x, int64_t size);
  /// If divideWithRemainder made `high` and `low` from one index, that index.
  std::optional<VectorIndex> rejoin(VectorIndex high, VectorIndex low, int64_t size);
  /// x clamped to [0, limit].
  VectorIndex clamp(VectorIndex x, int64_t limit);

  /// The lanes with lower <= x < upper; null if these are known to be all. INT64_MIN and INT64_MAX
  /// stand for bounds that are known to hold.
  Mask inRange(VectorIndex x, int64_t lower, int64_t upper);
  Mask both(Mask x, Mask y);
  /// An i1 that is true if any lane is active; null if some lane is known to be.
  mlir::Value anyLane(Mask mask);
  /// The mask as a vector; null if all lanes are active.
  mlir::Value asVector(Mask mask);
  /// x in active lanes, 0 in others: an index with which computing is safe.
  VectorIndex orZero(VectorIndex x, Mask mask);

  /// The index as a vector.
  mlir::Value asVector(VectorIndex x);
  /// The index with the value of the integer `x`, sign- or zero-extended.
  VectorIndex fromInteger(mlir::Value x, bool isSigned);
  mlir::Value splat(mlir::Value scalar);

  mlir::ImplicitLocOpBuilder &b;
  /// The fast-math flags of the module's own floating-point arithmetic.
  mlir::arith::FastMathFlags floatFlags = mlir::arith::FastMathFlags::contract;

  /// Forgets the indices that `rejoin` knows, because the code built so far is about to be erased.
  void forgetParts() { parts.clear(); }

private:
  mlir::Value join(SplitIndex parts);
  mlir::Value compareLanes(VectorIndex x, int64_t lower, int64_t upper);
  /// What a remainder was computed from.
  struct Part {
    VectorIndex whole;
    int64_t size;
    mlir::Value quotient;
  };

  int64_t lanes;
  mlir::Type laneType;
  llvm::DenseMap<mlir::Value, Part> parts;
};

/// Changes the number of lanes during its lifetime.
class ScopedLanes {
public:
  ScopedLanes(IndexBuilder &index, int64_t lanes) : index(index), outer(index.getLanes()) {
    index.setLanes(lanes);
  }
  ~ScopedLanes() { index.setLanes(outer); }
  ScopedLanes(const ScopedLanes &) = delete;

private:
  IndexBuilder &index;
  int64_t outer;
};

/// The type `element`, as a vector type of the shape of `value` if that is a vector.
mlir::Type shapedLike(mlir::Value value, mlir::Type element);

/// The value of an index if it is a constant.
std::optional<int64_t> getConstant(mlir::Value index);

/// Strides, in elements, of a row-major array.
llvm::SmallVector<int64_t> getRowMajorStrides(llvm::ArrayRef<int64_t> shape);

} // namespace hloc

#endif
