// SPDX-License-Identifier: Apache-2.0
// Parameters that stay the same over many runs, and the preparation: a second function besides main
// that computes once what main would compute from them alone. It has main's parameters. Its results
// are arguments of main, after the parameters and in the same order. On memory these arguments
// become one block. Tests: test/passes/prepare.

#ifndef HLOC_PASSES_PREPARE_PREPARATION_H
#define HLOC_PASSES_PREPARE_PREPARATION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace hloc {

/// Attribute of an argument. In the entry computation: the numbers of the arrays in it that stay
/// the same. In main: a unit attribute, the argument stays the same.
inline constexpr llvm::StringLiteral kPrepare = "hlo.prepare";
/// Attribute of an argument of main that is a result of the preparation.
inline constexpr llvm::StringLiteral kPrepared = "hlo.prepared";
/// Attribute of a kernel whose results are worth keeping if the preparation can compute them.
inline constexpr llvm::StringLiteral kWorthHolding = "hlo.worth_holding";
/// The preparation's symbol. No other function has a dot in its name.
inline constexpr llvm::StringLiteral kPreparation = "main.prepare";

/// True if `value` is known once the program is prepared: it is an argument of main with one of
/// these attributes, or a reshape of such an argument.
bool isPrepared(mlir::Value value);

/// main and its preparation.
class PreparedProgram {
public:
  /// Returns nothing if the module has no preparation.
  static std::optional<PreparedProgram> find(mlir::ModuleOp module);

  mlir::func::FuncOp getMain() const { return main; }
  mlir::func::FuncOp getPreparation() const { return preparation; }
  /// The arguments of main that stay the same or are prepared.
  llvm::SmallVector<mlir::Value> getKnownArguments();
  /// Returns the value in the preparation that corresponds to such an argument.
  mlir::Value lookup(mlir::BlockArgument argument);
  /// Makes `value` a result of the preparation; returns the new argument of main for it.
  mlir::Value hold(mlir::Value value);
  /// Removes the results that main does not read, and operations that have become dead.
  void dropUnread();

private:
  PreparedProgram(mlir::func::FuncOp main, mlir::func::FuncOp preparation)
      : main(main), preparation(preparation) {}
  unsigned getParameterCount() { return preparation.getNumArguments(); }
  mlir::Operation *getEnd() { return preparation.getBody().front().getTerminator(); }

  mlir::func::FuncOp main, preparation;
};

/// The block of prepared arrays, after place-prepared.
struct PreparedBlock {
  /// Bytes before the first array. The first eight are the tag, by which a program recognizes a
  /// block that its own preparation has written.
  static constexpr int64_t headBytes = 64, alignment = 64;

  int64_t bytes = 0;
  uint64_t tag = 0;
  /// The block's number among main's arguments: the first after all parameters.
  int64_t argument = 0;
  /// For each parameter, whether runs read it, and whether the preparation does.
  llvm::SmallVector<bool> isReadByRuns, isReadByPreparation;
  /// For each parameter, whether it stays the same over many runs.
  llvm::SmallVector<bool> isConstant;
};

/// Returns nothing if the module has no preparation.
std::optional<PreparedBlock> getPreparedBlock(mlir::ModuleOp module);

} // namespace hloc

#endif
