// RUN: hlo-opt --deduplicate-computations %s | FileCheck %s

// Computations with equal bodies, whatever their names and locations, are merged.
// CHECK: hlo.computation private @sum
// CHECK-NOT: @total
// CHECK: hlo.computation private @product
// CHECK: hlo.reduce %{{.*}} {dimensions = array<i64: 0>, to_apply = @sum}
// CHECK: hlo.reduce %{{.*}} {dimensions = array<i64: 0>, to_apply = @sum}
// CHECK: hlo.reduce %{{.*}} {dimensions = array<i64: 0>, to_apply = @product}
hlo.computation private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = hlo.add %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  hlo.return %0 : tensor<f32>
}
hlo.computation private @total(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %z = hlo.add %x, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
  hlo.return %z : tensor<f32>
}
hlo.computation private @product(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = hlo.multiply %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  hlo.return %0 : tensor<f32>
}
func.func @main(%x: tensor<4xf32>, %init: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = hlo.reduce %x, %init {dimensions = array<i64: 0>, to_apply = @sum} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %1 = hlo.reduce %x, %init {dimensions = array<i64: 0>, to_apply = @total} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %2 = hlo.reduce %x, %init {dimensions = array<i64: 0>, to_apply = @product} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}
