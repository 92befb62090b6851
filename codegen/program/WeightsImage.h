// SPDX-License-Identifier: Apache-2.0
// Constants of a program that are not in its object, but in a file of weights next to it
// (hlort/weights.h, runtime/WeightsFormat.h). Test: test/codegen/passes/place-weights.mlir,
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

/// Smaller constants stay in the object with the code that reads them, where LLVM sees their
/// values.
inline constexpr int64_t kSmallConstant = 256;

struct WeightsImage {
  struct Constant {
    mlir::ElementsAttr value;
    int64_t offset, bytes; // in the file
    uint64_t hash;
  };
  /// In the order of their offsets.
  std::vector<Constant> constants;
  int64_t bytes = 0;
  uint64_t hash = 0;

  /// Writes the file. Requires that the context of the constants still exists.
  void write(llvm::raw_ostream &out) const;
};

/// Assigns offsets in `file`, a name without a folder, to the constants of a program on memory,
/// except small ones. Records this in attributes of the program.
WeightsImage placeWeights(mlir::ModuleOp program, llvm::StringRef file);

/// True if placeWeights was called.
bool hasWeights(mlir::ModuleOp program);

/// The offset of a constant, a memref.global, in the file; none if it is in the object.
std::optional<int64_t> getWeightsOffset(mlir::Operation *global);

/// Declares the program's hlort_weights, whose first field is the address of the mapped file.
mlir::LLVM::GlobalOp declareWeights(mlir::OpBuilder &builder, mlir::ModuleOp program,
                                    const ProgramNames &names);

/// Defines the declared hlort_weights.
void defineWeights(mlir::ModuleOp program, const ProgramNames &names, llvm::Module &module);

/// The symbol of the hlort_weights.
std::string getWeightsSymbol(const ProgramNames &names);

} // namespace hloc

#endif
