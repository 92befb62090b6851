// SPDX-License-Identifier: Apache-2.0
// What the entry function refers to by name: functions of the runtime, constant strings and
// numbers. Each is created once, however often it is used.

#ifndef HLOC_CODEGEN_GLOBALS_H
#define HLOC_CODEGEN_GLOBALS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace hloc {

class Globals {
public:
  /// Symbols of data in `module` begin with `name`. Addresses are taken at the insertion point of
  /// `b`.
  Globals(mlir::ImplicitLocOpBuilder &b, mlir::ModuleOp module, llvm::StringRef name)
      : b(b), module(module), name(name) {}

  /// The prefix of symbols of data.
  const std::string &getName() const { return name; }
  /// Declares a function that is defined elsewhere.
  mlir::LLVM::LLVMFuncOp declare(llvm::StringRef symbol, mlir::Type result,
                                 mlir::TypeRange arguments);
  /// The address of a constant, NUL-terminated string.
  mlir::Value text(llvm::StringRef string);
  /// The address of constant int64_t; null if there are none.
  mlir::Value numbers(llvm::ArrayRef<int64_t> values);
  /// The address of constant pointers to strings.
  mlir::Value texts(llvm::ArrayRef<llvm::StringRef> strings);
  /// The address of a constant struct. `makeFields` builds its fields (numbers, and addresses of
  /// constants and functions) at the insertion point that `b` has then. Structs with the same key
  /// are created once; without a key, each is created.
  mlir::Value record(llvm::StringRef key,
                     llvm::function_ref<llvm::SmallVector<mlir::Value>()> makeFields);
  /// The address of an array of such structs, which must all have fields of the same types; null if
  /// there are none.
  mlir::Value records(size_t count,
                      llvm::function_ref<llvm::SmallVector<mlir::Value>(size_t index)> makeFields);
  /// The internal function `symbol`. The first time, `build` emits its body at the insertion point
  /// that `b` has then.
  mlir::LLVM::LLVMFuncOp define(llvm::StringRef symbol, mlir::Type result,
                                mlir::TypeRange arguments,
                                llvm::function_ref<void(mlir::LLVM::LLVMFuncOp)> build);

  /// The prefix of the program's symbols.
  llvm::StringRef getPrefix() const { return name; }

private:
  mlir::LLVM::GlobalOp
  makeRecords(size_t count,
              llvm::function_ref<llvm::SmallVector<mlir::Value>(size_t index)> makeFields);
  mlir::LLVM::GlobalOp makeConstant(mlir::Type type, mlir::Attribute value);
  mlir::Value addressOf(mlir::LLVM::GlobalOp global);

  mlir::ImplicitLocOpBuilder &b;
  mlir::ModuleOp module;
  std::string name;
  unsigned count = 0;
  llvm::StringMap<mlir::LLVM::LLVMFuncOp> functions;
  llvm::StringMap<mlir::LLVM::GlobalOp> strings, keyedRecords;
  std::map<std::vector<int64_t>, mlir::LLVM::GlobalOp> arrays;
  std::map<std::vector<std::string>, mlir::LLVM::GlobalOp> tables;
};

} // namespace hloc

#endif
