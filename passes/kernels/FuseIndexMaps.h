// SPDX-License-Identifier: Apache-2.0
// The indices at which a kernel evaluates each of its values.
//
// A kernel is a set of expressions that are evaluated at the indices of its results. An elementwise
// operation evaluates its operands at its own index; a movement (broadcast, slice, ...) at a
// different one. An index map identifies such a path from the kernel's loops to a value: two uses
// with the same map share one evaluation. The number of a value's maps says how often its code is
// emitted; their counts say how often it runs.

#ifndef HLOC_PASSES_FUSEINDEXMAPS_H
#define HLOC_PASSES_FUSEINDEXMAPS_H

#include <map>
#include <tuple>

#include "compiler/hlo/HloDialect.h"

namespace hloc::fuse {

using Maps = llvm::SmallVector<int, 2>;

/// True if an element of the result is computed from one element of each operand, as in elementwise
/// operations and data movement. Any kernel can contain these.
bool isPointwise(mlir::Operation *op);

/// True if `value` depends only on positions (iota) and scalars, as masks do. Looks at expressions
/// of at most `depth` levels.
bool isOfPlaces(mlir::Value value, unsigned depth = 6);

/// True if the operation only moves data: the elements of its result are elements of its operands,
/// or indices.
bool isMovement(mlir::Operation *op);

/// The run of reshapes that keep strided views.
constexpr int64_t kView = std::numeric_limits<int64_t>::max();

/// How many elements of the result of `reshape`, beginning at each multiple of this number, are
/// contiguous in its operand. `kView` if it splits dimensions, or adds or drops ones of size 1, so
/// that a strided view of its operand remains a strided view; if it joins dimensions, the size of
/// the minor one of these; 1 if it does both.
int64_t getRun(hlo::ReshapeOp reshape);

struct IndexMap {
  int parent;
  double count;   ///< evaluations per run of the kernel
  bool strided;   ///< adjacent elements of the loop are not adjacent in memory
  bool underHero; ///< leads to an operand of a dot, convolution, window, ...
  int64_t run;    ///< contiguous elements behind reshapes: `kView` if all are views
  /// Positions along trailing dimensions that share an evaluation. If lanes lie across these
  /// dimensions, it is repeated for each.
  double shared;
  /// Positions along the minor dimension that a loop visits, if it has a loop for each operand of a
  /// concatenation along it; else `kView`. Lanes beyond them are idle.
  int64_t piece;
};

/// All index maps of a block's kernels. Kernels with equal shapes share maps.
class IndexMaps {
public:
  /// The identity map of an iteration space.
  int getRoot(llvm::ArrayRef<int64_t> shape);
  int getRoot(mlir::Type type) { return getRoot(mlir::cast<mlir::ShapedType>(type).getShape()); }

  /// Appends the maps at which an operation evaluated at `maps` needs its `operand`.
  void appendOperandMaps(mlir::OpOperand &operand, llvm::ArrayRef<int> maps, Maps &result);

  const IndexMap &operator[](int map) const { return all[map]; }

  /// The number of evaluations at all of `maps`.
  double countOf(llvm::ArrayRef<int> maps) const;

private:
  int getChild(int parent, mlir::Operation *op, unsigned operand, double count, bool strided,
               bool hero, int64_t run = kView, double shared = 1, int64_t piece = kView);
  void appendHeroMaps(mlir::OpOperand &operand, int parent, Maps &result);

  std::vector<IndexMap> all;
  /// Movements that differ only in their operands lead to the same indices.
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
