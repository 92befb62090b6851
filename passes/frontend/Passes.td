// SPDX-License-Identifier: Apache-2.0
// The manual of the passes of this folder.

#ifndef HLOC_PASSES_FRONTEND_PASSES
#define HLOC_PASSES_FRONTEND_PASSES

include "mlir/Pass/PassBase.td"

//===- From the text's form to the core ------------------------------------===//

def LocalizeEntry : Pass<"localize-entry", "::mlir::ModuleOp"> {
  let summary = "Give the entry of a manually partitioned program the shapes of one partition";
  let description = [{
    JAX prints `shard_map` as a program on global arrays: custom calls give each partition its part
    of the arguments (`SPMDFullToShardShape`, `xla.sdy.GlobalToLocalShape`) and join the parts of the
    results (`SPMDShardToFullShape`, `xla.sdy.LocalToGlobalShape`). `pmap` is printed in the same way.
    If nothing else outside of these calls computes on divided arrays, the entry's parameters and results
    become the parts, and the calls are removed, as are annotations (`Sharding`, ...). Manual code may
    also take results of other manual code, divided in the same way. The number of partitions is that of
    Shardy's mesh, unless the header has one. Computations on global arrays, and modules of several
    partitions that are annotated with shardings but not manual, are refused: they have to be partitioned
    first. A scheduled module (`is_scheduled=true`) has been, by XLA, and is not changed.
  }];
}

def BindParameters : Pass<"bind-parameters", "::mlir::ModuleOp"> {
  let summary = "Turn parameters whose values are known into constants";
  let description = [{
    The values in `hlo.bound` of an argument of the entry become constants. The remaining parameters
    are renumbered, also in the header's layouts, aliases and donors. If only some arrays of a tuple are
    bound, the others become parameters of their own. `hlo.bound_parameters` of the module lists what
    was bound, for the interface.

    ```mlir
    #w = {value = dense<[1.0, 2.0]> : tensor<2xf32>, from = "w.npy"}
    hlo.computation @main(%x: tensor<2xf32>, %w: tensor<2xf32> {hlo.bound = [#w]}) ...
    ```
    becomes
    ```mlir
    hlo.computation @main(%x: tensor<2xf32>) ... {
      %w = hlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    ```
    A parameter whose memory is donated to the module, or whose size is known only at run time, cannot
    be bound.
  }];
}

def LowerTransfers : Pass<"lower-transfers", "::mlir::ModuleOp"> {
  let summary = "Turn infeed, outfeed, send and recv into transfers of arrays";
  let description = [{
    Every transfer to or from the host becomes one `hlo.host_transfer` of the arrays of its data, at
    the operation where the data are moved: `hlo.infeed`, `hlo.outfeed`, `hlo.send` or
    `hlo.recv_done`. Arrays with a layout are transposed to or from the row-major shape of their memory.
    Tokens, and the states of `hlo.send` and `hlo.recv`, no longer order anything: all side effects
    keep their order.

    A send to another participant becomes a start and a done of kind `peer_send`; a receive becomes
    both of kind `peer_recv`, at `hlo.recv_done`. The pairs are those of the frontend attribute
    `_xla_send_recv_source_target_pairs`, between partitions, or between replicas if there is one
    partition; without the attribute each participant sends to itself.

    ```mlir
    %0 = hlo.infeed %token : (!hlo.token) -> tuple<tensor<2x3xf32, #hlo.layout<[0, 1]>>, !hlo.token>
    ```
    becomes
    ```mlir
    %0 = hlo.host_transfer<infeed> 0 [array<i64: 0, 1>] () : () -> tensor<3x2xf32>
    %1 = hlo.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
    ```
  }];
}

def InlineCalls : Pass<"inline-calls", "::mlir::ModuleOp"> {
  let summary = "Replace calls by the callee's operations";
  let description = [{
    Inlines `hlo.call`, `hlo.fusion` and `hlo.async_start`, callees first; applies the computation of
    `hlo.map` to whole arrays; turns starts and dones of copies and collectives into the plain
    operation; erases `hlo.opt_barrier`, `hlo.domain`, `hlo.add_dependency` and custom calls that
    are only annotations (`Sharding`, ...). Buffers become the arrays in them. Unreachable computations
    are erased.

    An `hlo.async_start` is kept if its computation may run on a thread of its own: it names a thread,
    uses only arrays of static shape, ends in the same block, and does not communicate with other
    participants; and if it calls the host, nothing else does so between its start and its end.

    ```mlir
    %0 = hlo.call %x {to_apply = @double} : (tensor<4xf32>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    %0 = hlo.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def WidenFloats : Pass<"widen-floats", "::mlir::ModuleOp"> {
  let summary = "Compute in f64 what the module computes in narrower floats"
                " (not in any pipeline: the reference of `hlo-run --numeric-report`)";
  let description = [{
    Floats become f64 and complex numbers c128. Operations that depend on the width of their types, or
    that are the host's, keep their types between conversions: bitcasts between types, generators of
    random numbers, infeed, outfeed and custom calls. Literals keep their values. `hlo.convert` between
    floats, `hlo.reduce_precision` and `hlo.stochastic_convert` become identities. Integers are
    unchanged.

    ```mlir
    %0 = hlo.exponential %x : (tensor<4xf32>) -> tensor<4xf32>
    %1 = hlo.convert %0 : (tensor<4xf32>) -> tensor<4xbf16>
    ```
    becomes
    ```mlir
    %0 = hlo.exponential %x : (tensor<4xf64>) -> tensor<4xf64>
    %1 = hlo.convert %0 : (tensor<4xf64>) -> tensor<4xf64>
    ```
  }];
}

def LowerControlFlow : Pass<"lower-control-flow", "::mlir::ModuleOp"> {
  let summary = "Turn computations and tuples into one function with structured control flow";
  let description = [{
    The entry computation becomes `func.func @main` with one argument for each array in its
    parameters and one result for each array in its result. Tuples are removed everywhere, so variadic
    operations have one result per array. Layouts are removed too: `hlo.bitcast` becomes transposes and
    a reshape, `hlo.copy` its operand. Tokens are removed; operations with side effects keep their
    order. Computations that `to_apply` refers to remain, without tuples, as private symbols. Each
    remaining `hlo.async_start` becomes a private function and an `hlo.async_launch`, and its done an
    `hlo.async_wait`.

    - `hlo.while` becomes `scf.while` whose condition forwards its arguments in order (all passes
      preserve that); values that the body returns unchanged are not carried.
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
  let summary = "Merge equal computations";
  let description = [{
    JAX prints a computation for each reduction. If equal reductions share one, CSE recognizes equal
    operations, and code generation equal kernels.
  }];
  let statistics = [Statistic<"removed", "removed", "Computations that equal another one">];
}

def NormalizeLayouts : Pass<"normalize-layouts", "::mlir::func::FuncOp"> {
  let summary = "Turn the layouts of the interface into row-major shapes";
  let description = [{
    An argument whose `hlo.layout` is not row-major gets the row-major shape of its memory, and a
    transpose makes the logical array from it; results likewise. `hlo.layout` is kept: dimension i of
    the new type is the logical dimension `minor_to_major[rank - 1 - i]`. No later pass uses layouts.

    ```mlir
    func.func @main(%x: tensor<2x3xf32> {hlo.layout = #hlo.layout<[0, 1]>})
    ```
    becomes
    ```mlir
    func.func @main(%x: tensor<3x2xf32> {hlo.layout = ...}) {
      %0 = hlo.transpose %x {dimensions = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
    ```
  }];
}

#endif // HLOC_PASSES_FRONTEND_PASSES
