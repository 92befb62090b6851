// RUN: hlo-opt --simplify --split-input-file %s | FileCheck %s

// An update of a row of a slice that is put back becomes an update of a row of the whole.
// CHECK-LABEL: func.func @nested
// CHECK: [[ROW:%.*]] = hlo.reshape %arg1 : (tensor<1x8xf32>) -> tensor<1x1x8xf32>
// CHECK: [[NEW:%.*]] = hlo.dynamic_update_slice %arg0, [[ROW]], %arg2, %arg3,
// CHECK: [[SLICE:%.*]] = hlo.dynamic_slice [[NEW]], %arg2,
// CHECK: [[UPDATED:%.*]] = hlo.reshape [[SLICE]]
// CHECK: hlo.exponential [[UPDATED]]
// CHECK: return [[NEW]],
func.func @nested(%x: tensor<4x16x8xf32>, %row: tensor<1x8xf32>, %i: tensor<i32>, %j: tensor<i32>) -> (tensor<4x16x8xf32>, tensor<16x8xf32>) {
  %zero = hlo.constant(dense<0> : tensor<i32>) : tensor<i32>
  %s = hlo.dynamic_slice %x, %i, %zero, %zero {dynamic_slice_sizes = array<i64: 1, 16, 8>} : (tensor<4x16x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x8xf32>
  %m = hlo.reshape %s : (tensor<1x16x8xf32>) -> tensor<16x8xf32>
  %n = hlo.dynamic_update_slice %m, %row, %j, %zero : (tensor<16x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>
  %e = hlo.exponential %n : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %u = hlo.reshape %n : (tensor<16x8xf32>) -> tensor<1x16x8xf32>
  %y = hlo.dynamic_update_slice %x, %u, %i, %zero, %zero : (tensor<4x16x8xf32>, tensor<1x16x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x16x8xf32>
  return %y, %e : tensor<4x16x8xf32>, tensor<16x8xf32>
}

// -----

// Put elsewhere than where it was taken.
// CHECK-LABEL: func.func @elsewhere
// CHECK: hlo.dynamic_slice %arg0
// CHECK: hlo.dynamic_update_slice
// CHECK: hlo.dynamic_update_slice %arg0
func.func @elsewhere(%x: tensor<4x16xf32>, %row: tensor<1x1xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<4x16xf32> {
  %zero = hlo.constant(dense<0> : tensor<i32>) : tensor<i32>
  %s = hlo.dynamic_slice %x, %i, %zero {dynamic_slice_sizes = array<i64: 1, 16>} : (tensor<4x16xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
  %n = hlo.dynamic_update_slice %s, %row, %zero, %j : (tensor<1x16xf32>, tensor<1x1xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
  %y = hlo.dynamic_update_slice %x, %n, %j, %zero : (tensor<4x16xf32>, tensor<1x16xf32>, tensor<i32>, tensor<i32>) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// -----

// A loop that stacks updated slices of an array updates the array.
// CHECK-LABEL: func.func @caches
// CHECK: scf.for {{.*}} iter_args([[STATE:%.*]] = %arg0)
// CHECK-NEXT: arith.index_cast
// CHECK-NEXT: [[I:%.*]] = tensor.from_elements
// CHECK: [[NEW:%.*]] = hlo.dynamic_update_slice [[STATE]], {{%.*}}, [[I]], %arg2
// CHECK: scf.yield [[NEW]]
func.func @caches(%x: tensor<4x16xf32>, %row: tensor<1xf32>, %j: tensor<i32>) -> tensor<4x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = hlo.constant(dense<0> : tensor<i32>) : tensor<i32>
  %none = hlo.constant(dense<0.0> : tensor<f32>) : tensor<f32>
  %init = hlo.broadcast %none {dimensions = array<i64>} : (tensor<f32>) -> tensor<4x16xf32>
  %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %init) -> (tensor<4x16xf32>) {
    %k32 = arith.index_cast %k : index to i32
    %i = tensor.from_elements %k32 : tensor<i32>
    %s = hlo.dynamic_slice %x, %i, %zero {dynamic_slice_sizes = array<i64: 1, 16>} : (tensor<4x16xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
    %m = hlo.reshape %s : (tensor<1x16xf32>) -> tensor<16xf32>
    %n = hlo.dynamic_update_slice %m, %row, %j : (tensor<16xf32>, tensor<1xf32>, tensor<i32>) -> tensor<16xf32>
    %u = hlo.reshape %n : (tensor<16xf32>) -> tensor<1x16xf32>
    %y = hlo.dynamic_update_slice %a, %u, %i, %zero : (tensor<4x16xf32>, tensor<1x16xf32>, tensor<i32>, tensor<i32>) -> tensor<4x16xf32>
    scf.yield %y : tensor<4x16xf32>
  }
  return %r : tensor<4x16xf32>
}

// -----

// Not all slices are written: three of four.
// CHECK-LABEL: func.func @three_of_four
// CHECK: [[ZEROS:%.*]] = hlo.broadcast
// CHECK: scf.for {{.*}} iter_args({{%.*}} = [[ZEROS]])
func.func @three_of_four(%x: tensor<4x16xf32>, %row: tensor<1x1xf32>, %j: tensor<i32>) -> tensor<4x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = hlo.constant(dense<0> : tensor<i32>) : tensor<i32>
  %none = hlo.constant(dense<0.0> : tensor<f32>) : tensor<f32>
  %init = hlo.broadcast %none {dimensions = array<i64>} : (tensor<f32>) -> tensor<4x16xf32>
  %r = scf.for %k = %c0 to %c3 step %c1 iter_args(%a = %init) -> (tensor<4x16xf32>) {
    %k32 = arith.index_cast %k : index to i32
    %i = tensor.from_elements %k32 : tensor<i32>
    %s = hlo.dynamic_slice %x, %i, %zero {dynamic_slice_sizes = array<i64: 1, 16>} : (tensor<4x16xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
    %n = hlo.dynamic_update_slice %s, %row, %zero, %j : (tensor<1x16xf32>, tensor<1x1xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
    %y = hlo.dynamic_update_slice %a, %n, %i, %zero : (tensor<4x16xf32>, tensor<1x16xf32>, tensor<i32>, tensor<i32>) -> tensor<4x16xf32>
    scf.yield %y : tensor<4x16xf32>
  }
  return %r : tensor<4x16xf32>
}
