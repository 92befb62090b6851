// SPDX-License-Identifier: Apache-2.0
// Array types as plain values, and comparison and printing of types.

#ifndef HLOC_COMPILER_HLO_INFER_SHAPE_H
#define HLOC_COMPILER_HLO_INFER_SHAPE_H

#include "compiler/hlo/ElementType.h"
#include "compiler/hlo/infer/Rule.h"

namespace hloc::hlo {

using Sizes = llvm::ArrayRef<int64_t>;

/// Size of an unbounded dimension, `?`.
constexpr int64_t kUnbounded = mlir::ShapedType::kDynamic;

/// An array's element type and dimensions, without layout.
struct Shape {
  mlir::Type element;
  /// Size, or bound of a bounded dimension (`<=N`), or kUnbounded.
  llvm::SmallVector<int64_t, 6> sizes;
  /// The dimensions whose size is known only at run time.
  llvm::SmallVector<bool, 6> dynamic;

  Shape(mlir::Type element, Sizes sizes)
      : element(element), sizes(sizes), dynamic(sizes.size(), false) {}
  explicit Shape(mlir::RankedTensorType type);
  /// The shape without dimensions, to which `append` adds.
  explicit Shape(mlir::Type element) : element(element) {}

  int64_t getRank() const { return sizes.size(); }
  bool isStatic() const { return !llvm::is_contained(dynamic, true); }
  void append(int64_t size, bool isDynamic) {
    sizes.push_back(size);
    dynamic.push_back(isDynamic || size == kUnbounded);
  }
  /// The tensor type; default layout, with bounds where dimensions are bounded.
  mlir::RankedTensorType getType() const;
};

/// Bounds of `type`: its sizes, where bounded dimensions have their bound.
llvm::SmallVector<int64_t, 6> getBounds(mlir::RankedTensorType type);

/// True if two dimensions can have the same size: `?` agrees with every size.
inline bool sizesAgree(int64_t a, int64_t b) {
  return a == b || a == kUnbounded || b == kUnbounded;
}
bool sizesAgree(Sizes a, Sizes b);
/// True if arrays have the same dimensions except for layout and dynamism.
bool shapesAgree(mlir::RankedTensorType a, mlir::RankedTensorType b);

/// True if types are the same except for layouts and dynamism; tuples element by element.
bool typesAgree(mlir::Type a, mlir::Type b);
bool typesAgree(mlir::TypeRange a, mlir::TypeRange b);

/// Leaves of tuples, in order.
void flattenTypes(mlir::TypeRange types, llvm::SmallVectorImpl<mlir::Type> &leaves);

/// Several types as one: the type itself, or a tuple.
mlir::Type packTypes(mlir::MLIRContext *context, mlir::TypeRange types);

/// Type in the form of HLO text, without layout: `(f32[2,<=3], s32[])`.
std::string toText(mlir::Type type);
std::string toText(mlir::TypeRange types);
/// Element type as HLO text spells it: `bf16`.
std::string elementToText(mlir::Type element);
/// `{1,2}`.
std::string toText(Sizes numbers);

/// Kinds of element types, which are disjoint.
bool isInteger(mlir::Type element); // without pred
bool isUnsigned(mlir::Type element);
bool isFloat(mlir::Type element);
bool isComplex(mlir::Type element);
int64_t getBits(mlir::Type element);
/// The one of two element types with the larger range, then precision, then width.
mlir::Type getHigherPrecision(mlir::Type a, mlir::Type b);

/// Number of elements (bounded dimensions at their bound); nothing if it exceeds an int64 or a
/// dimension is unbounded.
std::optional<int64_t> countElements(Sizes sizes);

/// The size after adding `low` and `high` elements before and after `size` (they may be negative);
/// nothing unless the positions of all of them, counted from the first, fit in an int64.
std::optional<int64_t> addPadding(int64_t size, int64_t low, int64_t high);

//===- Constraints that many rules share. `what` names the operand or attribute in messages. -===//

/// `type` as an array.
llvm::FailureOr<mlir::RankedTensorType> expectArray(const Rule &rule, mlir::Type type,
                                                    const llvm::Twine &what);
/// The result that the text states, for operations whose result the operands do not determine.
llvm::FailureOr<mlir::RankedTensorType> expectDeclaredArray(const Rule &rule);
llvm::LogicalResult expectScalar(const Rule &rule, mlir::Type type, const llvm::Twine &what);
llvm::LogicalResult expectRank(const Rule &rule, mlir::RankedTensorType type, int64_t rank,
                               const llvm::Twine &what);
llvm::LogicalResult expectSameElement(const Rule &rule, mlir::Type a, mlir::Type b,
                                      const llvm::Twine &what);
/// A list of `size` entries.
llvm::LogicalResult expectCount(const Rule &rule, size_t actual, size_t expected,
                                const llvm::Twine &what);
/// A dimension of an array of `rank` dimensions.
llvm::LogicalResult expectDimension(const Rule &rule, int64_t dimension, int64_t rank,
                                    const llvm::Twine &what);
/// Distinct dimensions in range.
llvm::LogicalResult expectDimensions(const Rule &rule, Sizes dimensions, int64_t rank,
                                     const llvm::Twine &what);
/// Ascending, distinct dimensions in range.
llvm::LogicalResult expectSorted(const Rule &rule, Sizes dimensions, int64_t rank,
                                 const llvm::Twine &what);
/// `value` in [low, high].
llvm::LogicalResult expectRange(const Rule &rule, int64_t value, int64_t low, int64_t high,
                                const llvm::Twine &what);

} // namespace hloc::hlo

#endif
