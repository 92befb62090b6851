// SPDX-License-Identifier: Apache-2.0
// The basic types of kernel emission: values, indices and masks for several elements (lanes) at a
// time.
//
// Each is either uniform (one scalar for all lanes) or a vector with an entry per lane. Code stays
// uniform as long as possible: a row's mean is a scalar until it is combined with the row's
// elements.

#ifndef HLOC_CODEGEN_EMIT_VECTORVALUE_H
#define HLOC_CODEGEN_EMIT_VECTORVALUE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace hloc {

/// Elements of an array, one per lane or one for all, in their register types (math/Math.h). `im`
/// is the imaginary part, null unless the element type is complex.
struct VectorValue {
  mlir::Value re, im;

  bool isUniform() const { return !llvm::isa<mlir::VectorType>(re.getType()); }
};

/// An index along one dimension: `base + lane * stride`, or an arbitrary `lanes[lane]`.
struct VectorIndex {
  /// Scalar of type index; null if the lanes are arbitrary.
  mlir::Value base;
  int64_t stride = 0;
  /// A number known to divide base, by which a reshape can tell that all lanes are in one row.
  int64_t multiple = 1;
  /// Vector of i32 or i64; null unless the lanes are arbitrary.
  mlir::Value lanes;
  /// The index is number `which` of `among` consecutive ones that are visited together, in a
  /// dimension of `size` elements. 0: nothing is known.
  int16_t which = 0, among = 0;
  int32_t size = 0;

  bool isUniform() const { return base && stride == 0; }
  /// True if both are known to be equal: the same SSA values, or equal constants.
  bool operator==(const VectorIndex &other) const;
};

/// The index of an element of an array, one VectorIndex per dimension.
using ElementIndex = llvm::SmallVector<VectorIndex, 5>;

/// The active lanes: those for which both conditions hold. `uniform` is an i1, `lanes` a vector of
/// i1; null means true. Inactive lanes are neither loaded nor stored, and their computed values are
/// arbitrary.
struct Mask {
  mlir::Value uniform, lanes;

  explicit operator bool() const { return uniform || lanes; }
  bool operator==(const Mask &other) const {
    return uniform == other.uniform && lanes == other.lanes;
  }
};

} // namespace hloc

#endif
