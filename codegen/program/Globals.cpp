// SPDX-License-Identifier: Apache-2.0
#include "codegen/program/Globals.h"

using namespace mlir;

namespace hloc {

LLVM::LLVMFuncOp Globals::declare(StringRef symbol, Type result, TypeRange arguments) {
  LLVM::LLVMFuncOp &function = functions[symbol];
  if (!function) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    function = LLVM::LLVMFuncOp::create(
        b, symbol, LLVM::LLVMFunctionType::get(result, llvm::to_vector(arguments)));
  }
  return function;
}

LLVM::GlobalOp Globals::makeConstant(Type type, Attribute value) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  return LLVM::GlobalOp::create(b, type, /*isConstant=*/true, LLVM::Linkage::Private,
                                name + ".data." + std::to_string(count++), value);
}

Value Globals::addressOf(LLVM::GlobalOp global) {
  return LLVM::AddressOfOp::create(b, LLVM::LLVMPointerType::get(b.getContext()),
                                   global.getSymName());
}

Value Globals::text(StringRef string) {
  LLVM::GlobalOp &global = strings[string];
  if (!global)
    global = makeConstant(LLVM::LLVMArrayType::get(b.getI8Type(), string.size() + 1),
                          b.getStringAttr(string + Twine('\0')));
  return addressOf(global);
}

Value Globals::numbers(ArrayRef<int64_t> values) {
  if (values.empty())
    return LLVM::ZeroOp::create(b, LLVM::LLVMPointerType::get(b.getContext()));
  LLVM::GlobalOp &global = arrays[values.vec()];
  if (!global)
    global =
        makeConstant(LLVM::LLVMArrayType::get(b.getI64Type(), values.size()),
                     DenseIntElementsAttr::get(
                         RankedTensorType::get({int64_t(values.size())}, b.getI64Type()), values));
  return addressOf(global);
}

Value Globals::texts(ArrayRef<StringRef> items) {
  LLVM::GlobalOp &global = tables[std::vector<std::string>(items.begin(), items.end())];
  if (!global) {
    auto type = LLVM::LLVMArrayType::get(LLVM::LLVMPointerType::get(b.getContext()), items.size());
    global = makeConstant(type, Attribute());
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&global.getInitializerRegion());
    Value fields = LLVM::UndefOp::create(b, type);
    for (auto [i, item] : llvm::enumerate(items))
      fields = LLVM::InsertValueOp::create(b, fields, text(item), int64_t(i));
    LLVM::ReturnOp::create(b, fields);
  }
  return addressOf(global);
}

} // namespace hloc
