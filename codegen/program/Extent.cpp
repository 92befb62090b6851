// SPDX-License-Identifier: Apache-2.0
#include "codegen/program/Extent.h"
#include "codegen/emit/Memory.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace hloc {

Extent findExtent(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t bytes = getByteSize(RankedTensorType::get(type.getShape(), type.getElementType())),
          offset = 0;
  while (Operation *op = buffer.getDefiningOp()) {
    if (auto view = dyn_cast<memref::ViewOp>(op)) {
      std::optional<int64_t> shift = getConstant(view.getByteShift());
      if (!shift)
        return {};
      offset += *shift;
      buffer = view.getSource();
    } else if (isa<memref::ReinterpretCastOp, UnrealizedConversionCastOp>(op)) {
      buffer = op->getOperand(0);
    } else {
      break;
    }
  }
  return {buffer, offset, offset + bytes};
}

} // namespace hloc
