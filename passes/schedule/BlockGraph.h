// SPDX-License-Identifier: Apache-2.0
// The dependences between the operations of a block, which passes that reorder them obey. Test:
// test/passes/schedule/order-kernels.mlir.

#ifndef HLOC_PASSES_SCHEDULE_BLOCKGRAPH_H
#define HLOC_PASSES_SCHEDULE_BLOCKGRAPH_H

#include "compiler/hlo/HloDialect.h"
#include "llvm/ADT/SetVector.h"

namespace hloc {

/// The operations of a block except its terminator, numbered in order.
class BlockGraph {
public:
  /// Adds the dependences through operands, including those of nested operations.
  explicit BlockGraph(mlir::Block &block);

  unsigned size() const { return operations.size(); }
  mlir::Operation *operator[](unsigned index) const { return operations[index]; }
  /// Operations that must come after `index`.
  llvm::ArrayRef<unsigned> getUsers(unsigned index) const { return users[index]; }
  /// For each operation, the number of dependences on others.
  llvm::ArrayRef<unsigned> getWaits() const { return waits; }
  /// The operation of the block that is, or contains, `op`; none if there is none, or if it is the
  /// terminator.
  std::optional<unsigned> find(mlir::Operation *op) const;
  /// The operations whose results `index` reads, directly or through views.
  llvm::SmallSetVector<unsigned, 8> getReads(unsigned index) const;

  void connect(unsigned from, unsigned to);
  /// Keeps the order of operations with side effects, except those for which `isFree` returns true.
  void connectEffects(llvm::function_ref<bool(mlir::Operation *)> isFree);
  /// Puts readers of a buffer before the kernel that updates it in place, except those that need
  /// the updated value.
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

/// The value of whose memory `value` is a view.
mlir::Value getShownRoot(mlir::Value value);

} // namespace hloc

#endif
