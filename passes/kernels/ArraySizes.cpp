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
