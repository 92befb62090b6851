// SPDX-License-Identifier: Apache-2.0
// Arithmetic on lane indices that folds what is known while code is being built.

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
  /// Code goes where `b` stands; `lanes` is how many there are (1: scalar code), `laneType` the
  /// integer type of arbitrary lane indices.
  IndexBuilder(mlir::ImplicitLocOpBuilder &b, int64_t lanes, mlir::Type laneType)
      : b(b), lanes(lanes), laneType(laneType) {}

  int64_t getLanes() const { return lanes; }
  void setLanes(int64_t count) { lanes = count; }
  mlir::Type getLaneType() const { return laneType; }
  mlir::VectorType getLaneVectorType() const;

  mlir::Value constant(int64_t value);
  VectorIndex uniform(mlir::Value index, int64_t multiple = 1) { return {index, 0, multiple, {}}; }
  VectorIndex uniform(int64_t index);
  /// Index `base + lane`.
  VectorIndex consecutive(mlir::Value base, int64_t multiple = 1) {
    return {base, lanes > 1 ? 1 : 0, multiple, {}};
  }

  VectorIndex add(VectorIndex x, VectorIndex y);
  VectorIndex add(VectorIndex x, int64_t constant);
  VectorIndex multiply(VectorIndex x, int64_t factor);
  /// x mod size and x div size for x >= 0.
  std::pair<VectorIndex, VectorIndex> divideWithRemainder(VectorIndex x, int64_t size);
  /// `high * size + low`, if divideWithRemainder made the two of one index: that index.
  std::optional<VectorIndex> rejoin(VectorIndex high, VectorIndex low, int64_t size);
  /// x limited to [0, limit].
  VectorIndex clamp(VectorIndex x, int64_t limit);

  /// VectorValue with lower <= x < upper; null if that is known to be all. Bounds that are known
  /// not to be crossed are given as INT64_MIN, INT64_MAX.
  Mask inRange(VectorIndex x, int64_t lower, int64_t upper);
  Mask both(Mask x, Mask y);
  /// Whether any lane takes part, as an i1; null if some surely do.
  mlir::Value anyLane(Mask mask);
  /// The mask as a vector; null if all lanes take part.
  mlir::Value asVector(Mask mask);
  /// x in lanes that take part, else 0: an index that is safe to compute with.
  VectorIndex orZero(VectorIndex x, Mask mask);

  /// As a vector of lane indices.
  mlir::Value asVector(VectorIndex x);
  /// Element-type-neutral conversion of index-like integers: the lane index with value `x` of
  /// integer type, sign- or zero-extended.
  VectorIndex fromInteger(mlir::Value x, bool isSigned);
  mlir::Value splat(mlir::Value scalar);

  mlir::ImplicitLocOpBuilder &b;
  /// What LLVM may do with the arithmetic of floats that stands in the module itself.
  mlir::arith::FastMathFlags floatFlags = mlir::arith::FastMathFlags::contract;

  /// Forgets what indices were made of: code built so far is about to be erased.
  void forgetParts() { parts.clear(); }

private:
  mlir::Value join(SplitIndex parts);
  mlir::Value compareLanes(VectorIndex x, int64_t lower, int64_t upper);
  /// What an arbitrary remainder was made of.
  struct Part {
    VectorIndex whole;
    int64_t size;
    mlir::Value quotient;
  };

  int64_t lanes;
  mlir::Type laneType;
  llvm::DenseMap<mlir::Value, Part> parts;
};

/// Code of another number of lanes, while it lives.
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

/// `element`, in vectors of the shape of `value` if that is one.
mlir::Type shapedLike(mlir::Value value, mlir::Type element);

/// The value of a constant index, if it is one.
std::optional<int64_t> getConstant(mlir::Value index);

/// Strides, in elements, of a row-major array.
llvm::SmallVector<int64_t> getRowMajorStrides(llvm::ArrayRef<int64_t> shape);

} // namespace hloc

#endif
