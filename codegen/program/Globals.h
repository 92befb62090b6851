// SPDX-License-Identifier: Apache-2.0
// What the entry function refers to by name: functions of the runtime, constant strings and
// numbers. Each is made once, however often it is used.

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
  /// Symbols of data in `module` begin with `name`. Addresses are taken where `b` stands.
  Globals(mlir::ImplicitLocOpBuilder &b, mlir::ModuleOp module, llvm::StringRef name)
      : b(b), module(module), name(name) {}

  /// A function that is defined elsewhere.
  mlir::LLVM::LLVMFuncOp declare(llvm::StringRef symbol, mlir::Type result,
                                 mlir::TypeRange arguments);
  /// The address of a constant, NUL-terminated string.
  mlir::Value text(llvm::StringRef string);
  /// The address of constant int64_t; null if there are none.
  mlir::Value numbers(llvm::ArrayRef<int64_t> values);
  /// The address of constant pointers to strings.
  mlir::Value texts(llvm::ArrayRef<llvm::StringRef> strings);

private:
  mlir::LLVM::GlobalOp makeConstant(mlir::Type type, mlir::Attribute value);
  mlir::Value addressOf(mlir::LLVM::GlobalOp global);

  mlir::ImplicitLocOpBuilder &b;
  mlir::ModuleOp module;
  std::string name;
  unsigned count = 0;
  llvm::StringMap<mlir::LLVM::LLVMFuncOp> functions;
  llvm::StringMap<mlir::LLVM::GlobalOp> strings;
  std::map<std::vector<int64_t>, mlir::LLVM::GlobalOp> arrays;
  std::map<std::vector<std::string>, mlir::LLVM::GlobalOp> tables;
};

} // namespace hloc

#endif
