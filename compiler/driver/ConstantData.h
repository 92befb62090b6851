// SPDX-License-Identifier: Apache-2.0
// Constant data in an object that C programs read: structs of numbers, strings and arrays, as
// globals of an LLVM module.

#ifndef HLOC_COMPILER_DRIVER_CONSTANTDATA_H
#define HLOC_COMPILER_DRIVER_CONSTANTDATA_H

#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

namespace hloc {

class ConstantData {
protected:
  /// Private data get names that begin with `name`.
  ConstantData(llvm::Module &module, llvm::StringRef name)
      : module(module), name(name), pointer(llvm::PointerType::get(module.getContext(), 0)),
        i32(llvm::Type::getInt32Ty(module.getContext())),
        i64(llvm::Type::getInt64Ty(module.getContext())) {}

  static llvm::Constant *number(llvm::Type *type, int64_t value) {
    return llvm::ConstantInt::getSigned(type, value);
  }

  llvm::Constant *null() const { return llvm::ConstantPointerNull::get(pointer); }

  /// Address of private constant data.
  llvm::GlobalVariable *data(llvm::Constant *value) {
    auto *global = new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                            llvm::GlobalValue::PrivateLinkage, value, name);
    global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    return global;
  }

  llvm::Constant *string(llvm::StringRef text) {
    return data(llvm::ConstantDataArray::getString(module.getContext(), text));
  }

  /// Address of an array of entries of one type; null if there are none.
  llvm::Constant *array(llvm::ArrayRef<llvm::Constant *> entries) {
    if (entries.empty())
      return null();
    auto *type = llvm::ArrayType::get(entries[0]->getType(), entries.size());
    return data(llvm::ConstantArray::get(type, entries));
  }

  llvm::Constant *strings(llvm::ArrayRef<std::string> texts) {
    llvm::SmallVector<llvm::Constant *> entries;
    for (llvm::StringRef text : texts)
      entries.push_back(string(text));
    return array(entries);
  }

  llvm::Constant *numbers(llvm::ArrayRef<int64_t> values) {
    if (values.empty())
      return null();
    llvm::SmallVector<uint64_t> words(values.begin(), values.end());
    return data(llvm::ConstantDataArray::get(module.getContext(), words));
  }

  llvm::Module &module;
  std::string name;
  llvm::PointerType *pointer;
  llvm::Type *i32, *i64;
};

} // namespace hloc

#endif
