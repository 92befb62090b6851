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
    of the arguments (`SPMDFullToShardShape`, `xla.sdy.GlobalToLocalShape`) and put the parts of the
    results together (`SPMDShardToFullShape`, `xla.sdy.LocalToGlobalShape`), and so it prints `pmap`. Where nothing
    else works on arrays that are divided, the entry's parameters and results become the parts, and the calls go;
    annotations (`Sharding`, ...) go with them. What manual code has given may be taken again by manual code as
    it was divided. The number of partitions is that of Shardy's mesh, unless the
    header has one. Work on global arrays, and modules of several partitions that are annotated with
    shardings but not manual, are refused: they have to be partitioned first.
  }];
}

def BindParameters : Pass<"bind-parameters", "::mlir::ModuleOp"> {
  let summary = "Turn parameters whose values are known into constants";
  let description = [{
    What `hlo.bound` of an argument of the entry holds becomes a constant; the parameters that are
    left are numbered anew, in the header's layouts, aliases and donors, too. Of a tuple some arrays
    may be bound: the others become parameters of their own. `hlo.bound_parameters` of the module
    lists what was bound, for the interface.

    ```mlir
    #w = {value = dense<[1.0, 2.0]> : tensor<2xf32>, from = "w.npy"}
    hlo.computation @main(%x: tensor<2xf32>, %w: tensor<2xf32> {hlo.bound = [#w]}) ...
    ```
    becomes
    ```mlir
    hlo.computation @main(%x: tensor<2xf32>) ... {
      %w = hlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    ```
    A parameter whose memory the module is given, or whose size is known at run time, cannot be bound.
  }];
}

def LowerTransfers : Pass<"lower-transfers", "::mlir::ModuleOp"> {
  let summary = "Turn infeed, outfeed, send and recv into transfers of arrays";
  let description = [{
    Every transfer to or from the host becomes one `hlo.host_transfer` of the arrays of its data, in
    the place where the data move: that of `hlo.infeed`, `hlo.outfeed`, `hlo.send` and
    `hlo.recv_done`. Arrays with a layout get the shape that their memory has in row-major order,
    through transposes. Tokens, and the states of `hlo.send` and `hlo.recv`, order nothing more:
    all effects keep their order.

    What goes to another participant becomes a start and a done of kind `peer_send`, what comes from
    one, in the place of `hlo.recv_done`, of kind `peer_recv`. The pairs are those of the frontend
    attribute `_xla_send_recv_source_target_pairs`, of partitions, or of replicas if there is one
    partition; without it each participant sends to itself.

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
    only annotate (`Sharding`, ...). Buffers become the arrays in them. Afterwards unreachable computations are gone.

    What an `hlo.async_start` begins stays if it may run on a thread of its own: it names one, works
    on arrays of static shape, ends in the same block, and meets no other participants. If it calls
    the host, nothing else does so between its start and its end.

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
                " (part of no pipeline: what `hlo-run --numeric-report` compares with)";
  let description = [{
    Floats become f64 and complex numbers c128, everywhere but in what hangs on the width of types or
    is the host's: bitcasts between types, generators of random numbers, infeed, outfeed and custom
    calls have their own types, between conversions. Literals keep their values, `hlo.convert`
    between floats changes nothing, and neither do `hlo.reduce_precision` and
    `hlo.stochastic_convert`. Integers are as they were.

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
    parameters and one result for each array in its result. Tuples are gone everywhere, so variadic
    operations have one result an array, and layouts too: `hlo.bitcast` becomes transposes and a
    reshape, `hlo.copy` its operand. Tokens vanish; operations with side effects keep their order.
    Computations named by `to_apply` stay, without tuples, as private symbols. What is left of
    `hlo.async_start` becomes a private function and `hlo.async_launch`, its done `hlo.async_wait`.

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

def NormalizeLayouts : Pass<"normalize-layouts", "::mlir::func::FuncOp"> {
  let summary = "Turn the layouts of the interface into row-major shapes";
  let description = [{
    An argument whose `hlo.layout` is not row-major gets the shape that its memory has in row-major
    order, and a transpose gives the logical array; results likewise. `hlo.layout` stays: the logical
    dimension of dimension i of the new type is `minor_to_major[rank - 1 - i]`. Nothing after this
    pass needs to look at a layout.

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
