// SPDX-License-Identifier: Apache-2.0
// At which indices a kernel evaluates each of its values.
//
// A kernel is a set of expressions evaluated at the indices of its results. An elementwise
// operation evaluates its operands at its own index; a movement (broadcast, slice, ...) at another
// one. An index map names such a way from the kernel's loops to a value: two uses with the same map
// share one evaluation. How many maps a value has says how often its code is emitted, their counts
// how often it runs.

#ifndef HLOC_PASSES_FUSEINDEXMAPS_H
#define HLOC_PASSES_FUSEINDEXMAPS_H

#include <map>
#include <tuple>

#include "compiler/hlo/HloDialect.h"

namespace hloc::fuse {

using Maps = llvm::SmallVector<int, 2>;

/// Whether the operation is computed once its operands are known at one index each: elementwise
/// operations and data movement. These can be part of any kernel.
bool isPointwise(mlir::Operation *op);

/// Whether places and scalars alone say what `value` is, as of masks, in expressions of few levels.
bool isOfPlaces(mlir::Value value, unsigned depth = 6);

/// Whether it moves data only: its elements are elements of its operands, or indices.
bool isMovement(mlir::Operation *op);

/// The run of what a strided view shows.
constexpr int64_t kView = std::numeric_limits<int64_t>::max();

/// How many elements of the result of `reshape`, from multiples of this number on, lie side by side
/// in its operand. `kView` if it splits dimensions or adds or drops ones of size 1, so that a
/// strided view of its operand stays a strided view; if it joins dimensions, the size of the minor
/// one of these; 1 for what does both.
int64_t getRun(hlo::ReshapeOp reshape);

struct IndexMap {
  int parent;
  double count;   ///< evaluations in a run of the kernel
  bool strided;   ///< neighbours in the loop are not neighbours in memory
  bool underHero; ///< leads to an operand of a dot, convolution, window, ...
  int64_t run;    ///< elements that lie side by side behind reshapes: `kView` if these are views
  /// Places along trailing dimensions that share an evaluation: more, where lanes lie across these.
  double shared;
};

/// All index maps of a block's kernels. Kernels with equal shapes share their maps.
class IndexMaps {
public:
  /// The identity on an iteration space.
  int getRoot(llvm::ArrayRef<int64_t> shape);
  int getRoot(mlir::Type type) { return getRoot(mlir::cast<mlir::ShapedType>(type).getShape()); }

  /// Appends the maps at which `operand`'s owner, evaluated at `maps`, needs that operand.
  void appendOperandMaps(mlir::OpOperand &operand, llvm::ArrayRef<int> maps, Maps &result);

  const IndexMap &operator[](int map) const { return all[map]; }

  /// Evaluations at all of `maps`.
  double countOf(llvm::ArrayRef<int> maps) const;

private:
  int getChild(int parent, mlir::Operation *op, unsigned operand, double count, bool strided,
               bool hero, int64_t run = kView, double shared = 1);
  void appendHeroMaps(mlir::OpOperand &operand, int parent, Maps &result);

  std::vector<IndexMap> all;
  /// Movements that are the same but for what they move lead to the same indices.
  struct SameMovement : llvm::DenseMapInfo<mlir::Operation *> {
    static unsigned getHashValue(const mlir::Operation *op);
    static bool isEqual(const mlir::Operation *a, const mlir::Operation *b);
  };

  std::map<std::vector<int64_t>, int> roots;
  llvm::DenseSet<mlir::Operation *, SameMovement> movements;
  llvm::DenseMap<std::tuple<int, mlir::Operation *, unsigned>, int> children;
};

} // namespace hloc::fuse

#endif
