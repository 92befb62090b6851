// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/Fence.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace hloc {

Value fence(ImplicitLocOpBuilder &b, Value value) {
  auto type = cast<VectorType>(value.getType());
  int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
  if (bits % 64 != 0)
    return value;
  // The intrinsic takes floats only.
  auto plain = VectorType::get({bits / 64}, b.getF64Type());
  Value opaque =
      LLVM::CallIntrinsicOp::create(b, plain, b.getStringAttr("llvm.arithmetic.fence"),
                                    ValueRange{b.createOrFold<vector::BitCastOp>(plain, value)})
          .getResult(0);
  return b.createOrFold<vector::BitCastOp>(type, opaque);
}

} // namespace hloc
