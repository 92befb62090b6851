// SPDX-License-Identifier: Apache-2.0
// What a host needs to know of a compiled module: the order, names, types and layouts of its
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
  /// How it lies in memory: the dimensions, minor first.
  llvm::SmallVector<int64_t> minorToMajor;
  /// Bytes in memory.
  int64_t bytes = 0;
  /// Of an array with bounds for sizes: for each dimension the argument (of a result: the result)
  /// that is its size, -1 where the shape says it. Empty for others.
  llvm::SmallVector<int64_t> sizes = {};
  /// Of such a size: the number of the array; else -1.
  int64_t sizeOf = -1;
};

/// A parameter that was bound to an array when compiling.
struct BoundParameter {
  std::string name;
  mlir::RankedTensorType type;
  /// The file, and the array in it.
  std::string source;
};

/// What prepares parameters that stay the same over many runs.
struct PreparationInterface {
  /// Of the block that it fills, which is the argument behind all parameters.
  int64_t bytes = 0, argument = 0;
  int64_t arenaBytes = 0;
  /// Of each parameter: whether it stays the same, and who reads it.
  llvm::SmallVector<bool> isConstant, isReadByRuns, isReadByPreparation;
};

struct ModuleInterface {
  std::string name;
  std::vector<Port> arguments, results;
  /// (result, argument) pairs that may be the same memory.
  std::vector<std::pair<int64_t, int64_t>> aliases;
  int64_t arenaBytes = 0;
  /// Of a freestanding object: what a call takes of the stack at most.
  std::optional<int64_t> stackBytes;
  /// How many take part in a run.
  int64_t replicas = 1, partitions = 1;
  /// Of the module's text: the same in all objects that are compiled from it.
  uint64_t fingerprint = 0;
  /// Threads that asynchronous computations name.
  std::vector<std::string> threads;
  /// Whether participants meet, or ask who they are.
  bool needsParticipants = false;
  /// What is no argument any more.
  std::vector<BoundParameter> bound;
  std::optional<PreparationInterface> preparation;
  /// The file of weights that runs need, without its folder; empty if they need none.
  std::string weightsFile;
  int64_t weightsBytes = 0;
  /// Least upper bounds of integer arguments that index arrays, 0 for others (findIndexBound);
  /// empty if nobody asked.
  std::vector<int64_t> indexBounds;
};

/// The interface of a module whose `func.func @main` is still over arrays.
ModuleInterface getInterface(mlir::ModuleOp module);

/// Adds what is known of the preparation once the program is on memory: the block becomes the last
/// argument.
void addPreparation(ModuleInterface &interface, mlir::ModuleOp program);

/// A C identifier like `text`.
std::string makeIdentifier(llvm::StringRef text);

} // namespace hloc

#endif
