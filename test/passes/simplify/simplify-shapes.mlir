// RUN: hlo-opt --simplify --split-input-file %s | FileCheck %s

// Movements without effect are removed.
// CHECK-LABEL: func.func @nothing
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>
// CHECK-NEXT: return %[[X]]
func.func @nothing(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = hlo.reshape %x : (tensor<2x3xf32>) -> tensor<6xf32>
  %1 = hlo.reshape %0 : (tensor<6xf32>) -> tensor<2x3xf32>
  %2 = hlo.transpose %1 {dimensions = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %3 = hlo.transpose %2 {dimensions = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %4 = hlo.slice %3 {starts = array<i64: 0, 0>, limits = array<i64: 2, 3>, strides = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = hlo.concatenate %4 {dimension = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = hlo.reverse %5 {dimensions = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %7 = hlo.reverse %6 {dimensions = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %7 : tensor<2x3xf32>
}

// -----

// Scalars are computed once, then repeated.
// CHECK-LABEL: func.func @scalars
// CHECK: %[[E:.*]] = hlo.exponential %arg0 : (tensor<f32>) -> tensor<f32>
// CHECK: %[[B:.*]] = hlo.broadcast %[[E]] {{.*}} -> tensor<6xf32>
// CHECK: return %[[B]]
func.func @scalars(%x: tensor<f32>) -> tensor<6xf32> {
  %0 = hlo.broadcast %x {dimensions = array<i64>} : (tensor<f32>) -> tensor<2x3xf32>
  %1 = hlo.exponential %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = hlo.reshape %1 : (tensor<2x3xf32>) -> tensor<6xf32>
  return %2 : tensor<6xf32>
}

// -----

// broadcast_in_dim as JAX prints it.
// CHECK-LABEL: func.func @broadcasts
// CHECK-NEXT: %[[B:.*]] = hlo.broadcast %arg0 {dimensions = array<i64: 1>} : (tensor<3xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[B]]
func.func @broadcasts(%x: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %0 = hlo.reshape %x : (tensor<3xf32>) -> tensor<1x3xf32>
  %1 = hlo.broadcast %0 {dimensions = array<i64: 0, 1>} : (tensor<1x3xf32>) -> tensor<1x3xf32>
  %2 = hlo.reshape %1 : (tensor<1x3xf32>) -> tensor<3xf32>
  %3 = hlo.broadcast %2 {dimensions = array<i64: 1>} : (tensor<3xf32>) -> tensor<2x3xf32>
  %4 = hlo.broadcast %3 {dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<2x3x4xf32>
  return %4 : tensor<2x3x4xf32>
}

// -----

// Dimensions of one element move without moving memory; a transposing broadcast is no identity.
// CHECK-LABEL: func.func @units
// CHECK-DAG: %[[R:.*]] = hlo.reshape %arg0 : (tensor<1x4xf32>) -> tensor<4x1xf32>
// CHECK-DAG: %[[B:.*]] = hlo.broadcast %arg1 {dimensions = array<i64: 1, 0>}
// CHECK: return %[[R]], %[[B]]
func.func @units(%x: tensor<1x4xf32>, %y: tensor<3x3xf32>) -> (tensor<4x1xf32>, tensor<3x3xf32>) {
  %0 = hlo.transpose %x {dimensions = array<i64: 1, 0>} : (tensor<1x4xf32>) -> tensor<4x1xf32>
  %1 = hlo.broadcast %y {dimensions = array<i64: 1, 0>} : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return %0, %1 : tensor<4x1xf32>, tensor<3x3xf32>
}

// -----

// Slices of parts, parts that are slices.
// CHECK-LABEL: func.func @parts
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
// CHECK: %[[S:.*]] = hlo.slice %[[Y]] {limits = array<i64: 3>, starts = array<i64: 1>
// CHECK: return %[[S]], %[[X]]
func.func @parts(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<2xf32>, tensor<4xf32>) {
  %0 = hlo.concatenate %x, %y {dimension = 0 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %1 = hlo.slice %0 {starts = array<i64: 5>, limits = array<i64: 7>, strides = array<i64: 1>} : (tensor<8xf32>) -> tensor<2xf32>
  %2 = hlo.slice %x {starts = array<i64: 0>, limits = array<i64: 1>, strides = array<i64: 1>} : (tensor<4xf32>) -> tensor<1xf32>
  %3 = hlo.slice %x {starts = array<i64: 1>, limits = array<i64: 4>, strides = array<i64: 1>} : (tensor<4xf32>) -> tensor<3xf32>
  %4 = hlo.concatenate %2, %3 {dimension = 0 : i64} : (tensor<1xf32>, tensor<3xf32>) -> tensor<4xf32>
  return %1, %4 : tensor<2xf32>, tensor<4xf32>
}

// -----

// A constant of one element stays one: no rule undoes another.
// CHECK-LABEL: func.func @one
// CHECK-NEXT: %[[C:.*]] = hlo.constant(dense<1> : tensor<1xi32>)
// CHECK-NEXT: return %[[C]]
func.func @one() -> tensor<1xi32> {
  %0 = hlo.constant(dense<1> : tensor<1xi32>) : tensor<1xi32>
  return %0 : tensor<1xi32>
}

// -----

// A slice of a padded array is padded where it takes padding: here below in one dimension, and not in the other.
// CHECK-LABEL: func.func @padded
// CHECK-SAME: (%[[X:.*]]: tensor<8x6xf32>, %[[P:.*]]: tensor<f32>)
// CHECK: %[[S:.*]] = hlo.slice %[[X]] {limits = array<i64: 7, 6>, starts = array<i64: 0, 0>
// CHECK: %[[ABOVE:.*]] = hlo.pad %[[S]], %[[P]] {high = array<i64: 0, 0>, interior = array<i64: 0, 0>, low = array<i64: 1, 0>}
// CHECK: %[[INSIDE:.*]] = hlo.slice %[[X]] {limits = array<i64: 8, 5>, starts = array<i64: 2, 1>
// CHECK: return %[[ABOVE]], %[[INSIDE]]
func.func @padded(%x: tensor<8x6xf32>, %p: tensor<f32>) -> (tensor<8x6xf32>, tensor<6x4xf32>) {
  %0 = hlo.pad %x, %p {low = array<i64: 1, 1>, high = array<i64: 1, 1>, interior = array<i64: 0, 0>} : (tensor<8x6xf32>, tensor<f32>) -> tensor<10x8xf32>
  %1 = hlo.slice %0 {starts = array<i64: 0, 1>, limits = array<i64: 8, 7>, strides = array<i64: 1, 1>} : (tensor<10x8xf32>) -> tensor<8x6xf32>
  %2 = hlo.slice %0 {starts = array<i64: 3, 2>, limits = array<i64: 9, 6>, strides = array<i64: 1, 1>} : (tensor<10x8xf32>) -> tensor<6x4xf32>
  return %1, %2 : tensor<8x6xf32>, tensor<6x4xf32>
}

// A dimension of one layer is dropped before the transpose, which a dot can then take in.
// CHECK-LABEL: func.func @reshape_of_transpose
// CHECK: [[LAYER:%.*]] = hlo.reshape %arg0 : (tensor<1x4x5xf32>) -> tensor<4x5xf32>
// CHECK: hlo.transpose [[LAYER]] {dimensions = array<i64: 1, 0>}
func.func @reshape_of_transpose(%x: tensor<1x4x5xf32>) -> tensor<5x4xf32> {
  %0 = hlo.transpose %x {dimensions = array<i64: 0, 2, 1>} : (tensor<1x4x5xf32>) -> tensor<1x5x4xf32>
  %1 = hlo.reshape %0 : (tensor<1x5x4xf32>) -> tensor<5x4xf32>
  return %1 : tensor<5x4xf32>
}

// -----

// What is computed of the same numbers in two shapes becomes one, a mean with and without its dimension of size
// one; what is computed once stays in its shape.
// CHECK-LABEL: func.func @same_in_other_shape
// CHECK-DAG: [[MEAN:%.*]] = hlo.divide %arg0, {{.*}} : (tensor<4x5xf32>, tensor<4x5xf32>)
// CHECK-DAG: hlo.reshape {{%.*}} : (tensor<4x5xf32>) -> tensor<4x1x5xf32>
// CHECK-NOT: hlo.divide {{.*}}tensor<4x1x5xf32>
// CHECK: hlo.exponential {{.*}} : (tensor<4x1x5xf32>)
func.func @same_in_other_shape(%x: tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4x1x5xf32>, tensor<4x1x5xf32>) {
  %c = hlo.constant(dense<3.0> : tensor<f32>) : tensor<f32>
  %s = hlo.broadcast %c {dimensions = array<i64>} : (tensor<f32>) -> tensor<4x5xf32>
  %t = hlo.broadcast %c {dimensions = array<i64>} : (tensor<f32>) -> tensor<4x1x5xf32>
  %r = hlo.reshape %x : (tensor<4x5xf32>) -> tensor<4x1x5xf32>
  %0 = hlo.divide %r, %t : (tensor<4x1x5xf32>, tensor<4x1x5xf32>) -> tensor<4x1x5xf32>
  %1 = hlo.divide %x, %s : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %2 = hlo.exponential %r : (tensor<4x1x5xf32>) -> tensor<4x1x5xf32>
  return %1, %0, %2 : tensor<4x5xf32>, tensor<4x1x5xf32>, tensor<4x1x5xf32>
}
