// SPDX-License-Identifier: Apache-2.0
// Matrix product of odd sizes: the last column is separate; the others are in tiles of 5 x 64,
// which divide 255 x 128, with packed panels of the right operand.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @schedule(%root: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["func.func"]} in %root
      : (!transform.any_op) -> !transform.any_op
    %m = transform.structured.match ops{["linalg.matmul"]} in %root
      : (!transform.any_op) -> !transform.any_op
    %both = transform.structured.split %m after 128 {dimension = 1}
      : !transform.any_op
    %main, %last = transform.split_handle %both
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %columns, %l = transform.structured.tile_using_for %main tile_sizes [0, 64, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %padded, %pad, %copy = transform.structured.pad %columns {
        padding_values = [0.0 : f32, 0.0 : f32, 0.0 : f32], padding_dimensions = [1],
        nofold_flags = [0, 1, 0], copy_back_op = "none"}
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %tile, %r = transform.structured.tile_using_for %padded tile_sizes [5, 0, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %step, %k = transform.structured.tile_using_for %tile tile_sizes [0, 0, 1]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %step {create_named_contraction} : !transform.any_op
    %row, %rows = transform.structured.tile_using_for %pad tile_sizes [1, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %row vector_sizes [1, 64] : !transform.any_op
    %ltile, %ll = transform.structured.tile_using_for %last tile_sizes [15, 0, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %lstep, %lk = transform.structured.tile_using_for %ltile tile_sizes [0, 0, 1]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %lstep {create_named_contraction} : !transform.any_op
    %fill = transform.structured.match ops{["linalg.fill"]} in %root
      : (!transform.any_op) -> !transform.any_op
    %frow, %frows:2 = transform.structured.tile_using_for %fill tile_sizes [1, 129]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.structured.vectorize %frow : !transform.any_op
    transform.apply_patterns to %f {
      transform.apply_patterns.canonicalization
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
    } : !transform.any_op
    %loops = transform.structured.match ops{["scf.for"]} in %f
      : (!transform.any_op) -> !transform.any_op
    transform.loop.hoist_loop_invariant_subsets %loops : !transform.any_op
    transform.yield
  }
}
