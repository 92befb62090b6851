// SPDX-License-Identifier: Apache-2.0
// The manual of the passes of this folder.

#ifndef HLOC_PASSES_EXPAND_PASSES
#define HLOC_PASSES_EXPAND_PASSES

include "mlir/Pass/PassBase.td"

//===- Small core ----------------------------------------------------------===//

def ExpandCollectives : Pass<"expand-collectives", "::mlir::ModuleOp"> {
  let summary = "Replace collectives of a single participant by their results";
  let description = [{
    In modules for one replica and one partition, reductions, gathers and exchanges in a group of one
    return their operands. `hlo.collective_permute` returns zeros if the participant receives nothing,
    and `hlo.collective_broadcast` if it is in no group. `hlo.replica_id` and `hlo.partition_id` are 0.
    Collectives whose groups name other participants are kept.

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
    - cholesky, triangular_solve: `scf.for` over rows, where each step is one product for the whole
      batch; likewise LAPACK's custom calls for these, if matrices are small;
    - ragged_dot: `scf.for` over groups and `scf.while` over blocks of each group's rows (or of its
      part of the contracting dimension), which are dots of slices; only a group's last block is
      masked. If there are many groups with a short part of the contracting dimension, their first
      blocks are one batched dot, which writes each result once;
    - reduce, reduce_window, scatter, select_and_scatter and map with computations that have loops,
      effects or arrays: `scf.for` over what is folded. Each step applies the computation to all results
      at once: operations get an additional dimension, and loops run until they have ended for every
      element. Where that is impossible, elements are processed one after the other. A remark reports
      the loop;
    - reduce to the maximum or minimum of f16 or bf16 that are not computed: of integers whose order is
      that of the floats;
    - sort with such a comparator: a sorting network, each stage of which compares all its pairs at once;
    - rng_bit_generator (Threefry, Philox), rng: integer arithmetic;
    - scaled_dot, convolution with sparse operands: the product of the dense, unscaled operands, which
      are computed where they are read;
    - bitcast_convert between complex types: bitcast_convert of their parts;
    - scan, unless its computation is elementwise on slices of one shape: `scf.for` over slices;
    - topk, custom call TopK: sort and slice, unless it selects few of many elements;
    - custom call cpu_csr_sparse_dense_ffi (a sparse matrix times a dense one): gather and scatter;
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
  let summary = "Bring convolutions to the form b01f_01io->b01f, or turn them into dots";
  let description = [{
    Operands and result are transposed, window reversal is applied to the filter, batch groups become
    feature groups, and negative padding becomes cropping. Strides, non-negative padding, both dilations
    and feature groups remain.

    A convolution becomes a dot if, in each spatial dimension, its windows do not overlap, or the taps
    of all results do not, or the input is dilated: pointwise convolutions, patches, their gradients,
    transposed convolutions. Where the dot would need a copy of the input or sums of several terms, it
    depends on the number of features and on the target's L1.
  }];
}

def CanonicalizeDots : Pass<"canonicalize-dots", "::mlir::ModuleOp"> {
  let summary = "Bring dots to at most one batch, row, column and contracting dimension";
  let description = [{
    The operands become `[B,M,K]` or `[B,K,M]`, and `[B,K,N]` or `[B,N,K]`; the result becomes
    `[B,M,N]`; all without B if there is one matrix. Adjacent dimensions of one kind are merged by a
    reshape; others are transposed first. If an operand's minor dimension is contracting, it stays last.
    A dot with a single product per element becomes a multiplication, plus 0 as in every sum; a dot of
    two vectors becomes a multiplication and a reduction. So does a dot of a vector and a matrix for
    each batch if the matrix's minor dimension is the batch, because lanes then lie across batches.
  }];
}

#endif // HLOC_PASSES_EXPAND_PASSES
