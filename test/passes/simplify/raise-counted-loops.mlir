// RUN: hlo-opt --raise-counted-loops --cse --split-input-file %s | FileCheck %s

// for (i = 0; i < 10; i += 3): four iterations; the counter ends at 12.
// CHECK-LABEL: func.func @constant_bounds
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[END:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[LAST:.*]] = hlo.constant(dense<12> : tensor<i32>)
// CHECK: %[[R:.*]] = scf.for %[[K:.*]] = %[[ZERO]] to %[[END]] step %[[ONE]] iter_args(%[[S:.*]] = %[[X]]) -> (tensor<4xf32>) {
// CHECK:   %[[K3:.*]] = arith.muli %[[K]],
// CHECK:   %[[K32:.*]] = arith.index_cast %[[K3]] : index to i32
// CHECK:   %[[I:.*]] = tensor.from_elements %[[K32]] : tensor<i32>
// CHECK:   hlo.broadcast %[[I]]
// CHECK: return %[[R]], %[[LAST]]
func.func @constant_bounds(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>) {
  %c0 = hlo.constant(dense<0> : tensor<i32>) : tensor<i32>
  %r:2 = scf.while (%i = %c0, %s = %x) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
    %c10 = hlo.constant(dense<10> : tensor<i32>) : tensor<i32>
    %l = hlo.compare %i, %c10 {direction = #hlo.direction<LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %p = tensor.extract %l[] : tensor<i1>
    scf.condition(%p) %i, %s : tensor<i32>, tensor<4xf32>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<4xf32>):
    %c3 = hlo.constant(dense<3> : tensor<i32>) : tensor<i32>
    %j = hlo.add %i, %c3 : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %b = hlo.broadcast %i {dimensions = array<i64>} : (tensor<i32>) -> tensor<4xi32>
    %f = hlo.convert %b : (tensor<4xi32>) -> tensor<4xf32>
    %t = hlo.add %s, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %j, %t : tensor<i32>, tensor<4xf32>
  }
  return %r#1, %r#0 : tensor<4xf32>, tensor<i32>
}

// -----

// Bounds known at run time.
// CHECK-LABEL: func.func @variable_bounds
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[A:.*]]: tensor<i32>, %[[B:.*]]: tensor<i32>)
// CHECK: %[[N:.*]] = arith.subi
// CHECK: %[[LAST:.*]] = hlo.maximum %[[A]], %[[B]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[N]]
// CHECK: return %{{.*}}, %[[LAST]]
func.func @variable_bounds(%x: tensor<4xf32>, %a: tensor<i32>, %b: tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  %r:2 = scf.while (%i = %a, %s = %x) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
    %l = hlo.compare %b, %i {direction = #hlo.direction<GT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %p = tensor.extract %l[] : tensor<i1>
    scf.condition(%p) %i, %s : tensor<i32>, tensor<4xf32>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<4xf32>):
    %c1 = hlo.constant(dense<1> : tensor<i32>) : tensor<i32>
    %j = hlo.add %c1, %i : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %t = hlo.add %s, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %j, %t : tensor<i32>, tensor<4xf32>
  }
  return %r#1, %r#0 : tensor<4xf32>, tensor<i32>
}

// -----

// A counter that would wrap before it reaches its end is left alone: s8 from 0 to 127 by 100.
// CHECK-LABEL: func.func @wraps
// CHECK: scf.while
func.func @wraps(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = hlo.constant(dense<0> : tensor<i8>) : tensor<i8>
  %r:2 = scf.while (%i = %c0, %s = %x) : (tensor<i8>, tensor<4xf32>) -> (tensor<i8>, tensor<4xf32>) {
    %end = hlo.constant(dense<127> : tensor<i8>) : tensor<i8>
    %l = hlo.compare %i, %end {direction = #hlo.direction<LT>} : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %p = tensor.extract %l[] : tensor<i1>
    scf.condition(%p) %i, %s : tensor<i8>, tensor<4xf32>
  } do {
  ^bb0(%i: tensor<i8>, %s: tensor<4xf32>):
    %step = hlo.constant(dense<100> : tensor<i8>) : tensor<i8>
    %j = hlo.add %i, %step : (tensor<i8>, tensor<i8>) -> tensor<i8>
    %t = hlo.add %s, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %j, %t : tensor<i8>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}
