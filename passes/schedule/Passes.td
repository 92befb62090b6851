// SPDX-License-Identifier: Apache-2.0
// The manual of the passes of this folder.

#ifndef HLOC_PASSES_SCHEDULE_PASSES
#define HLOC_PASSES_SCHEDULE_PASSES

include "mlir/Pass/PassBase.td"

//===- How kernels are done ------------------------------------------------===//

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
    takes next what frees the most memory, or that which finishes what an operation waits for before
    it begins anything else, whichever has the lowest peak.
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

#endif // HLOC_PASSES_SCHEDULE_PASSES
