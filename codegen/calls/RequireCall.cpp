// SPDX-License-Identifier: Apache-2.0
// Conditions without which an operation is undefined: hlort_require. Test:
// test/passes/bounded/collectives.hlo.
#include "codegen/calls/Calls.h"
#include "compiler/hlo/Location.h"
#include "hlort/hlort.h"
#include "passes/Freestanding.h"

using namespace mlir;

namespace hloc {

/// The body of hlort_require where there is no runtime: sets the code, and copies the message as
/// far as it fits.
static void emitRequireFunction(ImplicitLocOpBuilder &b, LLVM::LLVMFuncOp function) {
  constexpr int64_t messageAt = offsetof(hlort_status, message),
                    room = sizeof(hlort_status::message) - 1;
  Type i8 = b.getI8Type(), i32 = b.getI32Type(), i64 = b.getI64Type();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto constant = [&](Type type, int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, type, b.getIntegerAttr(type, value));
  };
  auto element = [&](Value base, Value at) -> Value {
    return LLVM::GEPOp::create(b, pointer, i8, base, ArrayRef<LLVM::GEPArg>{at});
  };
  auto isEqual = [&](Value x, Value y) -> Value {
    return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, x, y);
  };
  Value holds = function.getArgument(0), message = function.getArgument(1),
        status = function.getArgument(2);
  Block *entry = b.getInsertionBlock();
  Region &region = function.getBody();
  auto makeBlock = [&](TypeRange arguments = {}) {
    return b.createBlock(&region, region.end(), arguments,
                         SmallVector<Location>(arguments.size(), b.getLoc()));
  };
  Block *done = makeBlock(), *fails = makeBlock(), *write = makeBlock(), *copy = makeBlock(i64),
        *next = makeBlock(), *leave = makeBlock();
  b.setInsertionPointToEnd(entry);
  LLVM::CondBrOp::create(b, isEqual(holds, constant(i32, 0)), fails, done);
  b.setInsertionPointToStart(done);
  LLVM::ReturnOp::create(b, constant(i32, HLORT_OK));
  b.setInsertionPointToStart(fails);
  LLVM::CondBrOp::create(b, isEqual(status, LLVM::ZeroOp::create(b, pointer)), leave, write);
  b.setInsertionPointToStart(write);
  LLVM::StoreOp::create(b, constant(i32, HLORT_INVALID_ARGUMENT), status);
  Value text = element(status, constant(i64, messageAt));
  LLVM::BrOp::create(b, ValueRange{constant(i64, 0)}, copy);
  b.setInsertionPointToStart(copy);
  Value at = copy->getArgument(0), end = constant(i8, 0);
  Value letter = LLVM::SelectOp::create(b, isEqual(at, constant(i64, room)), end,
                                        LLVM::LoadOp::create(b, i8, element(message, at)));
  LLVM::StoreOp::create(b, letter, element(text, at));
  LLVM::CondBrOp::create(b, isEqual(letter, end), leave, next);
  b.setInsertionPointToStart(next);
  LLVM::BrOp::create(b, ValueRange{LLVM::AddOp::create(b, at, constant(i64, 1))}, copy);
  b.setInsertionPointToStart(leave);
  LLVM::ReturnOp::create(b, constant(i32, HLORT_INVALID_ARGUMENT));
}

LogicalResult emitRequire(RuntimeCallBuilder &call) {
  std::string message = (call.getParameter<StringAttr>("opcode").getValue() + " '" +
                         hlo::getInstructionName(call.op.getLoc()) + "' (" + call.getPlace() +
                         "): expected " + call.getParameter<StringAttr>("expected").getValue())
                            .str();
  Value holds = LLVM::LoadOp::create(call.b, call.b.getI8Type(), call.site.inputs[0]);
  holds = LLVM::ZExtOp::create(call.b, call.b.getI32Type(), holds);
  if (isFreestanding(call.op->getParentOfType<ModuleOp>()))
    call.site.globals.define(
        "hlort_require", call.b.getI32Type(), {call.b.getI32Type(), call.pointer, call.pointer},
        [&](LLVM::LLVMFuncOp function) { emitRequireFunction(call.b, function); });
  call.call("hlort_require", {holds, call.text(message), call.site.status});
  return success();
}

} // namespace hloc
