// SPDX-License-Identifier: Apache-2.0
// Elementwise with a transposed operand: squares of 16x16, transposed in registers, in blocks of 64x64.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @schedule(%root: !transform.any_op {transform.readonly}) {
    %g = transform.structured.match ops{["linalg.generic"]} in %root
      : (!transform.any_op) -> !transform.any_op
    %b, %l:2 = transform.structured.tile_using_for %g tile_sizes [64, 64]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %t, %m:2 = transform.structured.tile_using_for %b tile_sizes [16, 16]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.structured.vectorize %t : !transform.any_op
    transform.yield
  }
}
