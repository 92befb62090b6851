// SPDX-License-Identifier: Apache-2.0
#include "passes/kernels/ArraySizes.h"

using namespace mlir;
using namespace hloc;

namespace {

unsigned bitWidth(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * bitWidth(complex.getElementType());
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 8;
}

} // namespace

double fuse::elementBytes(Type type) {
  unsigned bits = bitWidth(getElementTypeOrSelf(type));
  return bits == 1 ? 1.0 : bits / 8.0; // pred is stored as a byte
}

double fuse::elementsOf(Type type) {
  double count = 1;
  for (int64_t size : cast<ShapedType>(type).getShape())
    count *= double(size);
  return count;
}

double fuse::bytesOf(Type type) { return elementsOf(type) * elementBytes(type); }
