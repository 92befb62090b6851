// SPDX-License-Identifier: Apache-2.0
// Groups of operations of one block, each a kernel to be. The fuse pass (Fuse.cpp) visits the
// operations from last to first and adds each to the groups of its users, copies it into several,
// or opens a group for it; FormKernels.cpp makes the kernels.

#ifndef HLOC_PASSES_FUSEGROUPS_H
#define HLOC_PASSES_FUSEGROUPS_H

#include "compiler/target/Cost.h"
#include "passes/kernels/FuseIndexMaps.h"
#include "llvm/ADT/MapVector.h"

namespace hloc::fuse {

struct Group {
  hlo::KernelKind kind = hlo::KernelKind::Loop;
  /// The loops: the results' shape; of a reduce kernel the reduced arrays'.
  llvm::SmallVector<int64_t> space;
  /// The reduced dimensions of a reduce kernel.
  llvm::SmallVector<int64_t> dimensions;
  /// The one operation that is not pointwise, except in loop and reduce kernels.
  mlir::Operation *hero = nullptr;
  /// The update in place that the kernel's only result is; the hero, or behind it. Null if there is
  /// none.
  hlo::DynamicUpdateSliceOp update;
  /// The operations with the index maps at which they are evaluated.
  llvm::MapVector<mlir::Operation *, Maps> members;
  /// Copies of operations that codegen will emit.
  unsigned emission = 0;

  bool contains(mlir::Operation *op) const { return members.contains(op); }
};

/// Why something was not fused; empty if it was.
using Reason = llvm::StringRef;

class Groups {
public:
  Groups(mlir::Block &block, const CostModel &costs);

  /// Whether the operation is to become part of a kernel.
  static bool isFusable(mlir::Operation *op);
  /// A constant that is cloned into kernels.
  static bool isSmallConstant(mlir::Operation *op);

  struct Uses {
    llvm::SmallVector<int, 2> groups;
    bool outside = false; ///< the value must be in memory in any case
  };
  Uses getUses(mlir::Operation *op);

  Group &operator[](int group) { return groups[group]; }
  /// The group in whose kernel the operation's results are written; -1 if none.
  int getHome(mlir::Operation *op) { return info.lookup(op).home; }
  int getPosition(mlir::Operation *op) const { return info.lookup(op).position; }
  llvm::ArrayRef<int> getGroups(mlir::Operation *op) { return info[op].groups; }
  /// A reshape that stays outside as another view of the same memory.
  bool isView(mlir::Operation *op) { return info.lookup(op).view; }
  void markView(mlir::Operation *op) { info[op].view = true; }
  void clearView(mlir::Operation *op) { info[op].view = false; }
  unsigned size() const { return groups.size(); }

  /// Index maps at which `group`'s members evaluate `op`.
  Maps getMaps(mlir::Operation *op, int group);

  /// Whether `op` can be computed in `group` (FuseLegality.cpp).
  Reason canAdd(mlir::Operation *op, int group, const Maps &maps);
  /// Whether `group` can also write `op`, which it computes at `maps`, to memory.
  bool canOutput(mlir::Operation *op, int group, const Maps &maps);
  void add(mlir::Operation *op, int group, const Maps &maps, bool isHome);
  void remove(mlir::Operation *op, int group);
  int open(mlir::Operation *op);
  /// Whether a vector of `group`'s loops holds elements of several rows, because the minor
  /// dimension is short: what these have in common is computed for each of them.
  bool lanesCrossFew(int group) const;
  /// Whether its loops compute what several elements have in common once for these.
  bool sharesWork(int group) const;

  /// Whether one kernel can do the work of both, which must not depend on each other.
  bool canMerge(int a, int b);
  /// Returns the group that holds both.
  int merge(int a, int b);

  /// Whether a user of `op` other than `target` is needed before `target` can run. Errs towards
  /// true in large neighbourhoods.
  bool reachesAround(mlir::Operation *op, int target);

  IndexMaps maps;
  mlir::Block &block;
  const CostModel &costs;

private:
  struct Info {
    int position = -1;
    int home = -1;
    int wait = -1; // the last collective or asynchronous computation that it waits for, by position
    bool view = false;
    llvm::SmallVector<int, 1> groups;
  };
  bool search(llvm::SmallVector<mlir::Operation *> work, int target, int ignored);
  int findWait(mlir::Operation &op) const;
  /// Of the group's members the last.
  int getWait(int group) const;
  /// Operations that `group` writes to memory.
  int64_t countOutputs(int group);
  void appendOutputUsers(int group, llvm::SmallVectorImpl<mlir::Operation *> &users);
  /// Whether a result of the group's kernel has elements that share bytes: one loop over the bytes
  /// writes those in vectors, tiles and rows may begin within one.
  bool writesPacked(int group);
  Reason canAddReduce(hlo::ReduceOp reduce, int group);
  Reason canAddHero(mlir::Operation *op, int group);
  Reason canAddPointwise(mlir::Operation *op, int group, const Maps &maps);

  std::vector<Group> groups;
  llvm::DenseMap<mlir::Operation *, Info> info;
  bool hasWaits = false; // some operation waits
  /// The next operation with side effects after one with side effects.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> nextEffect;
};

/// Replaces the operations of all groups by `hlo.kernel`s in a valid order.
void formKernels(Groups &groups);

} // namespace hloc::fuse

#endif
