// SPDX-License-Identifier: Apache-2.0
// Builds hlo operations on plain arrays (without layouts, of static shape) concisely. Result types
// follow from the operands; a scalar `double` stands for a constant of the other operand's type.

#ifndef HLOC_PASSES_BUILD_H
#define HLOC_PASSES_BUILD_H

#include "compiler/hlo/HloDialect.h"
#include "mlir/IR/Builders.h"

namespace hloc {

/// The type of an array value.
mlir::RankedTensorType arrayType(mlir::Value value);

/// Product of the sizes.
int64_t product(llvm::ArrayRef<int64_t> sizes);

/// True if all are `expected`.
inline bool allEqual(llvm::ArrayRef<int64_t> values, int64_t expected) {
  return llvm::all_of(values, [&](int64_t value) { return value == expected; });
}

/// 0, 1, ... count-1.
llvm::SmallVector<int64_t> iotaVector(int64_t count);

/// `value` as `type`, which may differ only in layouts.
mlir::Value withLayout(mlir::OpBuilder &builder, mlir::Value value, mlir::Type type);

class Build {
public:
  using Value = mlir::Value;
  using Sizes = llvm::ArrayRef<int64_t>;

  Build(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  mlir::OpBuilder &builder;
  mlir::Location loc;

  //===- Constants ---------------------------------------------------------===//

  /// Rank-0 constant of type `element`; the value is rounded to it.
  Value scalar(mlir::Type element, double value);
  Value scalar(mlir::Type element, const llvm::APInt &value);
  /// An array in which all elements are `value`: a scalar constant, broadcast unless `type` has
  /// rank 0.
  Value splat(mlir::RankedTensorType type, double value);
  Value splatLike(Value like, double value) { return splat(arrayType(like), value); }
  Value zero(mlir::RankedTensorType type) { return splat(type, 0); }
  /// The least and the greatest value of the type; infinities if it has them.
  Value lowest(mlir::Type element);
  Value highest(mlir::Type element);
  /// An index constant as an s32 scalar.
  Value index(int64_t value);

  //===- Elementwise -------------------------------------------------------===//

  template <typename Op> Value unary(Value operand) {
    return create(Op::getOperationName(), operand, operand.getType());
  }
  template <typename Op> Value binary(Value lhs, Value rhs) {
    return create(Op::getOperationName(), {lhs, rhs}, lhs.getType());
  }
  template <typename Op> Value binary(Value lhs, double rhs) {
    return binary<Op>(lhs, splatLike(lhs, rhs));
  }
  template <typename Rhs> Value add(Value lhs, Rhs rhs) { return binary<hlo::AddOp>(lhs, rhs); }
  template <typename Rhs> Value sub(Value lhs, Rhs rhs) {
    return binary<hlo::SubtractOp>(lhs, rhs);
  }
  template <typename Rhs> Value mul(Value lhs, Rhs rhs) {
    return binary<hlo::MultiplyOp>(lhs, rhs);
  }
  template <typename Rhs> Value div(Value lhs, Rhs rhs) { return binary<hlo::DivideOp>(lhs, rhs); }
  template <typename Rhs> Value bitAnd(Value lhs, Rhs rhs) { return binary<hlo::AndOp>(lhs, rhs); }
  template <typename Rhs> Value bitOr(Value lhs, Rhs rhs) { return binary<hlo::OrOp>(lhs, rhs); }
  template <typename Rhs> Value bitXor(Value lhs, Rhs rhs) { return binary<hlo::XorOp>(lhs, rhs); }
  Value shiftLeft(Value value, int64_t bits) { return binary<hlo::ShiftLeftOp>(value, bits); }
  Value shiftRight(Value value, int64_t bits) {
    return binary<hlo::ShiftRightLogicalOp>(value, bits);
  }
  Value compare(Value lhs, Value rhs, hlo::Direction direction, bool totalOrder = false);
  Value compare(Value lhs, double rhs, hlo::Direction direction) {
    return compare(lhs, splatLike(lhs, rhs), direction);
  }
  Value select(Value pred, Value onTrue, Value onFalse) {
    return create("hlo.select", {pred, onTrue, onFalse}, onTrue.getType());
  }
  Value convert(Value value, mlir::Type element);
  Value bitcastConvert(Value value, mlir::Type element);

  //===- Shapes ------------------------------------------------------------===//

  Value broadcast(Value value, Sizes shape, Sizes dimensions);
  /// Broadcasts `value` to `like`'s shape along the dimensions that are not in `dimensions`.
  Value broadcastLike(Value value, Value like, Sizes dimensions) {
    return broadcast(value, arrayType(like).getShape(), dimensions);
  }
  Value reshape(Value value, Sizes shape);
  /// The elements of `value` as a vector.
  Value flatten(Value value) { return reshape(value, arrayType(value).getNumElements()); }
  Value transpose(Value value, Sizes permutation);
  Value reverse(Value value, Sizes dimensions);
  Value slice(Value value, Sizes starts, Sizes limits, Sizes strides = {});
  /// Elements [start, limit) of one dimension.
  Value sliceOf(Value value, int64_t dimension, int64_t start, int64_t limit, int64_t stride = 1);
  Value pad(Value value, Value padding, Sizes low, Sizes high, Sizes interior);
  Value concatenate(mlir::ValueRange values, int64_t dimension);
  Value iota(Sizes shape, mlir::Type element, int64_t dimension);
  Value dynamicSlice(Value value, mlir::ValueRange starts, Sizes sizes);
  Value dynamicUpdateSlice(Value value, Value update, mlir::ValueRange starts);
  /// Converts integers to s32, or to s64 if s32 cannot represent them all: indices that may be
  /// compared with sizes. A value that is out of range before is out of range afterwards.
  Value signedIndices(Value indices);
  /// The elements of a vector at the positions `places`, in their shape.
  Value elementsAt(Value vector, Value places);

  //===- Others ------------------------------------------------------------===//

  /// `for (i = 0; i < count; ++i) state = step(i, state)`; backwards if `reversed`. The step gets i
  /// as an s32 scalar.
  llvm::SmallVector<Value>
  countedLoop(int64_t count, bool reversed, mlir::ValueRange inits,
              llvm::function_ref<llvm::SmallVector<Value>(Build, Value, mlir::ValueRange)> step);

  /// Reduces `dimensions` with the binary operation `opName`, beginning with `init`.
  Value reduce(Value value, Value init, Sizes dimensions, llvm::StringRef opName);
  Value reduceSum(Value value, Sizes dimensions);
  /// Dot without batch dimensions of the last of `lhs` with the first of `rhs`.
  Value dot(Value lhs, Value rhs, Sizes lhsBatch, Sizes rhsBatch, Sizes lhsContracting,
            Sizes rhsContracting);

private:
  Value create(llvm::StringRef name, mlir::ValueRange operands, mlir::Type type);
};

} // namespace hloc

#endif
