// Integer factors of few bits stay in few bits. Each CHECK line tests one rule.

// RUN: hlo-opt --simplify %s | FileCheck %s

// Bytes that are widened first.
// CHECK-LABEL: func.func @bytes
// CHECK-NEXT: hlo.dot %arg0, %arg1 {{.*}} : (tensor<4x8xui8>, tensor<8x6xi8>) -> tensor<4x6xi32>
func.func @bytes(%a: tensor<4x8xui8>, %b: tensor<8x6xi8>) -> tensor<4x6xi32> {
  %0 = hlo.convert %a : (tensor<4x8xui8>) -> tensor<4x8xi32>
  %1 = hlo.convert %b : (tensor<8x6xi8>) -> tensor<8x6xi32>
  %2 = hlo.dot %0, %1 {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<4x8xi32>, tensor<8x6xi32>) -> tensor<4x6xi32>
  return %2 : tensor<4x6xi32>
}

// Bytes less 128 are bytes again.
// CHECK-LABEL: func.func @zero_point
// CHECK-DAG: hlo.constant(dense<-128> : tensor<i8>)
// CHECK-DAG: %[[X:.*]] = hlo.convert %arg0 : (tensor<4x8xui8>) -> tensor<4x8xi8>
// CHECK: %[[Y:.*]] = hlo.subtract %[[X]], {{.*}} -> tensor<4x8xi8>
// CHECK: hlo.dot %[[Y]], %arg1 {{.*}} : (tensor<4x8xi8>, tensor<8x6xi8>) -> tensor<4x6xi32>
func.func @zero_point(%a: tensor<4x8xui8>, %b: tensor<8x6xi8>) -> tensor<4x6xi32> {
  %c = hlo.constant(dense<128> : tensor<4x8xi32>) : tensor<4x8xi32>
  %0 = hlo.convert %a : (tensor<4x8xui8>) -> tensor<4x8xi32>
  %1 = hlo.subtract %0, %c : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
  %2 = hlo.convert %b : (tensor<8x6xi8>) -> tensor<8x6xi32>
  %3 = hlo.dot %1, %2 {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<4x8xi32>, tensor<8x6xi32>) -> tensor<4x6xi32>
  return %3 : tensor<4x6xi32>
}

// Differences of bytes need 16 bits.
// CHECK-LABEL: func.func @differences
// CHECK: hlo.subtract {{.*}} -> tensor<4x8xi16>
// CHECK: hlo.dot {{.*}} : (tensor<4x8xi16>, tensor<8x6xi8>) -> tensor<4x6xi32>
func.func @differences(%a: tensor<4x8xi8>, %z: tensor<4x8xi8>, %b: tensor<8x6xi8>) -> tensor<4x6xi32> {
  %0 = hlo.convert %a : (tensor<4x8xi8>) -> tensor<4x8xi32>
  %1 = hlo.convert %z : (tensor<4x8xi8>) -> tensor<4x8xi32>
  %2 = hlo.subtract %0, %1 : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
  %3 = hlo.dot %2, %b {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<4x8xi32>, tensor<8x6xi8>) -> tensor<4x6xi32>
  return %3 : tensor<4x6xi32>
}

// Sums of words need more, and other factors may be anything.
// CHECK-LABEL: func.func @wide
// CHECK: hlo.dot {{.*}} : (tensor<4x8xi32>, tensor<8x6xi32>) -> tensor<4x6xi32>
// CHECK: hlo.dot %arg2, {{.*}} : (tensor<4x8xi32>, tensor<8x6xi32>) -> tensor<4x6xi32>
func.func @wide(%a: tensor<4x8xi16>, %z: tensor<4x8xi16>, %x: tensor<4x8xi32>, %b: tensor<8x6xi8>) -> (tensor<4x6xi32>, tensor<4x6xi32>) {
  %0 = hlo.convert %a : (tensor<4x8xi16>) -> tensor<4x8xi32>
  %1 = hlo.convert %z : (tensor<4x8xi16>) -> tensor<4x8xi32>
  %2 = hlo.add %0, %1 : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
  %3 = hlo.convert %b : (tensor<8x6xi8>) -> tensor<8x6xi32>
  %4 = hlo.dot %2, %3 {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<4x8xi32>, tensor<8x6xi32>) -> tensor<4x6xi32>
  %5 = hlo.dot %x, %3 {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<4x8xi32>, tensor<8x6xi32>) -> tensor<4x6xi32>
  return %4, %5 : tensor<4x6xi32>, tensor<4x6xi32>
}

// Convolutions are treated like dots.
// CHECK-LABEL: func.func @convolution
// CHECK: hlo.convolution {{.*}} : (tensor<1x8x4xi8>, tensor<3x4x2xi8>) -> tensor<1x6x2xi32>
func.func @convolution(%a: tensor<1x8x4xui8>, %b: tensor<3x4x2xi8>) -> tensor<1x6x2xi32> {
  %c = hlo.constant(dense<-128> : tensor<1x8x4xi32>) : tensor<1x8x4xi32>
  %0 = hlo.convert %a : (tensor<1x8x4xui8>) -> tensor<1x8x4xi32>
  %1 = hlo.add %0, %c : (tensor<1x8x4xi32>, tensor<1x8x4xi32>) -> tensor<1x8x4xi32>
  %2 = hlo.convert %b : (tensor<3x4x2xi8>) -> tensor<3x4x2xi32>
  %3 = hlo.convolution %1, %2 {dim_labels = #hlo.conv<b 0 f 2 [1] x i 1 o 2 [0] -> b 0 f 2 [1]>, window = #hlo.window<sizes = [3] strides = [1] low = [0] high = [0] base = [1] dilate = [1] reverse = [false]>} : (tensor<1x8x4xi32>, tensor<3x4x2xi32>) -> tensor<1x6x2xi32>
  return %3 : tensor<1x6x2xi32>
}
