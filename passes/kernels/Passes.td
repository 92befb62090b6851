// SPDX-License-Identifier: Apache-2.0
// The manual of the passes of this folder.

#ifndef HLOC_PASSES_KERNELS_PASSES
#define HLOC_PASSES_KERNELS_PASSES

include "mlir/Pass/PassBase.td"

//===- From the core to kernels --------------------------------------------===//

def Fuse : Pass<"fuse", "::mlir::func::FuncOp"> {
  let summary = "Gather operations into kernels";
  let description = [{
    Afterwards every operation is in an `hlo.kernel`, except constants, operations of the runtime
    (`hlo.custom_call`, `hlo.fft`, ...), control flow, and reshapes, which outside of kernels are
    views of memory. Scalar and splat constants are cloned into the kernels.

    Operations are visited from last to first. Each joins the kernel of its users if that kernel can
    compute it and if that takes less time than writing and reading its result
    (compiler/target/Cost.h). Cheap operations are computed in several kernels. Kernels that read the
    same arrays are merged. A reduction joins users that need its value once per row, or for each
    element of the row: this makes softmax one kernel. A dot, convolution or window joins elementwise
    users. A dot also joins the update in place that writes its result into a slice of an array,
    possibly through elementwise operations.

    What can run while a collective or an asynchronous computation is in flight is not put into a
    kernel that waits for it: dots, convolutions, windows and reductions do not join such users, and
    kernels that depend on different `hlo.collective_done`s or `hlo.async_wait`s are not merged.

    `reuse` of a kernel names, for each result, an operand that is read only at the index that is
    written, so that both may have the same memory; -1 for none.

    ```mlir
    %m = hlo.multiply %a, %b : ...
    %s = hlo.add %m, %c : ...
    ```
    becomes
    ```mlir
    %s = hlo.kernel loop(%a, %b, %c) {reuse = array<i64: 0>} : ... {
    ^bb0(%0: tensor<8xf32>, %1: tensor<8xf32>, %2: tensor<8xf32>):
      %3 = hlo.multiply %0, %1 : ...
      %4 = hlo.add %3, %2 : ...
      hlo.return %4 : tensor<8xf32>
    }
    ```
  }];
  let options = [
    Option<"alone", "alone", "bool", "false", "Make a kernel of each operation">,
    Option<"remarks", "remarks", "bool", "false", "Emit a remark for each operation that is not fused into its users: why not">];
  let statistics = [Statistic<"kernels", "kernels", "Kernels made">];
}

def CollapseDimensions : Pass<"collapse-dimensions", "::mlir::func::FuncOp"> {
  let summary = "Join dimensions that a kernel's operations do not distinguish";
  let description = [{
    In each `hlo.kernel`, adjacent dimensions are joined unless an operation distinguishes them, as a
    broadcast, reduction, slice or transpose along one of them does. This gives longer rows and fewer
    loops, and makes kernels equal that differ only in the shapes joined. Operands and results keep
    their types; the arguments of the kernel's block are the same memory in another shape.

    ```mlir
    %r = hlo.kernel loop(%x, %y) ... : (tensor<64x8x3xf32>, tensor<64xf32>) -> tensor<64x8x3xf32> {
    ^bb0(%0: tensor<64x8x3xf32>, %1: tensor<64xf32>):
      %2 = hlo.broadcast %1 {dimensions = array<i64: 0>} : (tensor<64xf32>) -> tensor<64x8x3xf32>
      %3 = hlo.add %0, %2 : ...
    ```
    becomes
    ```mlir
    %r = hlo.kernel loop(%x, %y) ... : (tensor<64x8x3xf32>, tensor<64xf32>) -> tensor<64x8x3xf32> {
    ^bb0(%0: tensor<64x24xf32>, %1: tensor<64xf32>):
      %2 = hlo.broadcast %1 {dimensions = array<i64: 0>} : (tensor<64xf32>) -> tensor<64x24xf32>
      %3 = hlo.add %0, %2 : ...
    ```
  }];
  let statistics = [Statistic<"collapsed", "collapsed", "Kernels with fewer dimensions">];
}

def DivideReductions : Pass<"divide-reductions", "::mlir::ModuleOp"> {
  let summary = "Divide long reductions and dots with few results into parts that run in parallel";
  let description = [{
    A reduction has a unit of work for each of its results, or for a vector or tile of them, and so
    has a dot. A long one that has too few units to keep the cores that share a cache busy becomes
    two kernels: one reduces each part of the outermost reduced dimension, the other reduces the
    results of the parts. How many parts there are depends on the shape and the machine's numbers,
    not on the number of threads, so that neither do the bits of the results.

    ```mlir
    %r = hlo.kernel <reduce> (%x) ... : (tensor<1048576xf32>) -> tensor<f32> {
    ^bb0(%0: tensor<1048576xf32>):
      %1 = hlo.constant(dense<0.0> : tensor<f32>) : tensor<f32>
      %2 = hlo.reduce %0, %1 {dimensions = array<i64: 0>, to_apply = @add} : ...
    ```
    becomes
    ```mlir
    %p = hlo.kernel <reduce> (%x) ... : (tensor<1048576xf32>) -> tensor<16xf32> {
    ^bb0(%0: tensor<1048576xf32>):
      %1 = hlo.constant(dense<0.0> : tensor<f32>) : tensor<f32>
      %2 = hlo.reshape %0 : (tensor<1048576xf32>) -> tensor<16x65536xf32>
      %3 = hlo.reduce %2, %1 {dimensions = array<i64: 1>, to_apply = @add} : ...
    }
    %r = hlo.kernel <reduce> (%p) ... : (tensor<16xf32>) -> tensor<f32> { ... }
    ```
  }];
  let statistics = [Statistic<"divided", "divided", "Kernels that were divided">];
}

def KeepExcessPrecision : Pass<"keep-excess-precision", "::mlir::func::FuncOp"> {
  let summary = "Compute narrow floats in f32 within kernels, if the target allows it";
  let description = [{
    Does nothing unless the target has `excess_precision` (`hloc --excess-precision`). In each
    `hlo.kernel`, elementwise operations on floats narrower than f32 become operations on f32, and
    so do the results of dots and convolutions that these read. What was rounded before another of
    them is then not rounded: only what the kernel writes to memory, and what its other operations
    read. A conversion to a narrow float and back vanishes; `hlo.reduce_precision` stays.

    ```mlir
    %2 = hlo.multiply %0, %1 : ... -> tensor<64xbf16>
    %3 = hlo.add %2, %1 : ... -> tensor<64xbf16>
    ```
    becomes
    ```mlir
    %2 = hlo.convert %0 : (tensor<64xbf16>) -> tensor<64xf32>
    %3 = hlo.convert %1 : (tensor<64xbf16>) -> tensor<64xf32>
    %4 = hlo.multiply %2, %3 : ... -> tensor<64xf32>
    %5 = hlo.add %4, %3 : ... -> tensor<64xf32>
    %6 = hlo.convert %5 : (tensor<64xf32>) -> tensor<64xbf16>
    ```
  }];
  let statistics = [Statistic<"widened", "widened", "Operations on f32 instead of narrow floats">];
}

#endif // HLOC_PASSES_KERNELS_PASSES
