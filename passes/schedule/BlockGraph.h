// SPDX-License-Identifier: Apache-2.0
// Which operations of a block must come before which others: what passes that order them obey.
// Test: test/passes/schedule/order-kernels.mlir.

#ifndef HLOC_PASSES_SCHEDULE_BLOCKGRAPH_H
#define HLOC_PASSES_SCHEDULE_BLOCKGRAPH_H

#include "compiler/hlo/HloDialect.h"
#include "llvm/ADT/SetVector.h"

namespace hloc {

/// The operations of a block but its terminator, numbered in their order.
class BlockGraph {
public:
  /// With the constraints that operands make, also those of nested operations.
  explicit BlockGraph(mlir::Block &block);

  unsigned size() const { return operations.size(); }
  mlir::Operation *operator[](unsigned index) const { return operations[index]; }
  /// Those that must come after `index`.
  llvm::ArrayRef<unsigned> getUsers(unsigned index) const { return users[index]; }
  /// For each operation, how many others must come before it.
  llvm::ArrayRef<unsigned> getWaits() const { return waits; }
  /// The operation of the block that is `op` or that `op` is in; nothing if there is none, or if
  /// it is the terminator.
  std::optional<unsigned> find(mlir::Operation *op) const;
  /// Those whose results `index` takes, as they are or as memory in another shape.
  llvm::SmallSetVector<unsigned, 8> getReads(unsigned index) const;

  void connect(unsigned from, unsigned to);
  /// Keeps those that have effects in their order, except where `isFree`.
  void connectEffects(llvm::function_ref<bool(mlir::Operation *)> isFree);
  /// Puts what reads a buffer before the kernel that updates it in place, except what needs the
  /// update itself.
  void connectReadersToUpdates();
  /// Moves the operations into this order.
  void apply(llvm::ArrayRef<unsigned> order);

private:
  bool reaches(unsigned from, unsigned to) const;

  mlir::Block &block;
  std::vector<mlir::Operation *> operations;
  std::vector<llvm::SmallVector<unsigned>> users;
  std::vector<unsigned> waits;
  llvm::DenseMap<mlir::Operation *, unsigned> indices;
};

/// The value whose memory `value` shows.
mlir::Value getShownRoot(mlir::Value value);

} // namespace hloc

#endif
