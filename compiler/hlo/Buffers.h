// SPDX-License-Identifier: Apache-2.0
// Buffers, b(f32[4]) in the text: arrays whose memory custom calls share. Custom calls declare this
// themselves (output_to_operand_aliasing), so buffers can be arrays. Test:
// test/codegen/custom-call-aliases.test.

#ifndef HLOC_COMPILER_HLO_BUFFERS_H
#define HLOC_COMPILER_HLO_BUFFERS_H

#include "mlir/IR/BuiltinOps.h"

namespace hloc::hlo {

/// Replaces all buffers by arrays.
void replaceBuffers(mlir::ModuleOp module);

} // namespace hloc::hlo

#endif
