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

def AssignBuffers : Pass<"assign-buffers", "::mlir::ModuleOp"> {
  let summary = "Give every array its place in memory";
  let description = [{
    `func.func @main` on tensors becomes one on memrefs: its arguments, then its results
    (`hlo.results` of them), then the arena, as bytes. Kernels become `hlo.kernel_function`s, equal
    ones the same, and `hlo.launch` runs them; operations of the runtime become `hlo.runtime_call`.
    Loops and branches carry nothing any more: what they carried are buffers, updated in place, with
    a `memref.copy` only where two values that are needed at the same time would share one.

    Arrays lie in the results where possible; up to 256 bytes in local variables
    (`memref.alloca`), constants in `memref.global`, everything else in the arena, at offsets that are
    multiples of 64. A result that may alias an argument (`hlo.aliases`) holds that argument
    from the start; the `memref.copy` marked `hlo.unless_same` does so if the host passes different
    memory.

    Attributes of main for reports: `hlo.arena_bytes`; `hlo.arena_bound`, the most bytes live at
    once; `hlo.arena_buffers`, one [offset, bytes, begin, end] for each buffer.

    ```mlir
    func.func @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {
      %0 = hlo.kernel loop(%x) ...
      %1 = hlo.kernel loop(%0) ...
      return %1
    ```
    becomes
    ```mlir
    func.func @main(%x: memref<1000xf32>, %y: memref<1000xf32>, %arena: memref<0xi8>) {
      hlo.launch @exp(%x) -> (%y) : ...
      hlo.launch @log(%y) -> (%y) : ...
      return
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"copies", "copies", "Copies between buffers">,
                    Statistic<"arenaBytes", "arena-bytes", "Bytes of the arena">];
}

#endif
