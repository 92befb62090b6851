// SPDX-License-Identifier: Apache-2.0
// Rows of a gather and of a copy are written to a buffer, since a concatenation is not tiled with
// its users; its padding and what follows is one loop over rows.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @schedule(%root: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["func.func"]} in %root
      : (!transform.any_op) -> !transform.any_op
    %g = transform.structured.match ops{["linalg.generic"]} in %root
      : (!transform.any_op) -> !transform.any_op
    %taken, %relu = transform.split_handle %g
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %trow, %tl = transform.structured.tile_using_for %taken tile_sizes [1, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %trow {vectorize_nd_extract} : !transform.any_op
    %copy = transform.structured.match ops{["linalg.copy"]} in %root
      : (!transform.any_op) -> !transform.any_op
    %crow, %cl = transform.structured.tile_using_for %copy tile_sizes [1, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %crow : !transform.any_op
    %rrow, %rl = transform.structured.fuse %relu tile_sizes [1, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %rrow vector_sizes [1, 112] : !transform.any_op
    %pad = transform.structured.match ops{["tensor.pad"]} in %f
      : (!transform.any_op) -> !transform.any_op
    %inserted = transform.structured.rewrite_in_destination_passing_style %pad
      : (!transform.any_op) -> !transform.any_op
    %fill = transform.structured.match ops{["linalg.fill"]} in %f
      : (!transform.any_op) -> !transform.any_op
    transform.structured.vectorize %fill : !transform.any_op
    transform.apply_patterns to %f {
      transform.apply_patterns.canonicalization
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      transform.apply_patterns.tensor.fold_tensor_empty
      transform.apply_patterns.vector.lower_masked_transfers
    } : !transform.any_op
    transform.yield
  }
}
