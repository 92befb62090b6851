// SPDX-License-Identifier: Apache-2.0
#include "passes/kernels/ArraySizes.h"
#include "compiler/hlo/ElementType.h"
#include "compiler/hlo/HloDialect.h"

using namespace mlir;
using namespace hloc;

double fuse::elementBytes(Type type) {
  Type element = getElementTypeOrSelf(type);
  bool isNumber = element.isIntOrFloat() || isa<ComplexType>(element);
  return isNumber ? double(hlo::getStorageBits(element)) / 8 : 1;
}

double fuse::elementsOf(Type type) {
  double count = 1;
  for (int64_t size : cast<ShapedType>(type).getShape())
    count *= double(size);
  return count;
}

double fuse::bytesOf(Type type) { return elementsOf(type) * elementBytes(type); }

static bool isNarrowFloat(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
}

/// True if an operation of `body` computes with narrow floats, instead of moving their bits.
static bool computesNarrowFloats(Block &body) {
  return llvm::any_of(body, [](Operation &op) {
    bool moves = isa<hlo::BitcastConvertOp, hlo::BitcastOp, hlo::BroadcastOp, hlo::ConcatenateOp,
                     hlo::ConstantOp, hlo::CopyOp, hlo::DynamicSliceOp, hlo::DynamicUpdateSliceOp,
                     hlo::GatherOp, hlo::PadOp, hlo::ReshapeOp, hlo::ReturnOp, hlo::ReverseOp,
                     hlo::SliceOp, hlo::TransposeOp>(op);
    return !moves && (llvm::any_of(op.getOperandTypes(), isNarrowFloat) ||
                      llvm::any_of(op.getResultTypes(), isNarrowFloat));
  });
}

int64_t hloc::getWidestElement(Block &body) {
  int64_t widest = 8, ofFloats = computesNarrowFloats(body) ? 32 : 8;
  auto consider = [&](Type type) {
    auto array = dyn_cast<RankedTensorType>(type);
    if (!array)
      return;
    Type element = array.getElementType();
    if (auto complex = dyn_cast<ComplexType>(element))
      element = complex.getElementType();
    int64_t bits = element.getIntOrFloatBitWidth();
    widest = std::max(widest, isa<FloatType>(element) ? std::max(bits, ofFloats) : bits);
  };
  for (Type type : body.getArgumentTypes())
    consider(type);
  for (Operation &op : body)
    for (Type type : op.getResultTypes())
      consider(type);
  return widest;
}
