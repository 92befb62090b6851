// RUN: hlo-opt --simplify %s | FileCheck %s

// CHECK-LABEL: func.func @arithmetic
// CHECK-NEXT: %[[C:.*]] = hlo.constant(dense<[5, 7, 9]> : tensor<3xi32>)
// CHECK-NEXT: return %[[C]]
func.func @arithmetic() -> tensor<3xi32> {
  %a = hlo.constant(dense<[1, 2, 3]> : tensor<3xi32>) : tensor<3xi32>
  %b = hlo.constant(dense<[4, 5, 6]> : tensor<3xi32>) : tensor<3xi32>
  %0 = hlo.add %a, %b : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

// Repeated scalars stay repeated scalars.
// CHECK-LABEL: func.func @large
// CHECK-NEXT: %[[C:.*]] = hlo.constant(dense<6.000000e+00> : tensor<f32>)
// CHECK-NEXT: %[[B:.*]] = hlo.broadcast %[[C]] {{.*}} -> tensor<1000x1000xf32>
// CHECK-NEXT: return %[[B]]
func.func @large() -> tensor<1000x1000xf32> {
  %a = hlo.constant(dense<2.0> : tensor<1000x1000xf32>) : tensor<1000x1000xf32>
  %b = hlo.constant(dense<3.0> : tensor<1000x1000xf32>) : tensor<1000x1000xf32>
  %0 = hlo.multiply %a, %b : (tensor<1000x1000xf32>, tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
  return %0 : tensor<1000x1000xf32>
}
