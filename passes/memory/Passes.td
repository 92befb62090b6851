// SPDX-License-Identifier: Apache-2.0
// The manual of the passes of this folder.

#ifndef HLOC_PASSES_MEMORY_PASSES
#define HLOC_PASSES_MEMORY_PASSES

include "mlir/Pass/PassBase.td"

//===- Memory --------------------------------------------------------------===//

def DoubleBufferLoopState : Pass<"double-buffer-loop-state", "::mlir::func::FuncOp"> {
  let summary = "Unroll loops so that two buffers alternate as their state";
  let description = [{
    A loop whose body computes a new array from several elements of the old one, as a stencil does,
    cannot update it in place, and would copy the new array over the old one at the end of each
    iteration. If buffer assignment would do so for an array of more than 256 bytes, this pass unrolls
    the loop by two (by up to four if old states are passed on), so that the second iteration writes
    where the first one has read. The second iteration of an `scf.while` is guarded by its condition.

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

def AssignBuffers : Pass<"assign-buffers", "::mlir::ModuleOp"> {
  let summary = "Assign memory to every array";
  let description = [{
    `func.func @main` on tensors becomes a function on memrefs: its arguments, then its results
    (`hlo.results` of them), then the arena, as bytes. Kernels become `hlo.kernel_function`s, where
    equal kernels share one, and are run by `hlo.launch`; operations of the runtime become
    `hlo.runtime_call`. Loops and branches no longer carry values: these are buffers, updated in place.
    A `memref.copy` remains only where two values that are live at the same time cannot share one.

    Arrays are in the memory of results where possible. Otherwise:

    - arrays of up to 256 bytes are local variables (`memref.alloca`);
    - constants are `memref.global`s;
    - all others are in the arena, at offsets that are multiples of 64, or in the memory of a result
      that does not hold anything else yet (as a `memref.view` of its bytes).

    The scratch memory that a kernel's schedules ask for is treated alike; it is live during its
    launch. So a call needs no memory except what is planned here.

    A result that may alias an argument with the same number of bytes (`hlo.aliases`) holds that
    argument from the start, whatever their element types. If the host passes different memory for the
    two, the `memref.copy` marked `hlo.unless_same` copies the argument.

    Main gets these attributes for reports: `hlo.arena_bytes`; `hlo.arena_bound`, the most bytes that
    are live at once; `hlo.bytes_in_results`, those of temporaries in results; `hlo.arena_buffers`, an
    [offset, bytes, begin, end] for each buffer; `hlo.arena_names`, the instruction that first writes
    each buffer or whose scratch memory it is; `hlo.arena_positions` of the launches in order, on the
    same scale as begin and end.

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
  let summary = "Check that every read finds the intended value in memory";
  let description = [{
    Interprets the program that `assign-buffers` made, and tracks which value each part of memory
    holds; loops are repeated until nothing changes. Values are identified by the numbers that
    `assign-buffers` attaches to operations (`hlo.reads`, `hlo.writes`, and `hlo.becomes` where a value
    is renamed), not by the plan. Programs with aliases (`hlo.aliases`) are checked twice: with results
    in memory of their own, and in that of the arguments.

    Errors are: a read of memory that does not hold the value; an output that overlaps another output,
    or an input whose memory it may not reuse; scratch memory that is too small or overlaps either.
  }];
}

def RestrictCalls : Pass<"restrict-calls", "::mlir::ModuleOp"> {
  let summary = "Refuse calls that the target cannot make, and warn of those that break its guarantees";
  let description = [{
    Freestanding code (`--freestanding`) has no host that provides a runtime: calls that need one are
    errors. If results must have the same bits on all processors, calls of functions that choose their
    instructions at run time get a warning: Fourier transforms of the runtime, and custom calls, which
    the compiler cannot know.

    ```
      model.hlo:7:3: warning: the bits of this Fourier transform may differ from processor to processor
    ```
  }];
}

#endif // HLOC_PASSES_MEMORY_PASSES
