// SPDX-License-Identifier: Apache-2.0
#include "codegen/program/Dispatch.h"
#include "compiler/target/Target.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"

using namespace llvm;

namespace hloc {

/// HLORT_UNSUPPORTED, and the offset of the message in an hlort_status.
static constexpr int32_t kUnsupported = 4;
static constexpr int64_t kStatusMessage = 4;

std::string getVariantPrefix(StringRef name, StringRef cpu) { return (name + "." + cpu).str(); }

namespace {

constexpr uint32_t bits(std::initializer_list<int> positions) {
  uint32_t mask = 0;
  for (int position : positions)
    mask |= uint32_t(1) << position;
  return mask;
}

// The features that the x86-64 psABI requires of each level, by the cpuid leaf that reports them,
// and the bits of XCR0 for the registers that the operating system must save.
// Leaf 1, ecx: SSE3 SSSE3 CX16 SSE4.1 SSE4.2 POPCNT; FMA MOVBE OSXSAVE AVX F16C.
constexpr uint32_t kLeaf1V2 = bits({0, 9, 13, 19, 20, 23}), kLeaf1V3 = bits({12, 22, 27, 28, 29});
// Leaf 0x80000001, ecx: LAHF; LZCNT.
constexpr uint32_t kExtendedV2 = bits({0}), kExtendedV3 = bits({5});
// Leaf 7, ebx: BMI1 AVX2 BMI2; AVX512F DQ CD BW VL.
constexpr uint32_t kLeaf7V3 = bits({3, 5, 8}), kLeaf7V4 = bits({16, 17, 28, 30, 31});
constexpr uint32_t kStateV3 = bits({1, 2}), kStateV4 = bits({1, 2, 5, 6, 7});

class DispatcherBuilder {
public:
  DispatcherBuilder(LLVMContext &context, StringRef name, ArrayRef<std::string> cpus,
                    ArrayRef<StringRef> endings)
      : name(name), cpus(cpus), endings(endings), module(std::make_unique<Module>(name, context)),
        b(context), pointer(b.getPtrTy()), i32(b.getInt32Ty()) {}

  std::unique_ptr<Module> build();

private:
  enum Register { Eax, Ebx, Ecx, Edx };
  Value *cpuid(uint32_t leaf, Register which) {
    Type *all = StructType::get(i32, i32, i32, i32);
    auto *ask =
        InlineAsm::get(FunctionType::get(all, {i32, i32}, false), "cpuid",
                       "={eax},={ebx},={ecx},={edx},{eax},{ecx},~{dirflag},~{fpsr},~{flags}",
                       /*hasSideEffects=*/true);
    return b.CreateExtractValue(b.CreateCall(ask, {b.getInt32(leaf), b.getInt32(0)}), which);
  }
  Value *enabledState() {
    auto *ask =
        InlineAsm::get(FunctionType::get(StructType::get(i32, i32), {i32}, false), "xgetbv",
                       "={eax},={edx},{ecx},~{dirflag},~{fpsr},~{flags}", /*hasSideEffects=*/true);
    return b.CreateExtractValue(b.CreateCall(ask, {b.getInt32(0)}), 0);
  }
  Value *hasAll(Value *word, uint32_t mask) {
    return b.CreateICmpEQ(b.CreateAnd(word, mask), b.getInt32(mask));
  }
  Value *all(std::initializer_list<Value *> conditions) {
    return b.CreateAnd(ArrayRef<Value *>(conditions));
  }

  Function *makeDetector();
  void makeFunction(StringRef ending, Function *detector, GlobalVariable *known);
  void refuse(Value *status);

