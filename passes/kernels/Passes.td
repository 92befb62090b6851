// SPDX-License-Identifier: Apache-2.0
// The manual of the passes of this folder.

#ifndef HLOC_PASSES_KERNELS_PASSES
#define HLOC_PASSES_KERNELS_PASSES

include "mlir/Pass/PassBase.td"

//===- From the core to kernels --------------------------------------------===//

def Fuse : Pass<"fuse", "::mlir::func::FuncOp"> {
  let summary = "Gather operations into kernels";
  let description = [{
    Afterwards every operation is in an `hlo.kernel`, but for constants, operations of the runtime
    (`hlo.custom_call`, `hlo.fft`, ...), control flow, and reshapes, which outside of kernels are other views of the
    same memory. Scalar and splat constants are cloned into the kernels.

    Operations are visited from last to first. Each joins the kernel of its users where that kernel
    can compute it and where that costs less than a pass over memory (compiler/target/Cost.h); cheap ones are
    computed by several kernels; kernels that read the same arrays are merged. A reduction joins
    users that need one value a row, or that value for each element of the row: so softmax is one
    kernel. A dot, convolution or window joins elementwise users, and a dot the update in place that writes its
    result, or what elementwise code makes of it, into a slice of an array.

    What can run while a collective or an asynchronous computation is under way is no part of a kernel
    that waits for it: dots, convolutions, windows and reductions do not join such users, nor is an
    array made along with one that needs a later `hlo.collective_done` or `hlo.async_wait`.

    `reuse` of the kernels names, for each result, an operand that is read only at the index that is
    written: their memory may be the same.

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
    Option<"alone", "alone", "bool", "false", "One kernel for each operation">,
    Option<"remarks", "remarks", "bool", "false", "Say of each operation that starts a kernel why its users do not compute it">];
  let statistics = [Statistic<"kernels", "kernels", "Kernels made">];
}

def CollapseDimensions : Pass<"collapse-dimensions", "::mlir::func::FuncOp"> {
  let summary = "Make dimensions one that a kernel's operations treat alike";
  let description = [{
    In each `hlo.kernel`, neighbouring dimensions become one wherever no operation tells them apart: a broadcast of one
    of them, a reduction, a slice, a transposition. Rows are longer then, loops fewer, and kernels equal that
    differ in nothing else. Operands and results keep their types; the kernel's block sees their memory
    in another shape.

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

#endif // HLOC_PASSES_KERNELS_PASSES
