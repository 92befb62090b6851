// SPDX-License-Identifier: Apache-2.0
// A computation prepared for execution: values numbered, constants read, handlers found, last uses
// marked.

#ifndef HLOC_COMPILER_EVALUATOR_PLAN_H
#define HLOC_COMPILER_EVALUATOR_PLAN_H

#include "compiler/evaluator/core/Interpreter.h"

namespace hloc::evaluator {

class Plan {
public:
  struct Use {
    int slot;
    bool last; // the value may be moved out
  };
  struct Step {
    mlir::Operation *op;
    Handler handler = nullptr; // null: unknown opcode
    ElementKernel kernel;      // of elementwise operations
    llvm::SmallVector<Use, 3> operands;
    int firstResult;
    int64_t bytes = 0;         // of the results, at their bounds
    bool isElement = false;    // get_tuple_element
    bool takesElement = false; // ... after which that element of the tuple is used no more
    int64_t index = 0;
  };

  /// `maxBytes` is the limit of the evaluation's memory.
  Plan(mlir::Operation *computation, int64_t maxBytes);

  mlir::Operation *computation;
  std::vector<Step> steps;
  std::vector<std::pair<int, Value>> constants;
  llvm::SmallVector<Use, 2> results;
  int slots = 0;
};

/// The scalar program of a computation that contains only scalars and elementwise operations: a
/// list of kernels over registers.
class ElementProgram {
public:
  /// Null if the computation contains anything else. If `accumulates`, small floats are kept in
  /// their accumulation type, except where the program converts explicitly. With a type `element`,
  /// the one operation on the two parameters that the computation consists of is executed on that
  /// type instead of theirs; null for other computations.
  static std::unique_ptr<ElementProgram> make(mlir::Operation *computation, bool accumulates,
                                              mlir::Type element = {});

  struct Step {
    ElementKernel kernel;
    llvm::SmallVector<int, 3> operands;
    int result;
  };
  int parameters = 0; // registers 0, 1, ...
  int registers = 0;
  std::vector<std::pair<int, Scalar>> constants;
  std::vector<Step> steps;
  llvm::SmallVector<int, 2> results;
};

/// Runs an elementwise operation on whole arrays. Scalars among larger operands are repeated, and
/// so are dimensions that have size 1 at run time. Nothing if the sizes do not match.
std::optional<Array> runKernel(const ElementKernel &kernel, llvm::ArrayRef<const Array *> operands);

} // namespace hloc::evaluator

#endif
