// SPDX-License-Identifier: Apache-2.0
// Parameters that stay the same over many runs, and the preparation: a function beside main that
// computes once what main makes of them alone. It takes main's parameters; each of its results is
// an argument of main, behind the parameters and in the same order. In memory these arguments
// become one block. Tests: test/passes/prepare.

#ifndef HLOC_PASSES_PREPARE_PREPARATION_H
#define HLOC_PASSES_PREPARE_PREPARATION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace hloc {

/// Attribute of an argument of the entry: the numbers of the arrays in it that stay the same. Of an
/// argument of main, unit: it stays the same.
inline constexpr llvm::StringLiteral kPrepare = "hlo.prepare";
/// Attribute of an argument of main: a result of the preparation.
inline constexpr llvm::StringLiteral kPrepared = "hlo.prepared";
/// The preparation's symbol. With a dot, which no other function has.
inline constexpr llvm::StringLiteral kPreparation = "main.prepare";

/// Whether `value` is known once the program is prepared: such an argument of main, or a reshape of
/// one.
bool isPrepared(mlir::Value value);

/// main and its preparation.
class PreparedProgram {
public:
  /// Nothing if the module has none.
  static std::optional<PreparedProgram> find(mlir::ModuleOp module);

  mlir::func::FuncOp getMain() const { return main; }
  mlir::func::FuncOp getPreparation() const { return preparation; }
  /// The arguments of main that stay the same or are prepared.
  llvm::SmallVector<mlir::Value> getKnownArguments();
  /// What such an argument is in the preparation.
  mlir::Value lookup(mlir::BlockArgument argument);
  /// A new argument of main that is `value` of the preparation.
  mlir::Value hold(mlir::Value value);
  /// Forgets what main does not read, and all that only this was made of.
  void dropUnread();

private:
  PreparedProgram(mlir::func::FuncOp main, mlir::func::FuncOp preparation)
      : main(main), preparation(preparation) {}
  unsigned getParameterCount() { return preparation.getNumArguments(); }
  mlir::Operation *getEnd() { return preparation.getBody().front().getTerminator(); }

  mlir::func::FuncOp main, preparation;
};

/// The block of what is prepared, once it has a place in memory (place-prepared).
struct PreparedBlock {
  /// Bytes before the first array. The first eight are the tag, by which a program knows a block
  /// that its own preparation has written.
  static constexpr int64_t headBytes = 64, alignment = 64;

  int64_t bytes = 0;
  uint64_t tag = 0;
  /// Its number among main's arguments: that behind all parameters.
  int64_t argument = 0;
  /// Of each parameter, whether runs read it, and whether the preparation does.
  llvm::SmallVector<bool> isReadByRuns, isReadByPreparation;
  /// Of each parameter, whether it is the same over many runs.
  llvm::SmallVector<bool> isConstant;
};

/// Nothing if the module has no preparation.
std::optional<PreparedBlock> getPreparedBlock(mlir::ModuleOp module);

} // namespace hloc

#endif
