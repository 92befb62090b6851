// SPDX-License-Identifier: Apache-2.0
#include "codegen/object/MemoryFunctions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace hloc {

/// Bytes that are moved at once: a few registers of any processor.
static constexpr int64_t kPiece = 64;

namespace {

/// The body of one of these functions: the first argument is the memory to write, the third its
/// number of bytes.
class Body {
public:
  Body(Module &module, StringRef name, bool isFill)
      : b(module.getContext()), i64(b.getInt64Ty()),
        piece(FixedVectorType::get(b.getInt8Ty(), kPiece)) {
    Type *source = isFill ? static_cast<Type *>(b.getInt32Ty()) : b.getPtrTy();
    auto *type = FunctionType::get(b.getPtrTy(), {b.getPtrTy(), source, i64}, false);
    function = Function::Create(type, GlobalValue::InternalLinkage, name, module);
    function->addFnAttr(Attribute::NoUnwind);
    function->addFnAttr(Attribute::NoInline);
    function->addFnAttr("no-builtins"); // or LLVM might recognize it as itself
    to = function->getArg(0);
    size = function->getArg(2);
    begin("entry");
  }

  void copyForward() {
    Value *whole = b.CreateAnd(size, -kPiece);
    loop(b.getInt64(0), whole, kPiece, [&](Value *at) { move(piece, at); });
    loop(whole, size, 1, [&](Value *at) { move(b.getInt8Ty(), at); });
  }

  void copyBackward() {
    Value *whole = b.CreateAnd(size, -kPiece), *rest = b.CreateSub(size, whole);
    loop(b.getInt64(0), whole, kPiece, [&](Value *done) {
      move(piece, b.CreateSub(b.CreateSub(size, done), b.getInt64(kPiece)));
    });
    loop(b.getInt64(0), rest, 1, [&](Value *done) {
      move(b.getInt8Ty(), b.CreateSub(b.CreateSub(rest, done), b.getInt64(1)));
    });
  }

  /// Copies backward if the destination begins inside the source.
  void copyEitherWay() {
    Value *distance =
        b.CreateSub(b.CreatePtrToInt(to, i64), b.CreatePtrToInt(function->getArg(1), i64));
    BasicBlock *backward = makeBlock("backward"), *forward = makeBlock("forward");
    b.CreateCondBr(b.CreateICmpULT(distance, size), backward, forward);
    b.SetInsertPoint(backward);
    copyBackward();
    b.CreateRet(to);
    b.SetInsertPoint(forward);
    copyForward();
  }

  void fill() {
    Value *byte = b.CreateTrunc(function->getArg(1), b.getInt8Ty());
    Value *bytes = b.CreateVectorSplat(kPiece, byte), *whole = b.CreateAnd(size, -kPiece);
    auto put = [&](Value *value) {
      return [this, value](Value *at) { b.CreateAlignedStore(value, place(to, at), Align(1)); };
    };
    loop(b.getInt64(0), whole, kPiece, put(bytes));
    loop(whole, size, 1, put(byte));
  }

  Function *finish() {
    b.CreateRet(to);
    return function;
  }

private:
  BasicBlock *makeBlock(const char *name) {
    return BasicBlock::Create(b.getContext(), name, function);
  }
  void begin(const char *name) { b.SetInsertPoint(makeBlock(name)); }
  Value *place(Value *base, Value *at) { return b.CreatePtrAdd(base, at); }

  void move(Type *type, Value *at) {
    Value *value = b.CreateAlignedLoad(type, place(function->getArg(1), at), Align(1));
    b.CreateAlignedStore(value, place(to, at), Align(1));
  }

  void loop(Value *from, Value *end, int64_t step, function_ref<void(Value *)> body) {
    BasicBlock *before = b.GetInsertBlock(), *inside = makeBlock("loop"),
               *after = makeBlock("after");
    b.CreateCondBr(b.CreateICmpULT(from, end), inside, after);
    b.SetInsertPoint(inside);
    PHINode *at = b.CreatePHI(i64, 2);
    at->addIncoming(from, before);
    body(at);
    Value *next = b.CreateAdd(at, b.getInt64(step));
    at->addIncoming(next, inside);
    b.CreateCondBr(b.CreateICmpULT(next, end), inside, after);
    b.SetInsertPoint(after);
  }

  IRBuilder<> b;
  Type *i64, *piece;
  Function *function;
  Value *to, *size;
};

} // namespace

void addMemoryFunctions(Module &module) {
  Body copy(module, "memcpy", /*isFill=*/false), move(module, "memmove", /*isFill=*/false),
      fill(module, "memset", /*isFill=*/true);
  copy.copyForward();
  move.copyEitherWay();
  fill.fill();
  // Nothing calls them before machine code is generated.
  appendToCompilerUsed(module, {copy.finish(), move.finish(), fill.finish()});
}

} // namespace hloc
