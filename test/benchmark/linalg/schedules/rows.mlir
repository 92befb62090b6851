// SPDX-License-Identifier: Apache-2.0
// One row at a time, with all of its passes: reductions with 128 partial results, elementwise ones by 64.
#parallel = #linalg.iterator_type<parallel>
#reduction = #linalg.iterator_type<reduction>
module attributes {transform.with_named_sequence} {
  transform.named_sequence @schedule(%root: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["func.func"]} in %root
      : (!transform.any_op) -> !transform.any_op
    %return = transform.structured.match ops{["func.return"]} in %root
      : (!transform.any_op) -> !transform.any_op
    %last = transform.get_producer_of_operand %return[0]
      : (!transform.any_op) -> !transform.any_op
    %fused, %rows = transform.structured.fuse %last tile_sizes [1, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // Fusion makes a producer once for each of its users.
    transform.apply_patterns to %f {
      transform.apply_patterns.canonicalization
      transform.apply_patterns.linalg.tiling_canonicalization
    } : !transform.any_op
    transform.apply_cse to %f : !transform.any_op

    %e = transform.structured.match attributes {iterator_types = [#parallel, #parallel]} in %f
      : (!transform.any_op) -> !transform.any_op
    %step, %l = transform.structured.tile_using_for %e tile_sizes [0, 64]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %step : !transform.any_op
    %r = transform.structured.match attributes {iterator_types = [#parallel, #reduction]} in %f
      : (!transform.any_op) -> !transform.any_op
    transform.foreach %r : !transform.any_op {
    ^bb0(%one: !transform.any_op):
      %fill, %partial, %combine, %loop = transform.structured.tile_reduction_using_for %one
          by tile_sizes = [0, 128]
        : (!transform.any_op)
        -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
      transform.structured.vectorize %partial : !transform.any_op
      transform.structured.vectorize %combine : !transform.any_op
    }
    %fills = transform.structured.match ops{["linalg.fill"]} in %f
      : (!transform.any_op) -> !transform.any_op
    transform.structured.vectorize %fills : !transform.any_op
    transform.apply_patterns to %f {
      transform.apply_patterns.canonicalization
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      transform.apply_patterns.tensor.fold_tensor_empty
    } : !transform.any_op
    transform.yield
  }
}
