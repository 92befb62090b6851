// SPDX-License-Identifier: Apache-2.0
// Decides which values that depend only on weights are computed once, before the program's runs.
//
// Weights are large constants, or parameters that are prepared (passes/prepare). Values that depend
// only on them are either early, that is, computed once, or late, computed in each run. The early
// values that something late reads are stored. Of all divisions, the one with the fewest bytes is
// chosen, counting those that are stored and those that a run reads of them; among equal ones, the
// one with the most early values. So weights that are converted to a narrower type are stored
// converted, and those that are widened stay as they are; a second copy is stored only if it saves
// as many bytes per run as it takes. Tests: test/passes/simplify/fold-weights.mlir,
// test/passes/prepare/hold-prepared.mlir.

#ifndef HLOC_PASSES_SIMPLIFY_WEIGHTCUT_H
#define HLOC_PASSES_SIMPLIFY_WEIGHTCUT_H

#include "compiler/hlo/HloDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/simplify/MinimumCut.h"
#include <map>

namespace hloc {

class WeightCut {
public:
  /// What is known of a value that depends on weights only, or that is a part of such a value. A
  /// part is taken by an operation whose other operands are known only at run time, such as the
  /// slice of one layer's weights in a loop; elementwise operations on the part can be done on the
  /// whole instead.
  struct Known {
    int node = -1;                   ///< of the value that would be stored; -1: none has to be
    mlir::Operation *pick = nullptr; ///< the operation that takes the part
  };

  /// A weight, or an operation on weights.
  struct Node {
    llvm::SmallVector<mlir::Value, 1> values; ///< equal, or made alike of parts of the same value
    double bytes;                             ///< of the whole value
    int in, out;           ///< in the network: `in` is on the source's side if the value is early,
                           ///< `out` if it is early and nothing late reads it
    bool isSource = false; ///< a weight
    bool isRead = false;   ///< by something that is always late
  };

  /// The weights are the function's constants.
  static WeightCut ofConstants(mlir::func::FuncOp function);
  /// The weights are `arguments`. Constants cost nothing. Unlike with constants, all pure
  /// operations can be early, except control flow.
  static WeightCut ofArguments(mlir::func::FuncOp function, llvm::ArrayRef<mlir::Value> arguments);

  /// Number of elements of all weights.
  double getElements() const { return elements; }

  /// The numbers of the nodes to store, without the weights themselves, operands first.
  llvm::SmallVector<int> solve();

  const Node &operator[](int node) const { return nodes[node]; }
  const Known &get(mlir::Value value) const { return known.at(value); }
  /// True for an operation that takes or reshapes a part, and has no counterpart where the whole
  /// value is computed.
  bool isOfPart(mlir::Operation *op) const;
  /// Replaces the node's values by `whole`, the stored value, or by parts of it.
  void replace(int node, mlir::Value whole);
  /// Erases the operations that have become dead.
  void eraseDead();

private:
  explicit WeightCut(mlir::func::FuncOp function) : function(function) {}

  void visitAll();
  void visit(mlir::Operation *op);
  bool isComputable(mlir::Operation *op) const;
  void addNode(mlir::Value value, mlir::Operation *pick, double bytes);
  void addSource(mlir::Value value);
  void addMade(mlir::Operation *op, const Known &from);
  void connect(mlir::Operation *op, const Node &node);
  void addReads(mlir::Operation *op);
  double countRead(mlir::Operation *op, mlir::Value operand) const;
  void replacePart(mlir::Value value, mlir::Value whole);

  mlir::func::FuncOp function;
  bool hasFreeConstants = false;
  llvm::SmallVector<mlir::Operation *> operations;
  llvm::DenseMap<mlir::Value, Known> known;
  std::vector<Node> nodes;
  /// Elementwise operations on a single node, by node, name, attributes and type.
  std::map<std::tuple<int, const void *, const void *, const void *>, int> made;
  MinimumCut network;
  double elements = 0;
};

} // namespace hloc

#endif
