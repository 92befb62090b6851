// RUN: hlo-opt --split-preparation --hold-prepared --split-input-file %s | FileCheck %s

// A parameter that is converted to a narrower type: the result is prepared. Only the preparation reads the parameter.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %arg1: tensor<64x64xf32> {hlo.prepare}, %arg2: tensor<64x64xbf16> {hlo.prepared})
// CHECK-NEXT: hlo.add %arg0, %arg2
// CHECK-LABEL: func.func @main.prepare(
// CHECK: %[[C:.*]] = hlo.convert %arg1
// CHECK: return %[[C]] : tensor<64x64xbf16>
func.func @main(%x: tensor<64x64xbf16>, %w: tensor<64x64xf32> {hlo.prepare}) -> tensor<64x64xbf16> {
  %c = hlo.convert %w : (tensor<64x64xf32>) -> tensor<64x64xbf16>
  %r = hlo.add %x, %c : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %r : tensor<64x64xbf16>
}

// -----

// A parameter that is converted to a wider type: runs read the parameter, and nothing is prepared.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %arg1: tensor<64x64xi8> {hlo.prepare})
// CHECK: hlo.convert %arg1
// CHECK-LABEL: func.func @main.prepare(
// CHECK-NEXT: return
func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xi8> {hlo.prepare}) -> tensor<64x64xf32> {
  %c = hlo.convert %w : (tensor<64x64xi8>) -> tensor<64x64xf32>
  %r = hlo.add %x, %c : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// -----

// Stacked layers that a loop slices and converts: all are converted at once, and the loop slices the result.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %arg2: tensor<4x64xbf16> {hlo.prepared})
// CHECK: scf.for
// CHECK: hlo.dynamic_slice %arg2
// CHECK-NOT: hlo.convert
// CHECK-LABEL: func.func @main.prepare(
// CHECK: hlo.convert %arg1 : (tensor<4x64xf32>) -> tensor<4x64xbf16>
func.func @main(%x: tensor<64xbf16>, %w: tensor<4x64xf32> {hlo.prepare}) -> tensor<64xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = hlo.constant(dense<0> : tensor<i32>) : tensor<i32>
  %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %x) -> (tensor<64xbf16>) {
    %k32 = arith.index_cast %k : index to i32
    %i = tensor.from_elements %k32 : tensor<i32>
    %s = hlo.dynamic_slice %w, %i, %zero {dynamic_slice_sizes = array<i64: 1, 64>} : (tensor<4x64xf32>, tensor<i32>, tensor<i32>) -> tensor<1x64xf32>
    %l = hlo.reshape %s : (tensor<1x64xf32>) -> tensor<64xf32>
    %c = hlo.convert %l : (tensor<64xf32>) -> tensor<64xbf16>
    %n = hlo.add %a, %c : (tensor<64xbf16>, tensor<64xbf16>) -> tensor<64xbf16>
    scf.yield %n : tensor<64xbf16>
  }
  return %r : tensor<64xbf16>
}

// -----

// Operations on two parameters and a constant, not only elementwise ones: the product is prepared. Values that depend
// on other arguments are not, nor is the number of a participant.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %arg3: tensor<32x32xf32> {hlo.prepared})
// CHECK-NOT: hlo.dot
// CHECK: hlo.add %arg0, %arg3
// CHECK: hlo.partition_id
// CHECK-LABEL: func.func @main.prepare(
// CHECK-NOT: hlo.partition_id
// CHECK: hlo.dot
func.func @main(%x: tensor<32x32xf32>, %a: tensor<32x64xf32> {hlo.prepare}, %b: tensor<64x32xf32> {hlo.prepare}) -> (tensor<32x32xf32>, tensor<ui32>) {
  %two = hlo.constant(dense<2.0> : tensor<32x64xf32>) : tensor<32x64xf32>
  %m = hlo.multiply %a, %two : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
  %p = hlo.dot %m, %b {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<32x64xf32>, tensor<64x32xf32>) -> tensor<32x32xf32>
  %r = hlo.add %x, %p : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %n = hlo.partition_id : () -> tensor<ui32>
  return %r, %n : tensor<32x32xf32>, tensor<ui32>
}
