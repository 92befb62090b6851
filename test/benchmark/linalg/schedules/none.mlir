// SPDX-License-Identifier: Apache-2.0
// For programs that are empty, and for those that become scalar loops, which LLVM vectorizes if it can.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @schedule(%root: !transform.any_op {transform.readonly}) {
    transform.yield
  }
}
