// SPDX-License-Identifier: Apache-2.0
// What a host needs to know about a compiled module: the order, names, types and layouts of its
// arguments and results, which of them share memory, and how much memory a call needs.

#ifndef HLOC_COMPILER_DRIVER_INTERFACE_H
#define HLOC_COMPILER_DRIVER_INTERFACE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>
#include <string>
#include <vector>

namespace hloc {

/// An argument or a result: one array.
struct Port {
  std::string name;
  /// Logical shape and element type, without encoding.
  mlir::RankedTensorType type;
  /// The layout in memory: the dimensions, minor first.
  llvm::SmallVector<int64_t> minorToMajor;
  /// Bytes in memory.
  int64_t bytes = 0;
  /// For an array of bounded size: for each dimension the argument (for a result: the result) that
  /// is its size, -1 for static dimensions. Empty for others.
  llvm::SmallVector<int64_t> sizes = {};
  /// For such a size: the number of the array; otherwise -1.
  int64_t sizeOf = -1;
};

/// A parameter that was bound to an array at compile time.
struct BoundParameter {
  std::string name;
  mlir::RankedTensorType type;
  /// The file, and the array in it.
  std::string source;
};

/// The preparation of parameters that stay the same over many runs.
struct PreparationInterface {
  /// The size of the block that it fills, and the block's number among the arguments, the last.
  int64_t bytes = 0, argument = 0;
  int64_t arenaBytes = 0;
  /// For each parameter: whether it stays the same, and which functions read it.
  llvm::SmallVector<bool> isConstant, isReadByRuns, isReadByPreparation;
};

struct ModuleInterface {
  std::string name;
  std::vector<Port> arguments, results;
  /// (result, argument) pairs that may be the same memory.
  std::vector<std::pair<int64_t, int64_t>> aliases;
  int64_t arenaBytes = 0;
  /// For a freestanding object: the most stack that a call uses.
  std::optional<int64_t> stackBytes;
  /// The numbers of participants in a run.
  int64_t replicas = 1, partitions = 1;
  /// A hash of the module's text, the same in all objects compiled from it.
  uint64_t fingerprint = 0;
  /// Threads that asynchronous computations name.
  std::vector<std::string> threads;
  /// True if participants meet, or ask for their numbers.
  bool needsParticipants = false;
  /// Parameters that are no longer arguments.
  std::vector<BoundParameter> bound;
  std::optional<PreparationInterface> preparation;
  /// The file of weights that runs need, without its folder; empty if none.
  std::string weightsFile;
  int64_t weightsBytes = 0;
  /// Exclusive upper bounds of integer arguments that index arrays, 0 for others (findIndexBound);
  /// empty if not requested.
  std::vector<int64_t> indexBounds;
};

/// The interface of a module whose `func.func @main` is still over arrays.
ModuleInterface getInterface(mlir::ModuleOp module);

/// Adds the preparation of a program on memory to its interface, with the block as the last
/// argument.
void addPreparation(ModuleInterface &interface, mlir::ModuleOp program);

/// A C identifier derived from `text`.
std::string makeIdentifier(llvm::StringRef text);

} // namespace hloc

#endif
