// SPDX-License-Identifier: Apache-2.0
// The manual of the passes of this folder.

#ifndef HLOC_PASSES_PREPARE_PASSES
#define HLOC_PASSES_PREPARE_PASSES

include "mlir/Pass/PassBase.td"

//===- Parameters that stay the same ---------------------------------------===//

def SplitPreparation : Pass<"split-preparation", "::mlir::ModuleOp"> {
  let summary = "Begin a function that prepares parameters which stay the same";
  let description = [{
    If arguments of `main` are marked `hlo.prepare`, the module gets a function `main.prepare` of
    the same arguments. It does nothing yet: `hold-prepared` and `hold-panels` fill it.
  }];
}

def HoldPrepared : Pass<"hold-prepared", "::mlir::ModuleOp"> {
  let summary = "Compute once what is made of parameters that stay the same";
  let description = [{
    What `main` makes of arguments marked `hlo.prepare` alone moves to `main.prepare`, where holding it
    costs fewest bytes, as `fold-weights` says of constants. Beside elementwise operations and data
    movement that can be products, reductions and all else that is pure; not control flow,
    collectives and calls of the host. A value that is held is a result of `main.prepare` and an
    argument of `main`, marked `hlo.prepared`.

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
    Kernels of `pack-operands` that read nothing but prepared arrays and constants move to
    `main.prepare`; `main` takes the panels as arguments.
  }];
  let statistics = [Statistic<"held", "held", "Arrays of panels that are held">];
}

def PlacePrepared : Pass<"place-prepared", "::mlir::ModuleOp"> {
  let summary = "Give what is prepared its places in one block of memory";
  let description = [{
    The results of `main.prepare` become views of one result, and main's arguments that they are
    views of one argument behind the parameters. The block begins with 64 bytes for its tag, by
    which a run knows it (codegen/program/EntryFunction.h); each array lies at a multiple of 64. The
    module's `hlo.prepared_block` has the block's size, the tag, and for each parameter whether runs
    read it (1), the preparation does (2), and it stays the same (4).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

#endif // HLOC_PASSES_PREPARE_PASSES
