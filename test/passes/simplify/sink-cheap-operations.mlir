// RUN: hlo-opt --sink-cheap-operations %s | FileCheck %s
// RUN: hlo-opt --simplification %s | FileCheck %s

// Both loops and the block around them get an iota and a broadcast of their own: it is cheaper to
// repeat them than to read their results. The exponential stays where it is.
// CHECK-LABEL: func.func @main
// CHECK: %[[E:.*]] = hlo.exponential %arg0
// CHECK: scf.for
// CHECK:   %[[J:.*]] = hlo.iota
// CHECK:   %[[C:.*]] = hlo.broadcast %[[J]]
// CHECK:   scf.for
// CHECK:     %[[I:.*]] = hlo.iota
// CHECK:     %[[B:.*]] = hlo.broadcast %[[I]]
// CHECK:     hlo.multiply %{{.*}}, %[[B]]
// CHECK:     hlo.add %{{.*}}, %[[E]]
// CHECK:   hlo.add %{{.*}}, %[[C]]
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c80 = arith.constant 80 : index
  %e = hlo.exponential %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %i = hlo.iota {iota_dimension = 0 : i64} : () -> tensor<8xf32>
  %b = hlo.broadcast %i {dimensions = array<i64: 1>} : (tensor<8xf32>) -> tensor<4x8xf32>
  %r = scf.for %k = %c0 to %c80 step %c1 iter_args(%a = %x) -> (tensor<4x8xf32>) {
    %s = scf.for %l = %c0 to %c80 step %c1 iter_args(%d = %a) -> (tensor<4x8xf32>) {
      %m = hlo.multiply %d, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
      %n = hlo.add %m, %e : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
      scf.yield %n : tensor<4x8xf32>
    }
    %t = hlo.add %s, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    scf.yield %t : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}
