// SPDX-License-Identifier: Apache-2.0
// The manual of the passes of this folder.

#ifndef HLOC_PASSES_SIMPLIFY_PASSES
#define HLOC_PASSES_SIMPLIFY_PASSES

include "mlir/Pass/PassBase.td"

//===- Simplification ------------------------------------------------------===//

def RaiseCountedLoops : Pass<"raise-counted-loops", "::mlir::func::FuncOp"> {
  let summary = "Turn scf.while that counts into scf.for";
  let description = [{
    `for (i = a; i < b; i += c)` with constants a, b and c that do not make the counter wrap; or with
    a and b known at run time, for c = 1 and a signed counter of at most 32 bits. The induction
    variable counts from 0 in steps of 1; the body gets the counter as a rank-0 array:

    ```mlir
    scf.for %k = %c0 to %c10 step %c1 iter_args(%x = %b) -> (tensor<4xf32>) {
      %k32 = arith.index_cast %k : index to i32
      %i = tensor.from_elements %k32 : tensor<i32>
    ```
  }];
  let statistics = [Statistic<"raised", "raised", "Loops turned into scf.for">];
}

def RemoveDeadLoopState : Pass<"remove-dead-loop-state", "::mlir::func::FuncOp"> {
  let summary = "Erase what loops and branches compute for nobody";
  let description = [{
    Dead code elimination through `scf.for`, `scf.while`, `scf.if` and `scf.index_switch`: a value
    that a loop carries only for itself is dead.
  }];
  let statistics = [Statistic<"removed", "removed", "Loop-carried values and branch results removed">];
}

def Simplify : Pass<"simplify", "::mlir::func::FuncOp"> {
  let summary = "Apply algebraic rules, and fold constants, until nothing changes";
  let description = [{
    The tables at the end of Simplify*.cpp list the rules by name. All are exact but for two that
    round as the operation itself may (x^3, and 0 + x where a reduction has nothing to add).
    Forms that hold afterwards: a constant of equal elements is a broadcast of a scalar; no operation
    but broadcast has only repeated scalars as operands; data movement that is none is gone.

    Constants fold up to 16,384 elements and operations, and large ones are reshaped; the rest is
    for `fold-weights`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def HoistLoopInvariants : Pass<"hoist-loop-invariants", "::mlir::func::FuncOp"> {
  let summary = "Compute before a loop what all its iterations share";
  let description = [{
    Pure operations move out of `scf.for` and `scf.while`. Those cheaper than reading their result
    from memory (broadcasts, iota) are then copied back to where they are used.
  }];
}

def FoldWeights : Pass<"fold-weights", "::mlir::func::FuncOp"> {
  let summary = "Compute when compiling what is made of large constants";
  let description = [{
    Elementwise operations and data movement on constants are done by the evaluator where that costs
    fewest bytes: those that the program holds, and those that it reads of them in each run. So a
    constant that is converted to a narrower type, transposed, cut or joined with others is replaced
    by what becomes of it; one that is converted to a wider type stays as it is; and where something
    else reads it too, what is made of it lies beside it if that spares each run as much as it adds.
    Broadcasts and iota are never held.

    A slice at indices that are known at run time only, or a gather, moves behind what is made of it
    element by element: so weights are converted that are stacked, and sliced in a loop over layers.

    ```mlir
    %w = hlo.constant(dense_resource<literal> : tensor<4x64x32xf32>) : tensor<4x64x32xf32>
    scf.for %i = ... {
      %s = hlo.dynamic_slice %w, %layer, %zero, %zero {dynamic_slice_sizes = array<i64: 1, 64, 32>} : ...
      %c = hlo.convert %s : (tensor<1x64x32xf32>) -> tensor<1x64x32xbf16>
    ```
    becomes
    ```mlir
    %w = hlo.constant(dense_resource<literal> : tensor<4x64x32xbf16>) : tensor<4x64x32xbf16>
    scf.for %i = ... {
      %c = hlo.dynamic_slice %w, %layer, %zero, %zero {dynamic_slice_sizes = array<i64: 1, 64, 32>} : ...
    ```
  }];
  let statistics = [Statistic<"folded", "folded", "values that became constants">];
}

def SliceProducers : Pass<"slice-producers", "::mlir::func::FuncOp"> {
  let summary = "Slice what arrays are made of, not what is made of them";
  let description = [{
    An operation that moves or converts data, or is cheap and elementwise, and of which only slices
    are used, is applied to slices instead: so weights that are stacked on some dimension,
    transposed or converted as a whole and then read layer by layer in a loop are read where they
    lie, through an index map.

    Slices pass transpose, reshape, broadcast, reverse, pad, concatenate, slice, dynamic_slice and
    elementwise operations, in loops if that takes less time
    (compiler/target/Cost.h): the bytes that are read and written once before the loop, and those of the slices
    that are then read, against the bytes, in whole cache lines, that the slices of the operands
    read in all iterations. In straight code they pass where they take disjoint parts of arguments.

    ```mlir
    %t = hlo.transpose %w {dimensions = array<i64: 1, 0, 2>} : (tensor<64x4x32xf32>) -> tensor<4x64x32xf32>
    scf.for %i = ... {
      %s = hlo.dynamic_slice %t, %layer, %zero, %zero {dynamic_slice_sizes = array<i64: 1, 64, 32>} : ...
    ```
    becomes
    ```mlir
    scf.for %i = ... {
      %p = hlo.dynamic_slice %w, %zero, %layer, %zero {dynamic_slice_sizes = array<i64: 64, 1, 32>} : ...
      %s = hlo.transpose %p {dimensions = array<i64: 1, 0, 2>} : (tensor<64x1x32xf32>) -> tensor<1x64x32xf32>
    ```
  }];
  let statistics = [Statistic<"moved", "moved", "Operations applied to slices">];
}

#endif // HLOC_PASSES_SIMPLIFY_PASSES
