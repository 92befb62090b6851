// SPDX-License-Identifier: Apache-2.0
// What of a program that hangs on weights alone is computed before its runs.
//
// Weights are large constants, or parameters that are prepared (passes/prepare). What hangs on them
// alone is either early, computed once, or late, computed in each run. A program holds the early
// values that something late reads. Of all divisions that is chosen which costs the fewest bytes,
// those that the program holds and those that a run reads of them together, and of equal ones that
// with the most done early: so weights that are converted to a narrower type are held as such,
// those that are widened stay as they are, and a second copy beside the first has to save as much
// in each run as it takes. Tests: test/passes/simplify/fold-weights.mlir,
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
  /// What is known of a value that hangs on weights, or is part of one that does. Parts are taken
  /// by an operation with operands that are known at run time only, such as the slice of one
  /// layer's weights in a loop; what is made of a part element by element can be made of the whole.
  struct Known {
    int node = -1;                   ///< of the value that would be held; -1: none has to be
    mlir::Operation *pick = nullptr; ///< takes the part
  };

  /// A weight, or an operation on such.
  struct Node {
    llvm::SmallVector<mlir::Value, 1> values; ///< which are it, or are made as it is of parts of
                                              ///< the same
    double bytes;                             ///< of the whole
    int in, out;           ///< in the network: on the source's side if early, and if nothing late
                           ///< reads it
    bool isSource = false; ///< a weight
    bool isRead = false;   ///< by something that is late however the network is cut
  };

  /// Of the function's constants.
  static WeightCut ofConstants(mlir::func::FuncOp function);
  /// Of `arguments`. Constants cost nothing, and more than on constants is computed early: all that
  /// is pure and is no control flow.
  static WeightCut ofArguments(mlir::func::FuncOp function, llvm::ArrayRef<mlir::Value> arguments);

  /// Elements of all weights.
  double getElements() const { return elements; }

  /// The numbers of the nodes that are to be held and are no weights, operands first.
  llvm::SmallVector<int> solve();

  const Node &operator[](int node) const { return nodes[node]; }
  const Known &get(mlir::Value value) const { return known.at(value); }
  /// Whether an operation on a node's value is left out where the whole is computed: it takes the
  /// part, or gives it another shape.
  bool isOfPart(mlir::Operation *op) const;
  /// What holds the whole of a node takes the place of the node's values.
  void replace(int node, mlir::Value whole);
  /// Erases what nothing reads any more.
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
  /// What is made element by element of a node alone: by name, attributes and type.
  std::map<std::tuple<int, const void *, const void *, const void *>, int> made;
  MinimumCut network;
  double elements = 0;
};

} // namespace hloc

#endif
