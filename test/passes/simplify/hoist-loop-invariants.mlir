// RUN: hlo-opt --hoist-loop-invariants %s | FileCheck %s

// The exponential and the broadcast move out (sink-cheap-operations copies the broadcast back).
// CHECK-LABEL: func.func @main
// CHECK-DAG: %[[E:.*]] = hlo.exponential %arg1
// CHECK-DAG: %[[B:.*]] = hlo.broadcast %arg2
// CHECK: scf.for
// CHECK:   hlo.multiply %{{.*}}, %[[B]]
// CHECK:   hlo.add %{{.*}}, %[[E]]
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %k = %c0 to %c8 step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    %e = hlo.exponential %y : (tensor<4xf32>) -> tensor<4xf32>
    %b = hlo.broadcast %s {dimensions = array<i64>} : (tensor<f32>) -> tensor<4xf32>
    %m = hlo.multiply %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %n = hlo.add %m, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
