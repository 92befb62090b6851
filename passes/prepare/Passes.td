// SPDX-License-Identifier: Apache-2.0
// The manual of the passes of this folder.

#ifndef HLOC_PASSES_PREPARE_PASSES
#define HLOC_PASSES_PREPARE_PASSES

include "mlir/Pass/PassBase.td"

//===- Parameters that stay the same ---------------------------------------===//

def SplitPreparation : Pass<"split-preparation", "::mlir::ModuleOp"> {
  let summary = "Begin a function that prepares parameters which stay the same";
  let description = [{
    If arguments of `main` are marked `hlo.prepare`, a function `main.prepare` with the same arguments
    is added to the module. Its body is empty: `hold-prepared` and `hold-panels` move operations to it.
  }];
}

def HoldPrepared : Pass<"hold-prepared", "::mlir::ModuleOp"> {
  let summary = "Compute once what is made of parameters that stay the same";
  let description = [{
    Operations of `main` that depend only on arguments marked `hlo.prepare` move to `main.prepare` where
    that costs the fewest bytes, counted as in `fold-weights`. Besides elementwise operations and data
    movement, products, reductions and all other pure operations can move, but not control flow,
    collectives and calls of the host. A value that `main` reads from `main.prepare` is a result of
    `main.prepare` and an argument of `main` that is marked `hlo.prepared`.

    ```mlir
    func.func @main(%x: tensor<64xbf16>, %w: tensor<64x64xf32> {hlo.prepare}) ... {
      %c = hlo.convert %w : (tensor<64x64xf32>) -> tensor<64x64xbf16>
    ```
    becomes
    ```mlir
    func.func @main(%x: tensor<64xbf16>, %w: tensor<64x64xf32> {hlo.prepare},
                    %c: tensor<64x64xbf16> {hlo.prepared}) ...
    func.func @main.prepare(%x: tensor<64xbf16>, %w: tensor<64x64xf32>) -> tensor<64x64xbf16> {
      %c = hlo.convert %w : (tensor<64x64xf32>) -> tensor<64x64xbf16>
    ```
  }];
  let statistics = [Statistic<"held", "held", "Values that are held">];
}

def HoldPanels : Pass<"hold-panels", "::mlir::ModuleOp"> {
  let summary = "Pack once what is made of parameters that stay the same";
  let description = [{
    Kernels of `pack-operands`, and those of `check-bf16-dots` that find the range of a factor, move to
    `main.prepare` if they read only prepared arrays and constants; `main` gets their results as
    arguments.
  }];
  let statistics = [Statistic<"held", "held", "Kernels that moved">];
}

def PlacePrepared : Pass<"place-prepared", "::mlir::ModuleOp"> {
  let summary = "Give what is prepared its places in one block of memory";
  let description = [{
    The results of `main.prepare` become views of a single result, the block, and the corresponding
    arguments of `main` become views of a single argument after the parameters. The block begins with
    64 bytes for its tag, which each run checks (codegen/program/EntryFunction.h); the offset of each
    array is a multiple of 64. The module's attribute `hlo.prepared_block` contains the block's size, the
    tag, and for each parameter the sum of 1 if runs read it, 2 if the preparation reads it, and 4 if it
    stays the same.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

#endif // HLOC_PASSES_PREPARE_PASSES
