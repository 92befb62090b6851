// SPDX-License-Identifier: Apache-2.0
// Constants of a program that are not in its object but in a file of weights beside it
// (hlort/weights.h, runtime/WeightsFormat.h). Test: test/codegen/weights.mlir,
// test/tools/weights.test.

#ifndef HLOC_CODEGEN_PROGRAM_WEIGHTSIMAGE_H
#define HLOC_CODEGEN_PROGRAM_WEIGHTSIMAGE_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

namespace hloc {

struct ProgramNames;

/// Constants of fewer bytes stay beside the code that reads them, where LLVM sees their values.
inline constexpr int64_t kSmallConstant = 256;

struct WeightsImage {
  struct Constant {
    mlir::ElementsAttr value;
    int64_t offset, bytes; // in the file
    uint64_t hash;
  };
  /// In the order of their places.
  std::vector<Constant> constants;
  int64_t bytes = 0;
  uint64_t hash = 0;

  /// Writes the file. The constants' context must be there still.
  void write(llvm::raw_ostream &out) const;
};

/// Gives the constants of a program on memory places in `file`, a name without a folder: all but
/// those that are as well in the code that reads them. The program knows of it by attributes.
WeightsImage placeWeights(mlir::ModuleOp program, llvm::StringRef file);

/// Whether that was done.
bool hasWeights(mlir::ModuleOp program);

/// Where in the file a constant is, a memref.global; none if it is in the object.
std::optional<int64_t> getWeightsOffset(mlir::Operation *global);

/// Declares the program's hlort_weights, whose first field is the file's address.
mlir::LLVM::GlobalOp declareWeights(mlir::OpBuilder &builder, mlir::ModuleOp program,
                                    const ProgramNames &names);

/// Defines it, where it is declared.
void defineWeights(mlir::ModuleOp program, const ProgramNames &names, llvm::Module &module);

/// Its symbol.
std::string getWeightsSymbol(const ProgramNames &names);

} // namespace hloc

#endif
