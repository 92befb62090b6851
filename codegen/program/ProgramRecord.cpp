// SPDX-License-Identifier: Apache-2.0
#include "codegen/program/ProgramRecord.h"
#include "compiler/hlo/HloDialect.h"

using namespace mlir;

namespace hloc {

bool needsParticipants(ModuleOp program) {
  auto asks = [](hlo::RuntimeCallOp call) {
    StringRef callee = call.getCallee();
    bool needs = callee == "collective_start" || callee == "partition_id" || callee == "replica_id";
    return needs ? WalkResult::interrupt() : WalkResult::advance();
  };
  return llvm::any_of(program.getOps<func::FuncOp>(),
                      [&](func::FuncOp function) { return function.walk(asks).wasInterrupted(); });
}

Value getProgramRecord(Globals &globals, ImplicitLocOpBuilder &b, ModuleOp program) {
  auto number = [&](StringRef attribute, int64_t otherwise) {
    auto value = program->getAttrOfType<IntegerAttr>(attribute);
    return value ? value.getInt() : otherwise;
  };
  return globals.record("program", [&] {
    auto i32 = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(b, b.getI32Type(), b.getI32IntegerAttr(value));
    };
    Value fingerprint = LLVM::ConstantOp::create(b, b.getI64Type(),
                                                 b.getI64IntegerAttr(number("hlo.fingerprint", 0)));
    return SmallVector<Value>{globals.text(program.getSymName().value_or("module")), fingerprint,
                              i32(number("hlo.replica_count", 1)),
                              i32(number("hlo.num_partitions", 1))};
  });
}

Value emitProgramBegin(ImplicitLocOpBuilder &b, Globals &globals, ModuleOp program, Value context,
                       Value status) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto begin = globals.declare("hlort_program_begin", b.getI32Type(), {pointer, pointer, pointer});
  Value record = getProgramRecord(globals, b, program);
  return LLVM::CallOp::create(b, begin, ValueRange{context, record, status}).getResult();
}

Value emitProgramEnd(ImplicitLocOpBuilder &b, Globals &globals, ModuleOp program, Value context,
                     Value code, Value status) {
  Type i32 = b.getI32Type(), pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto end = globals.declare(kProgramEnd, i32, {pointer, pointer, i32, pointer});
  Value record = getProgramRecord(globals, b, program);
  return LLVM::CallOp::create(b, end, ValueRange{context, record, code, status}).getResult();
}

} // namespace hloc
