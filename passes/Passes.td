// SPDX-License-Identifier: Apache-2.0
// The manual of the passes. Pipeline.cpp orders them.

#ifndef HLOC_PASSES_PASSES
#define HLOC_PASSES_PASSES

include "mlir/Pass/PassBase.td"

//===- From the text's form to the core ------------------------------------===//

def InlineCalls : Pass<"inline-calls", "::mlir::ModuleOp"> {
  let summary = "Replace calls by the callee's operations";
  let description = [{
    Inlines `hlo.call`, `hlo.fusion` and `hlo.async_start`, callees first; applies the computation of
    `hlo.map` to whole arrays; turns starts and dones of copies and collectives into the plain
    operation; erases `hlo.opt_barrier`, `hlo.domain`, `hlo.add_dependency` and custom calls that
    only annotate (`Sharding`, ...). Afterwards unreachable computations are gone.

    ```mlir
    %0 = hlo.call %x {to_apply = @double} : (tensor<4xf32>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    %0 = hlo.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def LowerControlFlow : Pass<"lower-control-flow", "::mlir::ModuleOp"> {
  let summary = "Turn computations and tuples into one function with structured control flow";
  let description = [{
    The entry computation becomes `func.func @main` with one argument for each array in its
    parameters and one result for each array in its result. Tuples are gone everywhere, so variadic
    operations have one result an array, and layouts too: `hlo.bitcast` becomes transposes and a
    reshape, `hlo.copy` its operand. Tokens vanish; operations with side effects keep their order.
    Computations named by `to_apply` stay, without tuples, as private symbols.

    - `hlo.while` becomes `scf.while` whose condition forwards its arguments in order (all passes
      keep it so); what the body returns unchanged is taken from outside.
    - `hlo.conditional` becomes `scf.if`, or `scf.index_switch` whose default is the last branch.

    Arguments and results carry `hlo.name` (the metadata's op_name, else the instruction's name, with
    `.i` appended for element i of a tuple) and, where the module's interface has a layout other than
    row-major, `hlo.layout`; types are the logical ones. The module gets
    `hlo.aliases`, an array of `array<i64: result, argument>`.

    ```mlir
    %0 = hlo.while %t {condition = @less, body = @next} : (tuple<tensor<i32>, tensor<4xf32>>) -> ...
    ```
    becomes
    ```mlir
    %0:2 = scf.while (%i = %a, %x = %b) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
      ...
      %p = tensor.extract %less[] : tensor<i1>
      scf.condition(%p) %i, %x : tensor<i32>, tensor<4xf32>
    } do { ... }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def DeduplicateComputations : Pass<"deduplicate-computations", "::mlir::ModuleOp"> {
  let summary = "Keep one of several equal computations";
  let description = [{
    JAX prints one computation for each reduction; with one for all of a kind, equal operations
    become equal to CSE and equal kernels to codegen.
  }];
  let statistics = [Statistic<"removed", "removed", "Computations that equal another one">];
}

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

//===- From the core to kernels in memory ----------------------------------===//

def Fuse : Pass<"fuse", "::mlir::func::FuncOp"> {
  let summary = "Gather operations into kernels";
  let description = [{
    Afterwards every operation is in an `hlo.kernel`, but for constants, operations of the runtime
    (`hlo.custom_call`, `hlo.fft`, ...), control flow, and reshapes, which outside of kernels are other views of the
    same memory. Scalar and splat constants are cloned into the kernels.

    Operations are visited from last to first. Each joins the kernel of its users where that kernel
    can compute it and where that costs less than a pass over memory (FuseCost.h); cheap ones are
    computed by several kernels; kernels that read the same arrays are merged. A reduction joins
    users that need one value a row, or that value for each element of the row: so softmax is one
    kernel. A dot, convolution or window joins elementwise users.

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

#endif
