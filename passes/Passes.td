// SPDX-License-Identifier: Apache-2.0
// The manual of the passes. Pipeline.cpp orders them.

#ifndef HLOC_PASSES_PASSES
#define HLOC_PASSES_PASSES

include "mlir/Pass/PassBase.td"

//===- From the text's form to the core ------------------------------------===//

def LocalizeEntry : Pass<"localize-entry", "::mlir::ModuleOp"> {
  let summary = "Give the entry of a manually partitioned program the shapes of one partition";
  let description = [{
    JAX prints `shard_map` as a program on global arrays: custom calls give each partition its part
    of the arguments (`SPMDFullToShardShape`, `xla.sdy.GlobalToLocalShape`) and put the parts of the
    results together (`SPMDShardToFullShape`, `xla.sdy.LocalToGlobalShape`). Where nothing else is
    outside, the entry's parameters and results become the parts, and the calls go; annotations
    (`Sharding`, ...) go with them. The number of partitions is that of Shardy's mesh, unless the
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
    Transfers in computations that are applied to elements are not supported.
  }];
}

def InlineCalls : Pass<"inline-calls", "::mlir::ModuleOp"> {
  let summary = "Replace calls by the callee's operations";
  let description = [{
    Inlines `hlo.call`, `hlo.fusion` and `hlo.async_start`, callees first; applies the computation of
    `hlo.map` to whole arrays; turns starts and dones of copies and collectives into the plain
    operation; erases `hlo.opt_barrier`, `hlo.domain`, `hlo.add_dependency` and custom calls that
    only annotate (`Sharding`, ...). Afterwards unreachable computations are gone.

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

def ExpandBoundedSizes : Pass<"expand-bounded-sizes", "::mlir::ModuleOp"> {
  let summary = "Turn arrays of bounded dynamic size into arrays of the bound and sizes";
  let description = [{
    A value with bounded dimensions becomes an array of the full bound and an s32 scalar, its size,
    for each of them, through loops and branches too. Elements past the sizes hold anything; they are
    hidden only where they would be seen:

    - contracted dimensions of dots and convolutions, and spatial ones: zero;
    - `hlo.reduce`: the element that changes nothing; reducers that have none get a mark beside each
      element that says whether it counts, as do comparators of `hlo.sort`;
    - windows: the initial value; `hlo.topk`: what comes last; `hlo.pad`: the padding;
    - `hlo.concatenate`: each operand is written where the one before ends, over what is past it;
    - indices of slices, gathers and scatters are clamped or dropped by sizes first;
    - `hlo.reshape` moves elements closer together unless only the first of the dimensions that it
      merges or splits has a size;
    - a greater size given by `hlo.set_dimension_size`, and a static result type: zero;
    - elementwise operations on two different sizes: one of 1 repeats;
    - collectives: sizes go with arrays that participants send each other. Along a dimension that has
      sizes, members tell each other theirs and exchange arrays of full parts, which then move closer
      together. What has to hold of sizes for the collective to mean anything is an `hlo.require`;
    - `hlo.host_transfer` becomes `hlo.sized_transfer`.

    `hlo.get_dimension_size` becomes the size; the custom calls `PadToStatic` and `SliceToDynamic`
    end here too. Sizes of bounded arguments and results of `@main` become s32 arguments and results
    after all others, which carry `hlo.size_of = array<i64: argument or result, dimension>`. Those of
    arguments are clamped to the bound. Operations without a rule are refused; afterwards no type has
    a bound.

    ```mlir
    func.func @main(%x: tensor<?xf32, #hlo.layout<[0] bounds = [4]>>) -> tensor<f32> {
      %0 = hlo.reduce %x, %zero {dimensions = array<i64: 0>, to_apply = @add} : ...
    ```
    becomes
    ```mlir
    func.func @main(%x: tensor<4xf32>, %n: tensor<i32> {hlo.size_of = array<i64: 0, 0>}) -> tensor<f32> {
      ... // %size = %n within 0 and 4, %neutral = -0.0
      %place = hlo.iota {iota_dimension = 0} : () -> tensor<4xi32>
      %inside = hlo.compare %place, %sizes {direction = LT} : ...
      %masked = hlo.select %inside, %x, %neutral : ...
      %0 = hlo.reduce %masked, %zero {dimensions = array<i64: 0>, to_apply = @add} : ...
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::scf::SCFDialect"];
}

def ExpandCollectives : Pass<"expand-collectives", "::mlir::ModuleOp"> {
  let summary = "Replace collectives by what they give to an only participant";
  let description = [{
    In modules for one replica and one partition: reductions, gathers and exchanges of a group of one
    give their operands; `hlo.collective_permute` gives zeros to who receives nothing, as does
    `hlo.collective_broadcast` outside the groups; `hlo.replica_id` and `hlo.partition_id` are 0.
    Collectives with groups that name others stay.

    ```mlir
    %0 = hlo.all_reduce %x {to_apply = @add} : (tensor<4xf32>) -> tensor<4xf32>
    ```
    becomes `%x`.
  }];
}

def MatchCollectives : Pass<"match-collectives", "::mlir::ModuleOp"> {
  let summary = "Prove that participants come to the same collectives in the same order";
  let description = [{
    All participants run one program, so collectives meet wherever control flow is the same for the
    members of each group. The pass follows which participants are sure to hold the same value:
    constants are the same everywhere; arguments, what the host feeds and parts that members receive
    differ; an all-reduce, an all-gather or a broadcast gives its group's members one value; the ids
    of participants and what is computed of them alone are known for each.

    A collective below a condition or a loop on which members of a group are known to disagree is an
    error, one on which they may disagree a warning; both name the two places.

    Of sends and receives between participants: for each channel and each pair, the target has to
    receive as often as the source sends, and arrays of the same types. Where both are straight-line
    code, under conditions on the participants' numbers at most, what does not match is an error;
    where it cannot be shown a warning.
  }];
}

def LowerCollectives : Pass<"lower-collectives", "::mlir::ModuleOp"> {
  let summary = "Turn collectives into the starts and dones that the runtime carries out";
  let description = [{
    Groups, whatever their mode, become lists of participants, source-target pairs likewise. The
    computation of a reduction becomes a kernel that folds a chunk of elements, one for each element
    type. Groups of more than two members fold bf16 as f32, and floats of eight bits or fewer as f16,
    so that only the result is rounded. Where the computation has loops or arrays, the operands of all
    members are gathered, or exchanged, and folded by each in a loop. Groups that name participants
    beyond the module's, and participants that no group has, are errors.

    ```mlir
    %0 = hlo.all_reduce %x {to_apply = @add} : (tensor<4xf32>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    %ticket, %r = hlo.collective_start all_reduce (%x) {combine = [@combine_add_f32], ...}
    %0 = hlo.collective_done %ticket(%r) keeps (%x) : ...
    hlo.kernel_function @combine_add_f32 loop ... // tensor<1024xf32> += tensor<1024xf32>
    ```
  }];
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

//===- Small core ----------------------------------------------------------===//

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

def ExpandOperations : Pass<"expand-operations", "::mlir::ModuleOp"> {
  let summary = "Rewrite rare operations into the core that fusion and codegen know";
  let description = [{
    - batch_norm_*: reductions and elementwise operations;
    - cholesky, triangular_solve: `scf.for` over rows, each step one product for the whole batch;
    - ragged_dot: `scf.for` over groups and `scf.while` over blocks of each group's rows (or of its
      part of the contracting dimension), which are dots of slices; only a group's last block is
      masked. Of many groups with a short part of the contracting dimension, the first blocks are one
      batch of dots, which writes each result once;
    - reduce, reduce_window, scatter, select_and_scatter and map whose computations have loops, effects or
      arrays: `scf.for` over what is folded. Each step applies the computation to all results together, an
      operation to arrays of a dimension more, a loop until it has ended for every element; what has no such
      form is done for one element after the other. A remark says so;
    - sort with such a comparator: a network, each stage of which compares all its pairs together;
    - rng_bit_generator (Threefry, Philox), rng: integer arithmetic;
    - scaled_dot, convolution with sparse operands: the plain product of operands computed where it
      reads them;
    - bitcast_convert between complex types: that of their parts;
    - scan, unless its computation is elementwise on slices of one shape: `scf.for` over slices;
    - topk, custom call TopK: sort and slice, unless it selects few of many;
    - custom call cpu_csr_sparse_dense_ffi, a sparse matrix times a dense one: gather and scatter;
    - reduce_window over all prefixes or suffixes of a dimension: an associative `hlo.scan`, whose
      computation is elementwise on slices, `(elements..., carries...) -> (carries'..., carries'...)`;
    - select_and_scatter: reduce_window of (value, position), then scatter;
    - clamp: maximum and minimum; scalar predicates of select: broadcast;
    - start indices of dynamic_slice and dynamic_update_slice: scalars.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def CanonicalizeConvolutions : Pass<"canonicalize-convolutions", "::mlir::func::FuncOp"> {
  let summary = "Bring convolutions to the form b01f_01io->b01f";
  let description = [{
    Operands and result are transposed, reversed kernels reversed, batch groups turned into feature
    groups, negative padding cropped. What reads one input position for each output is a dot.
    Remaining: strides, non-negative padding, both dilations, feature groups.
  }];
}

def CanonicalizeDots : Pass<"canonicalize-dots", "::mlir::ModuleOp"> {
  let summary = "Bring dots to at most one batch, row, column and contracting dimension";
  let description = [{
    The operands become `[B,M,K]` or `[B,K,M]`, and `[B,K,N]` or `[B,N,K]`, the result `[B,M,N]`, all
    without B if there is one matrix: dimensions of one kind that stand side by side are merged
    by a reshape, others transposed first; an operand whose fastest-varying dimension contracts keeps
    it last. Dots of one product for each element become products, to which 0 is added as to every
    sum; those of two vectors products and a reduction.
  }];
}

//===- Simplification ------------------------------------------------------===//

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

//===- From the core to kernels in memory ----------------------------------===//

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

def ChooseSchedules : Pass<"choose-schedules", "::mlir::func::FuncOp"> {
  let summary = "Choose how each kernel is done";
  let description = [{
    Sets `schedules` of every kernel: for each target of the module (`hlo.targets`) the strategy,
    tile, blocks and so on that take least time by the cost model (passes/schedule/Strategies.h). A
    kernel that has schedules keeps them, and the module's `hlo.schedules` are taken for the kernels
    that they name: both are checked first. What was tuned (`hlo.tuned_schedules`,
    passes/schedule/TunedSchedules.h) comes before the model's choice where it gives the same bits; a
    remark says where it does not, or no longer fits any kernel.

    ```mlir
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>} : ... {
    ```
    becomes
    ```mlir
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>,
        schedules = [#hlo.schedule<"dot.packed" tile = [6, 2] block = [192, 128, 256] lanes = 8>]} : ... {
    ```
  }];
  let options = [
    Option<"remarks", "remarks", "bool", "false", "Say what was chosen, what comes next, and their times">];
}

def OrderKernels : Pass<"order-kernels", "::mlir::func::FuncOp"> {
  let summary = "Order kernels for the least memory";
  let description = [{
    In every block: what only reads an array comes before the kernel that updates it in place; of
    the orders that operands and side effects allow the given one is kept, or that which always
    takes next what frees the most memory, whichever has the lower peak.
  }];
  let statistics = [Statistic<"moved", "moved", "Blocks whose order changed">];
}

def GroupKernels : Pass<"group-kernels", "::mlir::func::FuncOp"> {
  let summary = "Choose which kernels run tile by tile, one after the other";
  let description = [{
    A product whose result is reduced by rows and multiplied again (the weights of attention), and
    which is larger than a target's second cache, becomes a group with these two kernels: code
    generation runs all three for some rows at a time, where their buffers allow it, and the plan of
    memory keeps all that a group reads or writes from its first kernel to its last. `hlo.tile_groups`
    has for each target the number of a kernel's group, -1 for none.

    ```mlir
    %weights = hlo.kernel <dot> (%q, %k) ...
    %sums:2 = hlo.kernel <reduce> (%weights) ...
    ```
    becomes
    ```mlir
    %weights = hlo.kernel <dot> (%q, %k) {hlo.tile_groups = array<i64: 0>, ...} ...
    %sums:2 = hlo.kernel <reduce> (%weights) {hlo.tile_groups = array<i64: 0>, ...} ...
    ```
  }];
  let statistics = [Statistic<"groups", "groups", "Groups of kernels">];
}

def OverlapCollectives : Pass<"overlap-collectives", "::mlir::func::FuncOp"> {
  let summary = "Let kernels run while collectives and asynchronous computations are under way";
  let description = [{
    In every block with collectives or `hlo.async_launch`: starts come as soon as their operands are
    there, in their own order, which is that in which participants meet; dones come once kernels that
    take about as long as the collective have run since its start, or when nothing else is left that
    does not wait for results. `hlo.async_wait` comes when nothing else is left, or something with
    effects has to follow it. In a block with sends or receives between participants no done comes
    before what leads to a start that does not need it, for which another participant may wait. Other
    operations keep their order as far as that allows, and what reads an array stays before the kernel
    that updates it in place.

    ```mlir
    %ticket, %r = hlo.collective_start all_reduce (%x) ...
    %y = hlo.collective_done %ticket(%r) keeps (%x) ...
    %z = hlo.kernel reduce (%w) ...
    ```
    becomes
    ```mlir
    %ticket, %r = hlo.collective_start all_reduce (%x) ...
    %z = hlo.kernel reduce (%w) ...
    %y = hlo.collective_done %ticket(%r) keeps (%x) ...
    ```
  }];
}

def RefuseDeadlocks : Pass<"refuse-deadlocks", "::mlir::func::FuncOp"> {
  let summary = "Refuse programs whose participants wait for each other for ever";
  let description = [{
    Follows starts and dones of all participants in the order in which they will run, as far as that
    is known. A start waits for nobody; a done waits until all members have come to the same meeting;
    a send's done only if the runtime keeps 64 others for the same receiver. If some then wait in a
    ring, it is an error that names the places and the participants.

    Where data decide in a loop or a branch what comes next, each body and each branch is looked at by
    itself. A ring in it is a warning that names the loop or the branch, too, or an error if there is one
    whichever branch is taken. What comes after is followed if whoever meets in it
    is sure to decide alike, comes to it after the same meetings, and leaves it so: how often it
    runs makes no difference then. That participants which are within it meet others before or after it
    is a warning; that they may not decide alike is one of `match-collectives`.

    What is started earlier (`overlap-collectives`) may meet where the text's order would not: -O0
    keeps that order, and refuses more.

    ```mlir
    // On participants 0 and 1, each of which sends to the other:
    %ticket, %r = hlo.collective_start peer_recv () {pairs = [0, 1, 1, 0], ...}
    %y = hlo.collective_done %ticket(%r) ... // waits for a send that comes after it
    %sent = hlo.collective_start peer_send (%y) {pairs = [0, 1, 1, 0], ...}
    ```
  }];
}

def DoubleBufferLoopState : Pass<"double-buffer-loop-state", "::mlir::func::FuncOp"> {
  let summary = "Unroll loops so that two buffers take turns as their state";
  let description = [{
    A loop whose body makes a new array from neighbours in the old one cannot update it in place, and
    would copy the new one over the old one at the end of each iteration. Where buffers would be
    assigned so, for arrays of more than 256 bytes, the loop does two iterations in one (up to four
    where old state is handed on), and every second one writes where the first has read. The second
    iteration of an `scf.while` depends on its condition.

    ```mlir
    %r = scf.for %i = %c0 to %c100 step %c1 iter_args(%a = %x) {
      %b = hlo.kernel loop(%a) ...
      scf.yield %b
    }
    ```
    becomes
    ```mlir
    %r = scf.for %i = %c0 to %c100 step %c2 iter_args(%a = %x) {
      %b = hlo.kernel loop(%a) ...
      %c = hlo.kernel loop(%b) ...
      scf.yield %c
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"unrolled", "unrolled", "Loops that were unrolled">];
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

def PackOperands : Pass<"pack-operands", "::mlir::func::FuncOp"> {
  let summary = "Pack operands of dots into panels by kernels of their own";
  let description = [{
    A dot whose schedule says `packed_right` reads its right operand in panels as wide as its register
    tile, [batch][block of the depth][panel][k][column]. A kernel before it makes them, with all that
    the operand is computed from; the dot's kernel takes the operand from the panels, which its code
    reads as they lie. Panels of a constant are packed here, and the constant is left out if nothing
    else reads it; those that a loop does not change are packed before the loop; dots that read the
    same panels share them. What an object for several targets computes is the same for all of them:
    such a one packs nothing.

    ```mlir
    %r = hlo.kernel <dot> (%a, %b) {schedules = [#hlo.schedule<"dot.packed" ... with = ["packed_right"]>], ...}
    ```
    becomes
    ```mlir
    %panels = hlo.kernel <loop> (%b) : (tensor<1024x1024xf32>) -> tensor<1x4x64x256x16xf32> ...
    %r = hlo.kernel <dot> (%a, %panels) ...
    ```
  }];
  let statistics = [Statistic<"packed", "packed", "Operands packed beforehand">];
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
    multiples of 64, or in the memory of a result that holds nothing else yet (a `memref.view` of its
    bytes). So does the scratch memory that a kernel's schedules ask for, which lives as long as its
    launch: the plan is all that a call needs. A result that may alias an argument of as many bytes (`hlo.aliases`) holds that argument
    from the start, whatever their element types; the `memref.copy` marked `hlo.unless_same` does so if the host passes different
    memory.

    Attributes of main for reports: `hlo.arena_bytes`; `hlo.arena_bound`, the most bytes live at
    once; `hlo.bytes_in_results` of temporaries; `hlo.arena_buffers`, one [offset, bytes, begin, end] for each buffer, and `hlo.arena_names`,
    the instruction that first writes each, or whose scratch memory it is; `hlo.arena_positions` of the
    launches in order, numbers like begin and end.

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

def CheckBuffers : Pass<"check-buffers", "::mlir::ModuleOp"> {
  let summary = "Check that every read finds the value that was meant";
  let description = [{
    Follows the program of `assign-buffers` and the contents of all memory through it, loops until
    nothing changes. It uses the numbers that stand on the operations for the values that they read
    and write (`hlo.reads`, `hlo.writes`, and `hlo.becomes` where a value takes another's name), not
    the plan. A result that may alias an argument (`hlo.aliases`) is taken for memory of its own first,
    then for the argument's. Errors: a read of memory that does not hold the value, an output that overlaps
    an input in whose memory it may not lie, or another output; scratch memory that is too small or
    overlaps either.
  }];
}

#endif
