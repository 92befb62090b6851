// SPDX-License-Identifier: Apache-2.0
#include "codegen/program/Trace.h"
#include "compiler/hlo/Location.h"

using namespace mlir;

namespace hloc {

LogicalResult Tracer::trace(Operation *op, StringRef category, Value context,
                            function_ref<LogicalResult()> emit, StringRef kernel) {
  if (!enabled)
    return emit();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i64 = b.getI64Type();
  auto begin = globals.declare("hlort_trace_begin", i64, {pointer});
  Value start = LLVM::CallOp::create(b, begin, context).getResult();
  if (failed(emit()))
    return failure();
  b.setLoc(op->getLoc()); // emitting may have changed it
  // An hlort_trace_label.
  StringRef name = hlo::getInstructionName(op->getLoc());
  Value label = globals.texts({name.empty() ? category : name, category,
                               hlo::getMetadataField(op->getLoc(), "op_name"), kernel});
  auto end = globals.declare("hlort_trace_end", LLVM::LLVMVoidType::get(b.getContext()),
                             {pointer, pointer, i64});
  LLVM::CallOp::create(b, end, ValueRange{context, label, start});
  return success();
}

} // namespace hloc
