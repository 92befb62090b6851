// RUN: hlo-opt --remove-dead-loop-state --split-input-file %s | FileCheck %s

// Values that a loop carries only for themselves; in both kinds of loop, one inside of the other.
// CHECK-LABEL: func.func @loops
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[N:.*]]: tensor<i32>)
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[S:.*]] = %[[X]]) -> (tensor<4xf32>)
// CHECK-NOT: hlo.negate
// CHECK:   scf.while (%{{.*}} = %[[N]], %{{.*}} = %[[S]]) : (tensor<i32>, tensor<4xf32>)
// CHECK-NOT: hlo.negate
// CHECK: return %[[R]]
func.func @loops(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r:2 = scf.for %k = %c0 to %c8 step %c1 iter_args(%s = %x, %dead = %x) -> (tensor<4xf32>, tensor<4xf32>) {
    %d = hlo.negate %dead : (tensor<4xf32>) -> tensor<4xf32>
    %w:3 = scf.while (%i = %n, %a = %s, %b = %d) : (tensor<i32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>, tensor<4xf32>) {
      %zero = hlo.constant(dense<0> : tensor<i32>) : tensor<i32>
      %l = hlo.compare %i, %zero {direction = #hlo.direction<NE>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %p = tensor.extract %l[] : tensor<i1>
      scf.condition(%p) %i, %a, %b : tensor<i32>, tensor<4xf32>, tensor<4xf32>
    } do {
    ^bb0(%i: tensor<i32>, %a: tensor<4xf32>, %b: tensor<4xf32>):
      %half = hlo.shift_right_logical %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %aa = hlo.add %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %bb = hlo.negate %b : (tensor<4xf32>) -> tensor<4xf32>
      scf.yield %half, %aa, %bb : tensor<i32>, tensor<4xf32>, tensor<4xf32>
    }
    scf.yield %w#1, %w#2 : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0 : tensor<4xf32>
}

// -----

// A result of a branch that nobody reads; a loop that nobody reads at all.
// CHECK-LABEL: func.func @branches
// CHECK-SAME: (%[[P:.*]]: i1, %[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[R:.*]] = scf.if %[[P]] -> (tensor<4xf32>) {
// CHECK-NEXT:   scf.yield %[[X]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[A:.*]] = hlo.add
// CHECK-NEXT:   scf.yield %[[A]]
// CHECK-NEXT: }
// CHECK-NEXT: return %[[R]]
func.func @branches(%p: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %0:2 = scf.if %p -> (tensor<4xf32>, tensor<4xf32>) {
    %n = hlo.negate %x : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %n, %x : tensor<4xf32>, tensor<4xf32>
  } else {
    %a = hlo.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %x, %a : tensor<4xf32>, tensor<4xf32>
  }
  %unread = scf.for %k = %c0 to %c8 step %c1 iter_args(%s = %0#0) -> (tensor<4xf32>) {
    %n = hlo.negate %s : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}
