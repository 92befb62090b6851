// SPDX-License-Identifier: Apache-2.0
// The manual of the passes of this folder.

#ifndef HLOC_PASSES_SCHEDULE_PASSES
#define HLOC_PASSES_SCHEDULE_PASSES

include "mlir/Pass/PassBase.td"

//===- Schedules of kernels ------------------------------------------------===//

def ChooseSchedules : Pass<"choose-schedules", "::mlir::func::FuncOp"> {
  let summary = "Choose a schedule for each kernel";
  let description = [{
    Sets `schedules` of every kernel: for each target of the module (`hlo.targets`), the strategy,
    tile, blocks and so on that the cost model predicts to be fastest (passes/schedule/Strategies.h).
    A kernel that already has schedules keeps them, and a kernel that the module's `hlo.schedules`
    name gets the schedule written there; both are checked. A tuned schedule (`hlo.tuned_schedules`,
    passes/schedule/TunedSchedules.h) is preferred to the model's choice if it gives the same bits. A
    remark names tuned schedules that do not, or that no longer match any kernel.

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
    Option<"remarks", "remarks", "bool", "false", "Emit a remark with the schedule chosen, the best of any other strategy, and their predicted times">];
}

def OrderKernels : Pass<"order-kernels", "::mlir::func::FuncOp"> {
  let summary = "Order kernels to reduce peak memory";
  let description = [{
    Reorders the operations of each block as dependences and side effects allow. Readers of an array
    come before the kernel that updates it in place. Otherwise the pass keeps the given order, or
    takes a greedy one that always picks the operation that frees the most memory, or a depth-first
    one that finishes the predecessors of an operation before it begins anything else: whichever has
    the lowest peak.
  }];
  let statistics = [Statistic<"moved", "moved", "Blocks whose order changed">];
}

def GroupKernels : Pass<"group-kernels", "::mlir::func::FuncOp"> {
  let summary = "Choose which kernels run tile by tile as a group";
  let description = [{
    A dot whose result is reduced along its rows and then multiplied again (the weights of attention)
    forms a group with these two kernels if its result is larger than L2. Code generation runs all
    three for a few rows at a time where their buffers allow it, and buffer assignment keeps
    everything that the group reads or writes alive from its first kernel to its last.
    `hlo.tile_groups` is the number of a kernel's group for each target, -1 for none.

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
  let summary = "Overlap collectives and asynchronous computations with kernels";
  let description = [{
    Reorders each block with collectives or `hlo.async_launch`:

    - A start comes as soon as its operands are computed. Starts keep their order, because
      participants meet in that order.
    - A done comes once kernels with the predicted time of the collective have run since its start,
      or when everything else depends on a done.
    - `hlo.async_wait` comes when everything else depends on it, or before the next operation with
      side effects that follows it.
    - In a block with sends or receives between participants, no done comes before an operation that
      leads to a start and does not depend on the done: another participant may wait for that start.
    - Other operations keep their order as far as possible, and readers of an array stay before the
      kernel that updates it in place.

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

def CheckBf16Dots : Pass<"check-bf16-dots", "::mlir::ModuleOp"> {
  let summary = "Let dots of bf16 use the processor's instructions where no number is subnormal";
  let description = [{
    Does nothing unless the target has products of bf16, which treat subnormal numbers as zero, and
    the option `--bf16-dot` is `checked`. If the cost model says that it is worth it, a kernel with a
    dot of bf16 becomes two: one with native products, whose dot is marked `hlo.no_subnormals`, and
    one with exact products, marked `hlo.fallback`. The program runs the first if the magnitudes of
    the factors show that no product or sum is subnormal or overflows when the left factor is scaled
    by a power of two. The range of a factor is found once for all dots that read it, before the
    loops in which it does not change, and when compiling if it is a constant.

    ```mlir
    %r = hlo.kernel <dot> (%a, %b) ... {
    ```
    becomes
    ```mlir
    %x:2 = hlo.kernel <reduce> (%a) ... : (tensor<512x512xbf16>) -> (tensor<ui16>, tensor<ui16>)
    %y:2 = hlo.kernel <reduce> (%b) ...
    %check:3 = hlo.kernel <loop> (%x#0, %x#1, %y#0, %y#1) ... -> (tensor<i1>, tensor<f32>, tensor<f32>)
    %is_normal = tensor.extract %check#0[]
    %r = scf.if %is_normal {
      %0 = hlo.kernel <dot> (%a, %b, %check#1, %check#2) ... { ... {hlo.no_subnormals} ... }
      scf.yield %0
    } else {
      %0 = hlo.kernel <dot> (%a, %b) {hlo.fallback} ...
      scf.yield %0
    }
    ```
  }];
  let statistics = [Statistic<"checked", "checked", "Kernels with native products after a check">];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def PackOperands : Pass<"pack-operands", "::mlir::func::FuncOp"> {
  let summary = "Pack operands of dots into panels in separate kernels";
  let description = [{
    A dot whose schedule has `packed_right` reads its right operand from panels as wide as its
    register tile: [batch][block of the depth][panel][k][column]. This pass makes a kernel before the
    dot that computes the operand and packs it. The dot's kernel then computes the operand from the
    panels by operations that only move data, which code generation recognizes and replaces by reading
    the panels directly. Panels of a constant are packed at compile time, and the constant is removed
    if nothing else reads it. Panels of loop-invariant operands are packed before the loop. Dots that
    read the same panels share them. Nothing is packed for an object with several targets, as all of
    them share the same values.

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

#endif // HLOC_PASSES_SCHEDULE_PASSES
