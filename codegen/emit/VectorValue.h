// SPDX-License-Identifier: Apache-2.0
// The vocabulary of kernel emission: what a value, an index and a mask are while code for several
// elements at a time, the lanes, is being built.
//
// Everything is either uniform (one scalar for all lanes) or has one entry a lane (a vector). Code
// stays uniform as long as it can: a row's mean is a scalar until it meets the row.

#ifndef HLOC_CODEGEN_EMIT_LANES_H
#define HLOC_CODEGEN_EMIT_LANES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace hloc {

/// Elements of an array, one a lane or one for all, in their register types (math/Math.h). `im` is
/// the imaginary part, null unless the element type is complex.
struct VectorValue {
  mlir::Value re, im;

  bool isUniform() const { return !llvm::isa<mlir::VectorType>(re.getType()); }
};

/// An index along one dimension: `base + lane * stride`, or an arbitrary `lanes[lane]`.
struct VectorIndex {
  /// Scalar of type index; null if the lanes are arbitrary.
  mlir::Value base;
  int64_t stride = 0;
  /// A number known to divide base; what lets a reshape keep lanes in one row.
  int64_t multiple = 1;
  /// Vector of i32 or i64; null unless the lanes are arbitrary.
  mlir::Value lanes;

  bool isUniform() const { return base && stride == 0; }
  /// Whether the two surely are the same: the same values, or equal constants.
  bool operator==(const VectorIndex &other) const;
};

/// Index of an element of an array, one VectorIndex a dimension.
using ElementIndex = llvm::SmallVector<VectorIndex, 6>;

/// Which lanes take part: those where both parts hold. `uniform` is an i1, `lanes` a vector of i1;
/// null means all. VectorValue that do not take part are neither loaded nor stored, and what is
/// computed for them is arbitrary.
struct Mask {
  mlir::Value uniform, lanes;

  explicit operator bool() const { return uniform || lanes; }
  bool operator==(const Mask &other) const {
    return uniform == other.uniform && lanes == other.lanes;
  }
};

} // namespace hloc

#endif
