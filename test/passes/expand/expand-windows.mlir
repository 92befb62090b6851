// RUN: hlo-opt --expand-operations --split-input-file %s | FileCheck %s

// A window over all prefixes is a scan; over all suffixes, a reverse one.
// CHECK: hlo.computation private @sum.scan{{.*}}(%[[X:.*]]: tensor<5xf32>, %[[C:.*]]: tensor<5xf32>)
// CHECK:   %[[S:.*]] = hlo.add %[[C]], %[[X]]
// CHECK:   hlo.return %[[S]], %[[S]]
// CHECK-LABEL: func.func @cumulative
// CHECK: %[[CARRY:.*]] = hlo.broadcast %{{.*}} -> tensor<5xf32>
// CHECK: hlo.scan %arg0, %[[CARRY]] {dimensions = array<i64: 1>, is_associative = true, num_carries = 1 : i64, to_apply = @sum.scan{{.*}}} {{.*}} -> (tensor<5x9xf32>, tensor<5xf32>)
// CHECK: hlo.scan {{.*}}is_reverse = true
hlo.computation private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = hlo.add %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  hlo.return %0 : tensor<f32>
}
func.func @cumulative(%x: tensor<5x9xf32>, %init: tensor<f32>) -> (tensor<5x9xf32>, tensor<5x9xf32>) {
  %0 = hlo.reduce_window %x, %init {to_apply = @sum, window = #hlo.window<sizes = [1, 9] strides = [1, 1] low = [0, 8] high = [0, 0] base = [1, 1] dilate = [1, 1] reverse = [false, false]>} : (tensor<5x9xf32>, tensor<f32>) -> tensor<5x9xf32>
  %1 = hlo.reduce_window %x, %init {to_apply = @sum, window = #hlo.window<sizes = [1, 9] strides = [1, 1] low = [0, 0] high = [0, 8] base = [1, 1] dilate = [1, 1] reverse = [false, false]>} : (tensor<5x9xf32>, tensor<f32>) -> tensor<5x9xf32>
  return %0, %1 : tensor<5x9xf32>, tensor<5x9xf32>
}

// -----

// Positions first, then a scatter to them.
// CHECK-LABEL: func.func @select
// CHECK: %[[P:.*]]:2 = hlo.reduce_window %arg0, {{.*}} -> (tensor<3xf32>, tensor<3xi32>)
// CHECK: %[[I:.*]] = hlo.reshape %[[P]]#1 : (tensor<3xi32>) -> tensor<3x1xi32>
// CHECK: hlo.scatter %{{.*}}, %[[I]], %arg1 {{.*}}to_apply = @sum
hlo.computation private @ge(%a: tensor<f32>, %b: tensor<f32>) -> tensor<i1> {
  %0 = hlo.compare %a, %b {direction = #hlo.direction<GE>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  hlo.return %0 : tensor<i1>
}
hlo.computation private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = hlo.add %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  hlo.return %0 : tensor<f32>
}
func.func @select(%x: tensor<6xf32>, %s: tensor<3xf32>, %init: tensor<f32>) -> tensor<6xf32> {
  %0 = hlo.select_and_scatter %x, %s, %init {select = @ge, scatter = @sum, window = #hlo.window<sizes = [2] strides = [2] low = [0] high = [0] base = [1] dilate = [1] reverse = [false]>} : (tensor<6xf32>, tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
