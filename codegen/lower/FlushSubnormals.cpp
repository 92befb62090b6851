// SPDX-License-Identifier: Apache-2.0
#include "codegen/lower/FlushSubnormals.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAArch64.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace hloc {

/// MXCSR: results to zero, and operands; FPCR: both.
static constexpr uint64_t kFlushX86 = 1 << 15 | 1 << 6, kFlushAArch64 = 1 << 24;

/// True if it computes with floats or calls what may; the functions of memory do neither.
static bool mayCompute(Function &function) {
  return any_of(instructions(function), [](Instruction &instruction) {
    auto *call = dyn_cast<CallBase>(&instruction);
    return instruction.getType()->isFPOrFPVectorTy() || (call && !isa<IntrinsicInst>(call));
  });
}

static void setMode(IRBuilder<> &builder, Value *memory, Value *mode) {
  if (!memory) {
    builder.CreateIntrinsic(Intrinsic::aarch64_set_fpcr, {mode});
    return;
  }
  builder.CreateStore(mode, memory);
  builder.CreateIntrinsic(Intrinsic::x86_sse_ldmxcsr, {memory});
}

/// Gives `inner` a function of its name around it.
static void wrap(Function &inner, bool isX86) {
  std::string name = inner.getName().str();
  inner.setName(name + ".flushing");
  auto *outer = Function::Create(inner.getFunctionType(), inner.getLinkage(),
                                 inner.getAddressSpace(), name, inner.getParent());
  outer->copyAttributesFrom(&inner);
  outer->setComdat(inner.getComdat());
  inner.replaceAllUsesWith(outer);
  inner.setComdat(nullptr);
  inner.setVisibility(GlobalValue::DefaultVisibility);
  inner.setLinkage(GlobalValue::InternalLinkage);
  inner.addFnAttr(Attribute::NoInline);

  IRBuilder<> builder(BasicBlock::Create(inner.getContext(), "", outer));
  Value *memory = nullptr, *before;
  if (isX86) {
    memory = builder.CreateAlloca(builder.getInt32Ty());
    builder.CreateIntrinsic(Intrinsic::x86_sse_stmxcsr, {memory});
    before = builder.CreateLoad(builder.getInt32Ty(), memory);
  } else {
    before = builder.CreateIntrinsic(Intrinsic::aarch64_get_fpcr, {});
  }
  setMode(builder, memory, builder.CreateOr(before, isX86 ? kFlushX86 : kFlushAArch64));
  SmallVector<Value *> arguments(make_pointer_range(outer->args()));
  CallInst *call = builder.CreateCall(&inner, arguments);
  call->setCallingConv(inner.getCallingConv());
  setMode(builder, memory, before);
  if (inner.getReturnType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(call);
}

void flushSubnormals(Module &module) {
  SmallVector<Function *> entered;
  for (Function &function : module)
    if (!function.isDeclaration() && mayCompute(function) &&
        (!function.hasLocalLinkage() || function.hasAddressTaken()))
      entered.push_back(&function);
  for (Function *function : entered)
    wrap(*function, module.getTargetTriple().isX86());
}

} // namespace hloc
