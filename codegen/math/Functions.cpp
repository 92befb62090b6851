// SPDX-License-Identifier: Apache-2.0
#include "codegen/math/Functions.h"
#include "codegen/math/Math.h"

using namespace mlir;

namespace hloc {

#define MATH_FUNCTION(operation, emitter, expression)                                              \
  Value emitter(ImplicitLocOpBuilder &b, Value operand) {                                          \
    Expr x{&b, operand};                                                                           \
    return expression;                                                                             \
  }
#include "codegen/math/Functions.def"

} // namespace hloc
