// SPDX-License-Identifier: Apache-2.0
// The manual of the passes of this folder.

#ifndef HLOC_PASSES_MEMORY_PASSES
#define HLOC_PASSES_MEMORY_PASSES

include "mlir/Pass/PassBase.td"

//===- Memory --------------------------------------------------------------===//

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

def RestrictCalls : Pass<"restrict-calls", "::mlir::ModuleOp"> {
  let summary = "Say which calls the target's promises exclude";
  let description = [{
    Where results are to have the same bits on all processors, calls of functions that choose their
    instructions when they run get a warning: Fourier transforms of the runtime, and custom calls, of which
    the compiler knows nothing.

    ```
      model.hlo:7:3: warning: the bits of this Fourier transform may differ from processor to processor
    ```
  }];
}

#endif // HLOC_PASSES_MEMORY_PASSES
