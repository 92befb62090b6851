// SPDX-License-Identifier: Apache-2.0
// Copies in the program's body: large ones are split into tasks of a parallel loop.
#include "codegen/LaunchAttribute.h"
#include "codegen/program/ProgramEmitter.h"
#include "compiler/target/Cost.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// Parts begin at multiples of this, so that no two threads write to the same cache line.
static constexpr int64_t kPartUnit = 4096;

/// The loop body of a copy. Its frame is [to, from, bytes, bytes per task].
LLVM::LLVMFuncOp ProgramEmitter::getCopyTask() {
  if (copyTask)
    return copyTask;
  OpBuilder::InsertionGuard guard(b);
  // No instruction's name, and so no kernel's, contains this character.
  copyTask = beginTask(getKernelSymbol(names, "copy$tasks"));
  Type i64 = b.getI64Type();
  Value given = copyTask.getArgument(0);
  auto load = [&](Type type, int64_t slot) -> Value {
    return LLVM::LoadOp::create(b, type, offset(given, 8 * slot));
  };
  Value to = load(pointer, 0), from = load(pointer, 1), bytes = load(i64, 2), part = load(i64, 3);
  Value begin = LLVM::MulOp::create(b, copyTask.getArgument(1), part);
  Value end = LLVM::MulOp::create(b, copyTask.getArgument(2), part);
  end = arith::MinSIOp::create(b, end, bytes);
  auto at = [&](Value base) {
    return LLVM::GEPOp::create(b, pointer, b.getI8Type(), base, ArrayRef<LLVM::GEPArg>{begin});
  };
  LLVM::MemcpyOp::create(b, at(to), at(from), arith::SubIOp::create(b, end, begin),
                         /*isVolatile=*/false);
  LLVM::ReturnOp::create(b, ValueRange());
  return copyTask;
}

void ProgramEmitter::emitCopy(memref::CopyOp copy) {
  Value from = locate(copy.getSource()), to = locate(copy.getTarget());
  int64_t size = bytesOf(copy.getSource().getType());
  Type i64 = b.getI64Type();
  Value bytes = constant(i64, size);
  OpBuilder::InsertionGuard guard(b);
  if (copy->hasAttr("hlo.unless_same")) { // the host may have passed one buffer for both
    Value differ = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, from, to);
    b.setInsertionPointToStart(scf::IfOp::create(b, differ, /*withElseRegion=*/false).thenBlock());
  }
  CostModel costs(target);
  int64_t tasks = std::max<int64_t>(2, costs.getTaskCount(costs.getCopyTime(double(size))));
  int64_t part = llvm::alignTo(llvm::divideCeil(size, tasks), kPartUnit);
  if (!copy->hasAttr(kDivided) || part >= size) {
    LLVM::MemcpyOp::create(b, to, from, bytes, /*isVolatile=*/false);
    return;
  }
  SmallVector<Value, kCopyFrame> given{to, from, bytes, constant(i64, part)};
  for (auto [slot, value] : llvm::enumerate(given))
    LLVM::StoreOp::create(b, value, offset(frame, 8 * int64_t(slot)));
  callParallel(llvm::divideCeil(size, part), getCopyTask());
}

} // namespace hloc
