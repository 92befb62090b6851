// SPDX-License-Identifier: Apache-2.0
#include "passes/kernels/ArraySizes.h"
#include "compiler/hlo/ElementType.h"

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

int64_t hloc::getWidestElement(Block &body) {
  int64_t widest = 8;
  auto consider = [&](Type type) {
    auto array = dyn_cast<RankedTensorType>(type);
    if (!array)
      return;
    Type element = array.getElementType();
    if (auto complex = dyn_cast<ComplexType>(element))
      element = complex.getElementType();
    int64_t bits = element.getIntOrFloatBitWidth();
    widest = std::max(widest, isa<FloatType>(element) ? std::max<int64_t>(bits, 32) : bits);
  };
  for (Type type : body.getArgumentTypes())
    consider(type);
  for (Operation &op : body)
    for (Type type : op.getResultTypes())
      consider(type);
  return widest;
}
