// RUN: hlo-opt --canonicalize-dots --split-input-file %s | FileCheck %s

// Attention: batch and heads are brought together.
// CHECK-LABEL: func.func @attention
// CHECK-DAG: %[[L:.*]] = hlo.reshape %{{.*}} : (tensor<2x4x8x16xf32>) -> tensor<8x8x16xf32>
// CHECK-DAG: %[[R:.*]] = hlo.reshape %{{.*}} : (tensor<2x4x10x16xf32>) -> tensor<8x10x16xf32>
// CHECK: %[[D:.*]] = hlo.dot %[[L]], %[[R]] {lhs_batch_dims = array<i64: 0>, lhs_contracting_dims = array<i64: 2>, rhs_batch_dims = array<i64: 0>, rhs_contracting_dims = array<i64: 2>} : (tensor<8x8x16xf32>, tensor<8x10x16xf32>) -> tensor<8x8x10xf32>
// CHECK: hlo.reshape %[[D]] : (tensor<8x8x10xf32>) -> tensor<2x4x8x10xf32>
func.func @attention(%q: tensor<2x8x4x16xf32>, %k: tensor<2x10x4x16xf32>) -> tensor<2x4x8x10xf32> {
  %0 = hlo.dot %q, %k {lhs_batch_dims = array<i64: 0, 2>, rhs_batch_dims = array<i64: 0, 2>, lhs_contracting_dims = array<i64: 3>, rhs_contracting_dims = array<i64: 3>} : (tensor<2x8x4x16xf32>, tensor<2x10x4x16xf32>) -> tensor<2x4x8x10xf32>
  return %0 : tensor<2x4x8x10xf32>
}

// -----

// Canonical forms stay, transposed operands included.
// CHECK-LABEL: func.func @canonical
// CHECK-NEXT: hlo.dot %{{.*}} {lhs_contracting_dims = array<i64: 0>, rhs_contracting_dims = array<i64: 1>}
// CHECK-NEXT: return
func.func @canonical(%a: tensor<5x3xf32>, %b: tensor<7x5xf32>) -> tensor<3x7xf32> {
  %0 = hlo.dot %a, %b {lhs_contracting_dims = array<i64: 0>, rhs_contracting_dims = array<i64: 1>} : (tensor<5x3xf32>, tensor<7x5xf32>) -> tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}

// -----

// A matrix times a vector has one column.
// CHECK-LABEL: func.func @matvec
// CHECK: %[[V:.*]] = hlo.reshape %{{.*}} : (tensor<5xf32>) -> tensor<1x5xf32>
// CHECK: hlo.dot %{{.*}}, %[[V]] {{.*}} -> tensor<3x1xf32>
func.func @matvec(%a: tensor<3x5xf32>, %b: tensor<5xf32>) -> tensor<3xf32> {
  %0 = hlo.dot %a, %b {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// An outer product sums nothing; a product of vectors is a reduction, in f32 for bf16.
// CHECK-LABEL: func.func @vectors
// CHECK-NOT: hlo.dot
// CHECK: hlo.multiply %{{.*}} -> tensor<3x5xf32>
// CHECK: hlo.convert %{{.*}} : (tensor<4xbf16>) -> tensor<4xf32>
// CHECK: hlo.reduce %{{.*}} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
// CHECK: hlo.convert %{{.*}} -> tensor<bf16>
func.func @vectors(%a: tensor<3xf32>, %b: tensor<5xf32>, %c: tensor<4xbf16>) -> (tensor<3x5xf32>, tensor<bf16>) {
  %0 = hlo.dot %a, %b : (tensor<3xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  %1 = hlo.dot %c, %c {lhs_contracting_dims = array<i64: 0>, rhs_contracting_dims = array<i64: 0>} : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<bf16>
  return %0, %1 : tensor<3x5xf32>, tensor<bf16>
}

// -----

// Batch dimensions of an outer product stay apart, so that its result can be transposed like its operands.
// CHECK-LABEL: func.func @scaled
// CHECK: %[[S:.*]] = hlo.broadcast %{{.*}} {dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<2x3x5xf32>
// CHECK: %[[X:.*]] = hlo.transpose %{{.*}} {dimensions = array<i64: 1, 0, 2>}
// CHECK: hlo.multiply %[[S]], %[[X]] : (tensor<2x3x5xf32>
func.func @scaled(%s: tensor<2x3xf32>, %x: tensor<3x2x5xf32>) -> tensor<2x3x5xf32> {
  %0 = hlo.dot %s, %x {lhs_batch_dims = array<i64: 0, 1>, rhs_batch_dims = array<i64: 1, 0>} : (tensor<2x3xf32>, tensor<3x2x5xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

// -----

// The state of a recurrence is computed element by element: the kernel that does it reduces it too. A dot remains if
// the matrix is only needed for it, or small.
// CHECK-LABEL: func.func @state
// CHECK: %[[STATE:.*]] = hlo.add
// CHECK: %[[PRODUCT:.*]] = hlo.multiply %[[STATE]], %{{.*}} : (tensor<16x32xf32>
// CHECK: hlo.reduce %[[PRODUCT]], %{{.*}} {dimensions = array<i64: 0>
// CHECK: hlo.dot
// CHECK: hlo.dot
func.func @state(%s: tensor<16x32xf32>, %u: tensor<16x32xf32>, %q: tensor<16xf32>, %m: tensor<4x4xf32>, %v: tensor<4xf32>)
    -> (tensor<16x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<4x4xf32>, tensor<4xf32>) {
  %0 = hlo.add %s, %u : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
  %1 = hlo.dot %q, %0 {lhs_contracting_dims = array<i64: 0>, rhs_contracting_dims = array<i64: 0>} : (tensor<16xf32>, tensor<16x32xf32>) -> tensor<32xf32>
  %2 = hlo.multiply %s, %u : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
  %3 = hlo.dot %q, %2 {lhs_contracting_dims = array<i64: 0>, rhs_contracting_dims = array<i64: 0>} : (tensor<16xf32>, tensor<16x32xf32>) -> tensor<32xf32>
  %4 = hlo.add %m, %m : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = hlo.dot %v, %4 {lhs_contracting_dims = array<i64: 0>, rhs_contracting_dims = array<i64: 0>} : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
  return %0, %1, %3, %4, %5 : tensor<16x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<4x4xf32>, tensor<4xf32>
}

// -----

// An empty sum.
// CHECK-LABEL: func.func @empty
// CHECK: hlo.broadcast %{{.*}} -> tensor<3x5xf32>
func.func @empty(%a: tensor<3x0xf32>, %b: tensor<0x5xf32>) -> tensor<3x5xf32> {
  %0 = hlo.dot %a, %b {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<3x0xf32>, tensor<0x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
