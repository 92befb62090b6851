// SPDX-License-Identifier: Apache-2.0
// Groups of operations of one block, each of which becomes a kernel. The fuse pass (Fuse.cpp)
// visits the operations from last to first. It adds each to a group of one of its users, clones it
// into several groups, or opens a new one. FormKernels.cpp then makes the kernels.

#ifndef HLOC_PASSES_FUSEGROUPS_H
#define HLOC_PASSES_FUSEGROUPS_H

#include "compiler/target/Cost.h"
#include "passes/kernels/FuseIndexMaps.h"
#include "llvm/ADT/MapVector.h"

namespace hloc::fuse {

struct Group {
  hlo::KernelKind kind = hlo::KernelKind::Loop;
  /// The iteration space: the shape of the results or, for a reduce kernel, of the reduced arrays.
  llvm::SmallVector<int64_t> space;
  /// The reduced dimensions of a reduce kernel.
  llvm::SmallVector<int64_t> dimensions;
  /// The one operation of the kernel that is not pointwise; null for loop and reduce kernels.
  mlir::Operation *hero = nullptr;
  /// The update in place that makes the kernel's only result: the hero itself, or an operation
  /// after it. Null if there is none.
  hlo::DynamicUpdateSliceOp update;
  /// The operations, with the index maps at which they are evaluated.
  llvm::MapVector<mlir::Operation *, Maps> members;
  /// The number of times that codegen will emit operations, counted once per index map.
  unsigned emission = 0;

  bool contains(mlir::Operation *op) const { return members.contains(op); }
};

/// Why an operation is not fused; empty if it is.
using Reason = llvm::StringRef;

class Groups {
public:
  Groups(mlir::Block &block, const CostModel &costs);

  /// True if the operation has to be part of a kernel.
  static bool isFusable(mlir::Operation *op);
  /// True for a constant that is cloned into kernels.
  static bool isSmallConstant(mlir::Operation *op);

  struct Uses {
    llvm::SmallVector<int, 2> groups;
    bool outside = false; ///< the value must be in memory in any case
  };
  Uses getUses(mlir::Operation *op);

  Group &operator[](int group) { return groups[group]; }
  /// The group whose kernel writes the operation's results to memory; -1 if there is none.
  int getHome(mlir::Operation *op) { return info.lookup(op).home; }
  int getPosition(mlir::Operation *op) const { return info.lookup(op).position; }
  llvm::ArrayRef<int> getGroups(mlir::Operation *op) { return info[op].groups; }
  /// True for a reshape that stays outside of kernels as a view of memory.
  bool isView(mlir::Operation *op) { return info.lookup(op).view; }
  void markView(mlir::Operation *op) { info[op].view = true; }
  void clearView(mlir::Operation *op) { info[op].view = false; }
  unsigned size() const { return groups.size(); }

  /// The index maps at which the members of `group` evaluate `op`.
  Maps getMaps(mlir::Operation *op, int group);

  /// Why `op` cannot be computed in `group`; empty if it can (FuseLegality.cpp).
  Reason canAdd(mlir::Operation *op, int group, const Maps &maps);
  /// True if `group` can also write `op`, which it evaluates at `maps`, to memory.
  bool canOutput(mlir::Operation *op, int group, const Maps &maps);
  void add(mlir::Operation *op, int group, const Maps &maps, bool isHome);
  void remove(mlir::Operation *op, int group);
  int open(mlir::Operation *op);
  /// True if a vector of the group's loops spans several rows because the minor dimension is short.
  /// A value that the elements of a row share is then computed for each of them.
  bool lanesCrossFew(int group) const;
  /// True if the group's loops compute a value that several elements share once for all of them.
  bool sharesWork(int group) const;

  /// True if the two groups can become one kernel; this requires that neither depends on the other.
  bool canMerge(int a, int b);
  /// Merges two groups and returns the one that remains.
  int merge(int a, int b);

  /// True if `target` depends on a user of `op` outside of it, so that `op` cannot join `target`;
  /// also true if the search takes too long.
  bool reachesAround(mlir::Operation *op, int target);

  IndexMaps maps;
  mlir::Block &block;
  const CostModel &costs;

private:
  struct Info {
    int position = -1;
    int home = -1;
    int wait = -1; // position of the last collective or async done that it depends on
    bool view = false;
    llvm::SmallVector<int, 1> groups;
  };
  bool search(llvm::SmallVector<mlir::Operation *> work, int target, int ignored);
  int findWait(mlir::Operation &op) const;
  /// The last of the collectives and asynchronous computations that the group's members depend on.
  int getWait(int group) const;
  /// The number of operations that `group` writes to memory.
  int64_t countOutputs(int group);
  void appendOutputUsers(int group, llvm::SmallVectorImpl<mlir::Operation *> &users);
  /// True if a result of the group's kernel has elements that share bytes. A single loop over bytes
  /// can write them in vectors, but tiles and rows may begin within a byte.
  bool writesPacked(int group);
  Reason canAddReduce(hlo::ReduceOp reduce, int group);
  Reason canAddHero(mlir::Operation *op, int group);
  Reason canAddPointwise(mlir::Operation *op, int group, const Maps &maps);

  std::vector<Group> groups;
  llvm::DenseMap<mlir::Operation *, Info> info;
  bool hasWaits = false; // some operation depends on a done
  /// For an operation with side effects, the next one in the block.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> nextEffect;
};

/// Replaces the operations of all groups by `hlo.kernel`s in a valid order.
void formKernels(Groups &groups);

} // namespace hloc::fuse

#endif
