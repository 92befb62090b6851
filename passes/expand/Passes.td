// SPDX-License-Identifier: Apache-2.0
// The manual of the passes of this folder.

#ifndef HLOC_PASSES_EXPAND_PASSES
#define HLOC_PASSES_EXPAND_PASSES

include "mlir/Pass/PassBase.td"

//===- Small core ----------------------------------------------------------===//

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

def ExpandOperations : Pass<"expand-operations", "::mlir::ModuleOp"> {
  let summary = "Rewrite rare operations into the core that fusion and codegen know";
  let description = [{
    - batch_norm_*: reductions and elementwise operations;
    - cholesky, triangular_solve: `scf.for` over rows, each step one product for the whole batch; LAPACK's
      custom calls for these too, where matrices are small;
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

#endif // HLOC_PASSES_EXPAND_PASSES
