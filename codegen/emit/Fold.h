// SPDX-License-Identifier: Apache-2.0
// Applies a reducer to vectors: as a single operation on a wide accumulator if the reducer is one,
// otherwise by emitting its computation. Used by windows and scans.

#ifndef HLOC_CODEGEN_EMIT_FOLD_H
#define HLOC_CODEGEN_EMIT_FOLD_H

#include "codegen/emit/Elementwise.h"
#include "codegen/emit/Monoid.h"

namespace hloc {

class Fold {
public:
  /// Combines what has been folded so far with the next elements.
  using Step = std::function<llvm::SmallVector<VectorValue>(llvm::ArrayRef<VectorValue> sofar,
                                                            llvm::ArrayRef<VectorValue> next)>;

  /// Folds arrays of element types `elements` together. `monoid`, if given, is what `step` does on
  /// a single array; narrow floats are then accumulated in f32.
  Fold(IndexBuilder &index, llvm::ArrayRef<mlir::Type> elements, std::optional<Monoid> monoid,
       Step step);
  /// Folds with the reducer `computation`.
  Fold(IndexBuilder &index, llvm::ArrayRef<mlir::Type> elements, hlo::ComputationOp computation);

  std::optional<Monoid> getMonoid() const { return monoid; }
  size_t getCount() const { return elements.size(); }

  /// Converts between element types and accumulator types; vectors if there are several lanes.
  VectorValue widen(size_t which, VectorValue value);
  VectorValue narrow(size_t which, VectorValue value);
  /// Empty if the computation contains an operation that is not elementwise.
  llvm::SmallVector<VectorValue> combine(llvm::ArrayRef<VectorValue> sofar,
                                         llvm::ArrayRef<VectorValue> next);

  /// Accumulators as plain values, which loops and branches can carry.
  llvm::SmallVector<mlir::Value> pack(llvm::ArrayRef<VectorValue> lanes);
  llvm::SmallVector<VectorValue> unpack(mlir::ValueRange values);

private:
  IndexBuilder &index;
  llvm::SmallVector<mlir::Type> elements, accumulators;
  std::optional<Monoid> monoid;
  Step step;
};

/// `lanes` as plain values, and back: an imaginary part follows its real part.
llvm::SmallVector<mlir::Value> packLanes(llvm::ArrayRef<VectorValue> lanes);
llvm::SmallVector<VectorValue> unpackLanes(llvm::ArrayRef<mlir::Type> elements,
                                           mlir::ValueRange values);
/// The same for values that are all of type `element`.
llvm::SmallVector<VectorValue> unpackLanes(mlir::Type element, mlir::ValueRange values);

} // namespace hloc

#endif
