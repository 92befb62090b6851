// RUN: hlo-opt --fuse --order-kernels --double-buffer-loop-state --assign-buffers --check-buffers --split-input-file %s | FileCheck %s

// Adjacent elements are read, so the new state cannot overwrite the old one: two buffers
// alternate, and if the number of iterations is odd, one iteration comes after the loop.
// CHECK-LABEL: func.func @main
// CHECK: memref.copy %arg0
// CHECK: scf.for
// CHECK-NEXT: hlo.launch @{{[a-z_0-9]*}}(%[[A:[a-z_0-9]*]]) -> (%[[B:[a-z_0-9]*]])
// CHECK-NEXT: hlo.launch @{{.*}}(%[[B]]) -> (%[[A]])
// CHECK: {{^ *}}}
// CHECK-NEXT: hlo.launch @{{[a-z_0-9]*}}(%[[A]]) -> (%{{.*}})
// CHECK-NOT: scf.for
// CHECK: return
func.func @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c11 = arith.constant 11 : index
  %r = scf.for %k = %c0 to %c11 step %c1 iter_args(%a = %x) -> (tensor<1000xf32>) {
    %b = hlo.reverse %a {dimensions = array<i64: 0>} : (tensor<1000xf32>) -> tensor<1000xf32>
    %s = hlo.add %a, %b : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32>
    scf.yield %s : tensor<1000xf32>
  }
  return %r : tensor<1000xf32>
}

// -----

// State that is handed on as it is: three buffers, three iterations in one.
// CHECK-LABEL: func.func @main
// CHECK: scf.for
// CHECK-NOT: memref.copy
// CHECK-COUNT-3: hlo.launch
// CHECK-NOT: hlo.launch
// CHECK-NOT: memref.copy
// CHECK: return
func.func @main(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> (tensor<1000xf32>, tensor<1000xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %r:2 = scf.for %k = %c0 to %c12 step %c1 iter_args(%now = %x, %before = %y) -> (tensor<1000xf32>, tensor<1000xf32>) {
    %n = hlo.reverse %now {dimensions = array<i64: 0>} : (tensor<1000xf32>) -> tensor<1000xf32>
    %next = hlo.subtract %n, %before : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32>
    scf.yield %next, %now : tensor<1000xf32>, tensor<1000xf32>
  }
  return %r#0, %r#1 : tensor<1000xf32>, tensor<1000xf32>
}

// -----

// The second iteration of a while loop stands under its condition; if that fails, the state is copied
// once to where the loop's next turn looks for it.
// CHECK-LABEL: func.func @main
// CHECK: scf.while
// CHECK: scf.condition
// CHECK: hlo.launch @[[STEP:[a-z_0-9]*]](%[[A:[a-z_0-9]*]]) -> (%[[B:view[_0-9]*]])
// CHECK: scf.if
// CHECK: hlo.launch @[[STEP]](%[[B]]) -> (%[[A]])
// CHECK: } else {
// CHECK: memref.copy %[[B]], %[[A]]
// CHECK: return
func.func @main(%x: tensor<1000xf32>, %n: tensor<i32>) -> tensor<1000xf32> {
  %zero = hlo.constant (dense<0> : tensor<i32>) : tensor<i32>
  %one = hlo.constant (dense<1> : tensor<i32>) : tensor<i32>
  %r:2 = scf.while (%i = %zero, %a = %x) : (tensor<i32>, tensor<1000xf32>) -> (tensor<i32>, tensor<1000xf32>) {
    %less = hlo.compare %i, %n {direction = #hlo.direction<LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %p = tensor.extract %less[] : tensor<i1>
    scf.condition(%p) %i, %a : tensor<i32>, tensor<1000xf32>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<1000xf32>):
    %next = hlo.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %b = hlo.reverse %a {dimensions = array<i64: 0>} : (tensor<1000xf32>) -> tensor<1000xf32>
    %s = hlo.add %a, %b : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32>
    scf.yield %next, %s : tensor<i32>, tensor<1000xf32>
  }
  return %r#1 : tensor<1000xf32>
}

// -----

// What can be updated in place is, and small state stays in local variables.
// CHECK-LABEL: func.func @main
// CHECK: scf.for
// CHECK-COUNT-2: hlo.launch
// CHECK-NOT: hlo.launch
// CHECK: return
func.func @main(%x: tensor<1000xf32>, %y: tensor<4xf32>) -> (tensor<1000xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %r:2 = scf.for %k = %c0 to %c12 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<1000xf32>, tensor<4xf32>) {
    %e = hlo.exponential %a : (tensor<1000xf32>) -> tensor<1000xf32>
    %s = hlo.reverse %b {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %e, %s : tensor<1000xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<1000xf32>, tensor<4xf32>
}
