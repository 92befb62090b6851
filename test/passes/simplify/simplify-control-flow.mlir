// RUN: hlo-opt --simplify --split-input-file %s | FileCheck %s

// Branches and loops with known conditions.
// CHECK-LABEL: func.func @known
// CHECK-NOT: scf.
// CHECK: %[[N:.*]] = hlo.negate %arg0
// CHECK: return %[[N]]
func.func @known(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = hlo.constant(dense<true> : tensor<i1>) : tensor<i1>
  %p = tensor.extract %t[] : tensor<i1>
  %r = scf.for %k = %c0 to %c1 step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    %n = hlo.negate %a : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  %0 = scf.if %p -> (tensor<4xf32>) {
    scf.yield %r : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// What such a loop yields may be what it is given.
// CHECK-LABEL: func.func @swap
// CHECK-NEXT: return %arg1, %arg0
func.func @swap(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %k = %c0 to %c1 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// JAX turns the pred of a conditional into a number first.
// CHECK-LABEL: func.func @pred
// CHECK: %[[P:.*]] = tensor.extract %arg0[]
// CHECK: scf.if %[[P]]
// CHECK:   hlo.negate
// CHECK: } else {
// CHECK-NEXT: scf.yield %arg1
func.func @pred(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = hlo.convert %p : (tensor<i1>) -> tensor<i32>
  %1 = tensor.extract %0[] : tensor<i32>
  %2 = arith.index_castui %1 : i32 to index
  %3 = scf.index_switch %2 -> tensor<4xf32>
  case 0 {
    scf.yield %x : tensor<4xf32>
  }
  default {
    %n = hlo.negate %x : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  return %3 : tensor<4xf32>
}

// -----

// State that a while loop hands on, through a branch that hands it on too.
// CHECK-LABEL: func.func @handed_on
// CHECK: scf.while
// CHECK: scf.condition
// CHECK: hlo.add {{%.*}}, %arg1
// CHECK: return {{%.*}}, %arg1
func.func @handed_on(%x: tensor<4xf32>, %w: tensor<4xf32>, %p: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:2 = scf.while (%a = %x, %b = %w) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %q = tensor.extract %p[] : tensor<i1>
    scf.condition(%q) %a, %b : tensor<4xf32>, tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %q = tensor.extract %p[] : tensor<i1>
    %s:2 = scf.if %q -> (tensor<4xf32>, tensor<4xf32>) {
      %n = hlo.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      scf.yield %n, %b : tensor<4xf32>, tensor<4xf32>
    } else {
      scf.yield %a, %b : tensor<4xf32>, tensor<4xf32>
    }
    scf.yield %s#0, %s#1 : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
