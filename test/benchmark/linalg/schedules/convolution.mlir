// SPDX-License-Identifier: Apache-2.0
// Seven pixels of a row by 64 channels of the result in registers; no buffer of patches.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @schedule(%root: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["func.func"]} in %root
      : (!transform.any_op) -> !transform.any_op
    %conv = transform.structured.match ops{["linalg.conv_2d_nhwc_hwcf"]} in %root
      : (!transform.any_op) -> !transform.any_op
    %tile, %l:2 = transform.structured.fuse %conv tile_sizes [0, 1, 7, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %step, %r:3 = transform.structured.tile_using_for %tile tile_sizes [0, 0, 0, 0, 1, 1, 1]
      : (!transform.any_op)
      -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    %one = transform.structured.decompose %step : (!transform.any_op) -> !transform.any_op
    transform.structured.vectorize %one : !transform.any_op
    %fill = transform.structured.match ops{["linalg.fill"]} in %f
      : (!transform.any_op) -> !transform.any_op
    transform.structured.vectorize %fill : !transform.any_op
    transform.apply_patterns to %f {
      transform.apply_patterns.canonicalization
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      transform.apply_patterns.vector.cast_away_vector_leading_one_dim
    } : !transform.any_op
    transform.yield
  }
}
