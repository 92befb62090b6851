// SPDX-License-Identifier: Apache-2.0
#include "passes/simplify/Match.h"
#include "compiler/hlo/ElementType.h"
#include "compiler/hlo/Literal.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

bool hloc::isRearrangement(Operation *op) {
  return isa<BroadcastOp, ReshapeOp, ReverseOp, SliceOp, TransposeOp>(op);
}

/// The constant that `value` is made from by reshapes, broadcasts and the like.
static ConstantOp getUniformSource(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto constant = dyn_cast<ConstantOp>(op))
      return constant;
    if (!isRearrangement(op))
      return nullptr;
    value = op->getOperand(0);
  }
  return nullptr;
}

TypedAttr hloc::getSplat(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return nullptr;
  ConstantOp constant = getUniformSource(value);
  auto dense = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  if (!dense || !dense.isSplat())
    return nullptr;
  Type element = dense.getElementType();
  if (element.isIntOrIndex())
    return IntegerAttr::get(element, dense.getSplatValue<APInt>());
  if (isa<FloatType>(element))
    return FloatAttr::get(element, dense.getSplatValue<APFloat>());
  return nullptr;
}

std::optional<APSInt> hloc::getSplatInteger(Value value) {
  auto attribute = dyn_cast_or_null<IntegerAttr>(getSplat(value));
  if (!attribute)
    return std::nullopt;
  Type type = attribute.getType();
  return APSInt(attribute.getValue(), isZeroExtended(type));
}

std::optional<APFloat> hloc::getSplatFloat(Value value) {
  auto attribute = dyn_cast_or_null<FloatAttr>(getSplat(value));
  return attribute ? std::optional(attribute.getValue()) : std::nullopt;
}

bool hloc::isSplatOf(Value value, double number) {
  Type element = getElementTypeOrSelf(value);
  if (element.isIntOrIndex()) {
    std::optional<APSInt> integer = getSplatInteger(value);
    return integer && APSInt::isSameValue(*integer, APSInt::get(int64_t(number)));
  }
  if (auto complex = dyn_cast<ComplexType>(element)) {
    ConstantOp constant = getUniformSource(value);
    auto dense = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
    if (!dense || !dense.isSplat())
      return false;
    auto parts = dense.getSplatValue<std::complex<APFloat>>();
    return parts.real().convertToDouble() == number && parts.imag().isPosZero() &&
           std::signbit(number) == parts.real().isNegative();
  }
  std::optional<APFloat> real = getSplatFloat(value);
  if (!real)
    return false;
  bool losesInfo;
  APFloat wide = *real;
  wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return wide.bitwiseIsEqual(APFloat(number));
}

std::optional<int64_t> hloc::getConstantIndex(Value value) {
  std::optional<APSInt> integer = getSplatInteger(value);
  if (!integer || cast<RankedTensorType>(value.getType()).getNumElements() != 1)
    return std::nullopt;
  if (integer->isUnsigned())
    return integer->getActiveBits() > 63 ? INT64_MAX : int64_t(integer->getZExtValue());
  return integer->getSExtValue();
}

bool hloc::isIdentityPermutation(ArrayRef<int64_t> permutation) {
  return llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size()));
}

SmallVector<int64_t> hloc::invertPermutation(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> inverse(permutation.size());
  for (auto [i, dimension] : llvm::enumerate(permutation))
    inverse[dimension] = i;
  return inverse;
}

Value hloc::getBroadcastScalar(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  bool ofScalar =
      broadcast && cast<RankedTensorType>(broadcast.getOperand().getType()).getRank() == 0;
  return ofScalar ? broadcast.getOperand() : Value();
}

SmallVector<int64_t> hloc::getNonUnitDimensions(RankedTensorType type) {
  SmallVector<int64_t> result;
  for (auto [dimension, size] : llvm::enumerate(type.getShape()))
    if (size != 1)
      result.push_back(int64_t(dimension));
  return result;
}

std::optional<SmallVector<std::pair<int64_t, int64_t>>> hloc::getUnitReshape(RankedTensorType from,
                                                                             RankedTensorType to) {
  SmallVector<int64_t> source = getNonUnitDimensions(from), target = getNonUnitDimensions(to);
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  if (source.size() != target.size())
    return std::nullopt;
  for (auto [a, b] : llvm::zip(source, target)) {
    if (from.getDimSize(a) != to.getDimSize(b))
      return std::nullopt;
    pairs.push_back({a, b});
  }
  return pairs;
}