  std::string name;
  ArrayRef<std::string> cpus;
  ArrayRef<StringRef> endings;
  std::unique_ptr<Module> module;
  IRBuilder<> b;
  Type *pointer, *i32;
};

/// int32_t level(): 1 to 4.
Function *DispatcherBuilder::makeDetector() {
  auto *function = Function::Create(FunctionType::get(i32, false), GlobalValue::InternalLinkage,
                                    name + ".level", *module);
  LLVMContext &context = module->getContext();
  auto *entry = BasicBlock::Create(context, "", function),
       *vectors = BasicBlock::Create(context, "", function),
       *done = BasicBlock::Create(context, "", function);
  b.SetInsertPoint(entry);
  Value *leaves = cpuid(0, Eax), *leaf1 = cpuid(1, Ecx);
  Value *hasExtended = b.CreateICmpUGE(cpuid(0x80000000, Eax), b.getInt32(0x80000001));
  Value *extended = b.CreateSelect(hasExtended, cpuid(0x80000001, Ecx), b.getInt32(0));
  Value *v2 = all({hasAll(leaf1, kLeaf1V2), hasAll(extended, kExtendedV2)});
  Value *below3 = b.CreateSelect(v2, b.getInt32(2), b.getInt32(1));
  b.CreateCondBr(all({v2, hasAll(leaf1, kLeaf1V3), b.CreateICmpUGE(leaves, b.getInt32(7))}),
                 vectors, done);

  b.SetInsertPoint(vectors); // xgetbv is valid here
  Value *leaf7 = cpuid(7, Ebx), *state = enabledState();
  Value *v3 =
      all({hasAll(leaf7, kLeaf7V3), hasAll(extended, kExtendedV3), hasAll(state, kStateV3)});
  Value *v4 = all({v3, hasAll(leaf7, kLeaf7V4), hasAll(state, kStateV4)});
  Value *from3 =
      b.CreateSelect(v4, b.getInt32(4), b.CreateSelect(v3, b.getInt32(3), b.getInt32(2)));
  b.CreateBr(done);

  b.SetInsertPoint(done);
  PHINode *level = b.CreatePHI(i32, 2);
  level->addIncoming(below3, entry);
  level->addIncoming(from3, vectors);
  b.CreateRet(level);
  return function;
}

/// Writes the status, if there is one, and returns its code.
void DispatcherBuilder::refuse(Value *status) {
  Function *function = b.GetInsertBlock()->getParent();
  LLVMContext &context = module->getContext();
  auto *write = BasicBlock::Create(context, "", function),
       *leave = BasicBlock::Create(context, "", function);
  b.CreateCondBr(b.CreateIsNull(status), leave, write);
  b.SetInsertPoint(write);
  std::string text = name + ": this processor is below " + cpus.front() +
                     ", the lowest level that the module was compiled for";
  text.resize(std::min<size_t>(text.size(), 255));
  b.CreateStore(b.getInt32(kUnsupported), status);
  b.CreateMemCpy(b.CreateConstGEP1_64(b.getInt8Ty(), status, kStatusMessage), MaybeAlign(),
                 b.CreateGlobalString(text, name + ".message", 0, module.get()), MaybeAlign(),
                 text.size() + 1);
  b.CreateBr(leave);
  b.SetInsertPoint(leave);
  b.CreateRet(b.getInt32(kUnsupported));
}

/// Makes the function with this ending, which calls those of the programs.
void DispatcherBuilder::makeFunction(StringRef ending, Function *detector, GlobalVariable *known) {
  auto *type = FunctionType::get(i32, {pointer, pointer, pointer, pointer, pointer}, false);
  auto *run = Function::Create(type, GlobalValue::ExternalLinkage, name + ending, *module);
  LLVMContext &context = module->getContext();
  auto *entry = BasicBlock::Create(context, "", run), *ask = BasicBlock::Create(context, "", run),
       *choose = BasicBlock::Create(context, "", run);
  b.SetInsertPoint(entry);
  // Several threads may write it, but all write the same value.
  LoadInst *before = b.CreateAlignedLoad(i32, known, Align(4));
  before->setAtomic(AtomicOrdering::Monotonic);
  b.CreateCondBr(b.CreateIsNull(before), ask, choose);
  b.SetInsertPoint(ask);
  Value *found = b.CreateCall(detector);
  b.CreateAlignedStore(found, known, Align(4))->setAtomic(AtomicOrdering::Monotonic);
  b.CreateBr(choose);

  b.SetInsertPoint(choose);
  PHINode *level = b.CreatePHI(i32, 2);
  level->addIncoming(before, entry);
  level->addIncoming(found, ask);
  SmallVector<Value *> arguments(llvm::make_pointer_range(run->args()));
  for (const std::string &cpu : llvm::reverse(cpus)) {
    auto *call = BasicBlock::Create(context, "", run), *next = BasicBlock::Create(context, "", run);
    b.CreateCondBr(b.CreateICmpUGE(level, b.getInt32(getX86Level(cpu))), call, next);
    b.SetInsertPoint(call);
    auto *program = Function::Create(type, GlobalValue::ExternalLinkage,
                                     getVariantPrefix(name, cpu) + ending, *module);
    program->setVisibility(GlobalValue::HiddenVisibility);
    CallInst *code = b.CreateCall(program, arguments);
    code->setTailCall();
    b.CreateRet(code);
    b.SetInsertPoint(next);
  }
  refuse(run->getArg(4));
}

std::unique_ptr<Module> DispatcherBuilder::build() {
  auto *known = new GlobalVariable(*module, i32, false, GlobalValue::InternalLinkage, b.getInt32(0),
                                   name + ".known_level");
  Function *detector = makeDetector();
  for (StringRef ending : endings)
    makeFunction(ending, detector, known);
  for (Function &function : *module)
    function.addFnAttr(Attribute::NoUnwind);
  return std::move(module);
}

} // namespace

std::unique_ptr<Module> makeDispatcher(LLVMContext &context, StringRef name,
                                       ArrayRef<std::string> cpus, ArrayRef<StringRef> endings) {
  return DispatcherBuilder(context, name, cpus, endings).build();
}

} // namespace hloc
