// SPDX-License-Identifier: Apache-2.0
// The cost model of fusion. Numbers: reciprocal throughput of AVX-512 code, measured or taken from
// instruction tables, rounded.
#include "passes/kernels/FuseCost.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace hloc;

namespace {

unsigned bitWidth(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * bitWidth(complex.getElementType());
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 8;
}

/// In units of one vector addition.
double unitsOf(Operation *op, Type element) {
  StringRef name = op->getName().stripDialect();
  bool isInteger = isa<IntegerType>(element);
  if (name == "divide" || name == "remainder")
    return isInteger ? 30 : name == "divide" ? 5 : 40;
  if (name == "power")
    return isInteger ? 60 : 25;
  if (name == "concatenate")
    return 1.0 + op->getNumOperands();
  return llvm::StringSwitch<double>(name)
      .Cases({"sqrt", "exponential", "tanh"}, 6)
      .Cases({"rsqrt", "log", "logistic", "erf"}, 8)
      .Cases({"sine", "cosine", "exponential_minus_one", "log_plus_one", "cbrt"}, 12)
      .Cases({"tan", "asin", "acos", "asinh", "acosh", "atanh", "sinh", "cosh", "atan2"}, 20)
      .Cases({"clamp", "sign", "round_nearest_afz", "pad"}, 2)
      .Cases({"popcnt", "count_leading_zeros", "reduce_precision", "stochastic_convert"}, 4)
      .Case("gather", 8)
      .Cases({"broadcast", "constant"}, 0)
      .Default(1);
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

double fuse::timePerElement(Operation *op) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  for (Value operand : op->getOperands()) // compare and convert work in the operand's type
    if (bitWidth(getElementTypeOrSelf(operand.getType())) > bitWidth(element))
      element = getElementTypeOrSelf(operand.getType());
  double units = unitsOf(op, element);
  if (auto complex = dyn_cast<ComplexType>(element))
    return 0.02 * 3 * units * bitWidth(complex.getElementType()) / 32;
  if (isa<FloatType>(element) && bitWidth(element) < 32) // computed in f32
    return 0.02 * (units + (bitWidth(element) < 16 ? 4 : 1));
  return 0.02 * units * std::max(8u, bitWidth(element)) / 32;
}

bool fuse::isExpensive(Operation *op) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  return unitsOf(op, element) >= 5;
}

double fuse::streamTimePerByte(double bytes) {
  // The second level of a core's cache, then memory.
  return bytes <= 256 * 1024 ? 0.012 : bytes <= 4 * 1024 * 1024 ? 0.03 : 0.06;
}
