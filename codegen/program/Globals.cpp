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

Value Globals::record(StringRef key, function_ref<SmallVector<Value>()> makeFields) {
  auto make = [&] { return makeRecords(1, [&](size_t) { return makeFields(); }); };
  if (key.empty())
    return addressOf(make());
  LLVM::GlobalOp global = keyedRecords.lookup(key);
  if (!global)
    keyedRecords[key] = global = make();
  return addressOf(global);
}

Value Globals::records(size_t count, function_ref<SmallVector<Value>(size_t)> makeFields) {
  if (count == 0)
    return LLVM::ZeroOp::create(b, LLVM::LLVMPointerType::get(b.getContext()));
  return addressOf(makeRecords(count, makeFields));
}

/// The type follows from the fields, so these are built in a block that the global then takes over.
LLVM::GlobalOp Globals::makeRecords(size_t count,
                                    function_ref<SmallVector<Value>(size_t)> makeFields) {
  Region initializer;
  LLVM::LLVMArrayType type;
  {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&initializer);
    SmallVector<SmallVector<Value>> items;
    for (size_t i = 0; i < count; ++i)
      items.push_back(makeFields(i));
    SmallVector<Type> fieldTypes = llvm::to_vector(ValueRange(items[0]).getTypes());
    type = LLVM::LLVMArrayType::get(LLVM::LLVMStructType::getLiteral(b.getContext(), fieldTypes),
                                    count);
    Value all = LLVM::UndefOp::create(b, type);
    for (auto [i, fields] : llvm::enumerate(items))
      for (auto [j, field] : llvm::enumerate(fields))
        all = LLVM::InsertValueOp::create(b, all, field, ArrayRef<int64_t>{int64_t(i), int64_t(j)});
    LLVM::ReturnOp::create(b, all);
  }
  LLVM::GlobalOp global = makeConstant(type, Attribute());
  global.getInitializerRegion().takeBody(initializer);
  return global;
}

LLVM::LLVMFuncOp Globals::define(StringRef symbol, Type result, TypeRange arguments,
                                 function_ref<void(LLVM::LLVMFuncOp)> build) {
  LLVM::LLVMFuncOp function = functions.lookup(symbol);
  if (function)
    return function;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(module.getBody());
  function = LLVM::LLVMFuncOp::create(
      b, symbol, LLVM::LLVMFunctionType::get(result, llvm::to_vector(arguments)),
      LLVM::Linkage::Internal);
  functions[symbol] = function;
  b.setInsertionPointToStart(function.addEntryBlock(b));
  build(function);
  return function;
}

} // namespace hloc
