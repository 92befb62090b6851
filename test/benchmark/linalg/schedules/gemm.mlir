// SPDX-License-Identifier: Apache-2.0
// Matrix product: a panel of the right operand, 256 x 32, is packed and stays in L1 while tiles of
// 8 x 32 of the result, in registers, iterate over the rows of the left one.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @schedule(%root: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["func.func"]} in %root
      : (!transform.any_op) -> !transform.any_op
    %m = transform.structured.match ops{["linalg.matmul"]} in %root
      : (!transform.any_op) -> !transform.any_op
    // k, n, then m: the panel is of two loops.
    %panel, %l:2 = transform.structured.tile_using_for %m tile_sizes [0, 32, 256] interchange = [2, 1, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %padded, %pad, %copy = transform.structured.pad %panel {
        padding_values = [0.0 : f32, 0.0 : f32, 0.0 : f32], padding_dimensions = [1, 2],
        nofold_flags = [0, 1, 0], copy_back_op = "none"}
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %tile, %r = transform.structured.tile_using_for %padded tile_sizes [8, 0, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %step, %k = transform.structured.tile_using_for %tile tile_sizes [0, 0, 1]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %step {create_named_contraction} : !transform.any_op
    %row, %rows = transform.structured.tile_using_for %pad tile_sizes [4, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %row vector_sizes [4, 32] : !transform.any_op
    %fill = transform.structured.match ops{["linalg.fill"]} in %root
      : (!transform.any_op) -> !transform.any_op
    %frow, %frows:2 = transform.structured.tile_using_for %fill tile_sizes [1, 128]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.structured.vectorize %frow : !transform.any_op
    transform.apply_patterns to %f {
      transform.apply_patterns.canonicalization
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      transform.apply_patterns.vector.reduction_to_contract
    } : !transform.any_op
    %loops = transform.structured.match ops{["scf.for"]} in %f
      : (!transform.any_op) -> !transform.any_op
    transform.loop.hoist_loop_invariant_subsets %loops : !transform.any_op
    transform.yield
  }
}
