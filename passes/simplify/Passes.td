// SPDX-License-Identifier: Apache-2.0
// The manual of the passes of this folder.

#ifndef HLOC_PASSES_SIMPLIFY_PASSES
#define HLOC_PASSES_SIMPLIFY_PASSES

include "mlir/Pass/PassBase.td"

//===- Simplification ------------------------------------------------------===//

def WarnOfEndlessLoops : Pass<"warn-of-endless-loops", "::mlir::func::FuncOp"> {
  let summary = "Warn of loops whose counters never reach their bounds";
  let description = [{
    Follows the counters of loops `for (i = a; i < b; i += c)` with constants a, b and c in their own
    arithmetic. A float counter stays where it is as soon as c is less than half the distance to the next
    number: a bf16 that is incremented by 1 stays at 256. An integer wraps around, and may miss every
    number that ends the loop.

    ```
    model.hlo:12:8: warning: this loop never ends: its counter of type bf16 does not get beyond 996
    ```
  }];
}

def RaiseCountedLoops : Pass<"raise-counted-loops", "::mlir::func::FuncOp"> {
  let summary = "Turn counting scf.while loops into scf.for";
  let description = [{
    Recognizes `for (i = a; i < b; i += c)` with constants a, b and c for which the counter does not
    wrap; or with a and b known only at run time, for c = 1 and a signed counter of at most 32 bits. The
    induction variable of the scf.for counts from 0 in steps of 1, and the body computes the counter
    from it as a rank-0 array:

    ```mlir
    scf.for %k = %c0 to %c10 step %c1 iter_args(%x = %b) -> (tensor<4xf32>) {
      %k32 = arith.index_cast %k : index to i32
      %i = tensor.from_elements %k32 : tensor<i32>
    ```
  }];
  let statistics = [Statistic<"raised", "raised", "Loops turned into scf.for">];
}

def UnrollShortLoops : Pass<"unroll-short-loops", "::mlir::func::FuncOp"> {
  let summary = "Unroll short loops of simple elementwise operations";
  let description = [{
    An `scf.for` of at most 8 iterations whose body has nothing but additions, shifts and the like
    becomes straight-line code: fusion makes one kernel of it, which keeps in registers what the
    iterations would pass on in memory. Operands that differ from iteration to iteration, such as the
    distances by which a random number generator rotates, become constants.

    Loops of small arrays stay, as do those of operations that take longer than memory, for which
    short code is worth more.
  }];
  let statistics = [Statistic<"unrolled", "unrolled", "Loops unrolled">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def RemoveDeadLoopState : Pass<"remove-dead-loop-state", "::mlir::func::FuncOp"> {
  let summary = "Erase unused loop-carried values and branch results";
  let description = [{
    Dead code elimination through `scf.for`, `scf.while`, `scf.if` and `scf.index_switch`: a
    loop-carried value that is only used to compute its own next value is dead.
  }];
  let statistics = [Statistic<"removed", "removed", "Loop-carried values and branch results removed">];
}

def Simplify : Pass<"simplify", "::mlir::func::FuncOp"> {
  let summary = "Apply algebraic rules, and fold constants, until nothing changes";
  let description = [{
    The tables at the end of Simplify*.cpp list the rules by name. All are exact, except for two that
    round differently within what HLO allows (x^3, and 0 + x where a reduction has nothing to add).

    Afterwards, a constant of equal elements is a broadcast scalar; only broadcasts have nothing but
    broadcast scalars as operands; and data movement without effect is gone.

    Constants are folded up to 16,384 elements and operations. Larger ones are only reshaped here;
    `fold-weights` handles the rest.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def HoistLoopInvariants : Pass<"hoist-loop-invariants", "::mlir::func::FuncOp"> {
  let summary = "Move loop-invariant computations before loops";
  let description = [{
    Pure operations move out of `scf.for` and `scf.while`.
  }];
}

def SinkCheapOperations : Pass<"sink-cheap-operations", "::mlir::func::FuncOp"> {
  let summary = "Copy what costs less than reading it from memory into the blocks that use it";
  let description = [{
    Broadcasts and iota are copied into the bodies of loops and branches that use their results.
    `cse` undoes this where the block around uses the result as well, so that this comes last.
  }];
}

def TurnReductions : Pass<"turn-reductions", "::mlir::func::FuncOp"> {
  let summary = "Reduce short rows of what small arrays make without folding lanes";
  let description = [{
    The distances between points, `sum((a[i, k] - b[j, k])^2)` over a short k, are computed in the
    order i, k, j instead of i, j, k: b is transposed, and the lanes of vectors are neighbours along
    j, whose sums stay in lanes of their own. That is done for reductions along the last dimension
    whose operands are computed elementwise from broadcasts of much smaller arrays, where a row has
    few enough elements that folding the lanes at its end takes long (compiler/target/Cost.h).
  }];
  let statistics = [Statistic<"turned", "turned", "Reductions turned">];
}

def FoldWeights : Pass<"fold-weights", "::mlir::func::FuncOp"> {
  let summary = "Compute at compile time what depends on large constants";
  let description = [{
    The evaluator computes elementwise operations and data movement on constants where that costs the
    fewest bytes: those that the program stores plus those that each run reads of them. So a constant
    that is converted to a narrower type, transposed, sliced or concatenated is replaced by the result;
    one that is converted to a wider type is kept as it is. If something else reads the constant too, the
    result is stored in addition if that saves each run as many bytes as it adds to the program.
    Broadcasts and iota are never stored.

    A slice at indices that are known only at run time, or a gather, is moved after elementwise
    operations on it: so weights that are stacked, and sliced in a loop over layers, can be converted.

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
  let summary = "Move slices before the operations that produce what they slice";
  let description = [{
    If only slices of an operation's result are used, and the operation moves or converts data or is
    cheap and elementwise, it is applied to slices of its operands instead. So weights that are stacked
    along some dimension, transposed or converted as a whole, and then read layer by layer in a loop,
    are read in place through an index map.

    Slices move before transpose, reshape, broadcast, reverse, pad, concatenate, slice, dynamic_slice
    and elementwise operations. For slices in loops this is done if it takes less time
    (compiler/target/Cost.h): the cost of reading and writing the whole array once before the loop and
    then reading its slices is compared with that of the cache lines that the slices of the operands
    touch in all iterations. In straight-line code it is done if the slices take disjoint parts of
    arguments.

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
