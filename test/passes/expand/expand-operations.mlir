// RUN: hlo-opt --expand-operations --split-input-file %s | FileCheck %s

// Bounds and predicates become arrays; NaN stays NaN through maximum and minimum.
// CHECK-LABEL: func.func @clamp
// CHECK-DAG: %[[LOW:.*]] = hlo.broadcast %arg0
// CHECK-DAG: %[[HIGH:.*]] = hlo.broadcast %arg2
// CHECK: %[[M:.*]] = hlo.maximum %arg1, %[[LOW]]
// CHECK: hlo.minimum %[[M]], %[[HIGH]]
func.func @clamp(%low: tensor<f32>, %x: tensor<4xf32>, %high: tensor<f32>) -> tensor<4xf32> {
  %0 = hlo.clamp %low, %x, %high : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @topk
// CHECK: %[[I:.*]] = hlo.iota
// CHECK: %[[S:.*]]:2 = hlo.sort %arg0, %[[I]] {dimension = 1 : i64, is_stable = true, to_apply = @descending}
// CHECK-DAG: hlo.slice %[[S]]#0 {limits = array<i64: 2, 3>
// CHECK-DAG: hlo.slice %[[S]]#1 {limits = array<i64: 2, 3>
func.func @topk(%x: tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  %0:2 = hlo.topk %x {k = 3 : i64} : (tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<2x3xi32>
}

// -----

// Statistics in f32 for bf16.
// CHECK-LABEL: func.func @batch_norm
// CHECK-NOT: hlo.batch_norm
// CHECK: hlo.convert %arg0 : (tensor<2x3x4xbf16>) -> tensor<2x3x4xf32>
// CHECK: hlo.reduce {{.*}}dimensions = array<i64: 0, 1>
// CHECK: hlo.rsqrt
func.func @batch_norm(%x: tensor<2x3x4xbf16>, %s: tensor<4xbf16>, %o: tensor<4xbf16>) -> (tensor<2x3x4xbf16>, tensor<4xbf16>, tensor<4xbf16>) {
  %0:3 = hlo.batch_norm_training %x, %s, %o {epsilon = 0.001 : f32, feature_index = 2 : i64} : (tensor<2x3x4xbf16>, tensor<4xbf16>, tensor<4xbf16>) -> (tensor<2x3x4xbf16>, tensor<4xbf16>, tensor<4xbf16>)
  return %0#0, %0#1, %0#2 : tensor<2x3x4xbf16>, tensor<4xbf16>, tensor<4xbf16>
}

// -----

// Linear algebra: a loop over rows.
// CHECK-LABEL: func.func @linear_algebra
// CHECK: scf.for {{.*}} -> (tensor<1x5x5xf32>, tensor<1x1x1xi32>)
// CHECK:   hlo.dot
// CHECK:   hlo.sqrt
// CHECK:   hlo.dynamic_update_slice
// CHECK: scf.for {{.*}} -> (tensor<1x5x2xf32>)
// CHECK:   hlo.dot
// CHECK:   hlo.divide
func.func @linear_algebra(%a: tensor<5x5xf32>, %b: tensor<5x2xf32>) -> tensor<5x2xf32> {
  %0 = hlo.cholesky %a {lower = true} : (tensor<5x5xf32>) -> tensor<5x5xf32>
  %1 = hlo.triangular_solve %0, %b {left_side = true, lower = true, transpose_a = #hlo.transpose_a<NO_TRANSPOSE>} : (tensor<5x5xf32>, tensor<5x2xf32>) -> tensor<5x2xf32>
  return %1 : tensor<5x2xf32>
}

// -----

// Threefry: the first even dimension is split; five groups of four rounds.
// CHECK-LABEL: func.func @bits
// CHECK-NOT: hlo.rng_bit_generator
// CHECK: hlo.concatenate %{{.*}} {dimension = 2 : i64} : (tensor<3x2x1xui32>, tensor<3x2x1xui32>) -> tensor<3x2x2xui32>
func.func @bits(%state: tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>) {
  %0:2 = hlo.rng_bit_generator %state {algorithm = #hlo.rng_algorithm<rng_three_fry>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
  return %0#0, %0#1 : tensor<2xui64>, tensor<3x4xui32>
}

// -----

// The bits alone, without the next state.
// CHECK-LABEL: func.func @only_bits
// CHECK-NOT: hlo.rng_bit_generator
// CHECK: return %{{.*}} : tensor<4x6xui32>
func.func @only_bits(%s: tensor<2xui64>) -> tensor<4x6xui32> {
  %0 = hlo.rng_bit_generator %s {algorithm = #hlo.rng_algorithm<rng_three_fry>} : (tensor<2xui64>) -> tensor<4x6xui32>
  return %0 : tensor<4x6xui32>
}

// -----

// Few of many are selected by a kernel.
// CHECK-LABEL: func.func @select_few
// CHECK: hlo.topk
// CHECK-NOT: hlo.sort
func.func @select_few(%x: tensor<2x4096xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  %0:2 = hlo.topk %x {k = 3 : i64} : (tensor<2x4096xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<2x3xi32>
}
