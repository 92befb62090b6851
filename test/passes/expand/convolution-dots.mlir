// RUN: hlo-opt --canonicalize-convolutions --split-input-file %s | FileCheck %s

// One element in each window.
// CHECK-LABEL: func.func @pointwise
// CHECK: %[[S:.*]] = hlo.slice %arg0 {limits = array<i64: 2, 7, 7, 3>, starts = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 2, 2, 1>}
// CHECK: %[[X:.*]] = hlo.reshape %[[S]] : (tensor<2x4x4x3xf32>) -> tensor<2x4x1x4x1x3xf32>
// CHECK: hlo.dot %[[X]], %arg1 {lhs_contracting_dims = array<i64: 2, 4, 5>, rhs_contracting_dims = array<i64: 0, 1, 2>} {{.*}} -> tensor<2x4x4x16xf32>
func.func @pointwise(%x: tensor<2x7x8x3xf32>, %w: tensor<1x1x3x16xf32>) -> tensor<2x4x4x16xf32> {
  %0 = hlo.convolution %x, %w {
    window = #hlo.window<sizes = [1, 1] strides = [2, 2] low = [0, 0] high = [0, 0] base = [1, 1] dilate = [1, 1] reverse = [false, false]>,
    dim_labels = #hlo.conv<b 0 f 3 [1, 2] x i 2 o 3 [0, 1] -> b 0 f 3 [1, 2]>
  } : (tensor<2x7x8x3xf32>, tensor<1x1x3x16xf32>) -> tensor<2x4x4x16xf32>
  return %0 : tensor<2x4x4x16xf32>
}

// -----

// The window is the whole input, as for the gradient of a filter of one element: a dot over batches and
// positions, in the order in which they lie in memory.
// CHECK-LABEL: func.func @whole_input
// CHECK: %[[X:.*]] = hlo.reshape %arg0 {{.*}} -> tensor<2x3x1x5x1x7xf32>
// CHECK: %[[D:.*]] = hlo.dot %[[X]], %arg1 {lhs_contracting_dims = array<i64: 0, 3, 5>, rhs_contracting_dims = array<i64: 0, 2, 3>} {{.*}} -> tensor<3x1x1x4xf32>
// CHECK: hlo.transpose %[[D]] {dimensions = array<i64: 0, 3, 1, 2>}
func.func @whole_input(%x: tensor<2x3x5x7xf32>, %g: tensor<2x4x5x7xf32>) -> tensor<3x4x1x1xf32> {
  %0 = hlo.convolution %x, %g {
    window = #hlo.window<sizes = [5, 7] strides = [1, 1] low = [0, 0] high = [0, 0] base = [1, 1] dilate = [1, 1] reverse = [false, false]>,
    dim_labels = #hlo.conv<b 1 f 0 [2, 3] x i 0 o 1 [2, 3] -> b 0 f 1 [2, 3]>
  } : (tensor<2x3x5x7xf32>, tensor<2x4x5x7xf32>) -> tensor<3x4x1x1xf32>
  return %0 : tensor<3x4x1x1xf32>
}

// -----

// Patches: windows lie apart, and the filter does not stay in L1.
// CHECK-LABEL: func.func @patches
// CHECK: %[[X:.*]] = hlo.reshape %arg0 {{.*}} -> tensor<2x4x16x3xf32>
// CHECK: hlo.dot %[[X]], %arg1 {lhs_contracting_dims = array<i64: 2, 3>, rhs_contracting_dims = array<i64: 0, 1>} {{.*}} -> tensor<2x4x512xf32>
func.func @patches(%x: tensor<2x64x3xf32>, %w: tensor<16x3x512xf32>) -> tensor<2x4x512xf32> {
  %0 = hlo.convolution %x, %w {
    window = #hlo.window<sizes = [16] strides = [16] low = [0] high = [0] base = [1] dilate = [1] reverse = [false]>,
    dim_labels = #hlo.conv<b 0 f 2 [1] x i 1 o 2 [0] -> b 0 f 2 [1]>
  } : (tensor<2x64x3xf32>, tensor<16x3x512xf32>) -> tensor<2x4x512xf32>
  return %0 : tensor<2x4x512xf32>
}

// -----

// A small filter of a vector of features is faster as a convolution.
// CHECK-LABEL: func.func @small_filter
// CHECK: hlo.convolution
func.func @small_filter(%x: tensor<2x64x3xf32>, %w: tensor<4x3x32xf32>) -> tensor<2x16x32xf32> {
  %0 = hlo.convolution %x, %w {
    window = #hlo.window<sizes = [4] strides = [4] low = [0] high = [0] base = [1] dilate = [1] reverse = [false]>,
    dim_labels = #hlo.conv<b 0 f 2 [1] x i 1 o 2 [0] -> b 0 f 2 [1]>
  } : (tensor<2x64x3xf32>, tensor<4x3x32xf32>) -> tensor<2x16x32xf32>
  return %0 : tensor<2x16x32xf32>
}

// -----

// Elements lie between windows and before the first; fewer follow the last. The window is reversed.
// CHECK-LABEL: func.func @ragged_patches
// CHECK: %[[P:.*]] = hlo.pad %arg0, %{{.*}} {high = array<i64: 0, 3, 0>, {{.*}}, low = array<i64: 0, 0, 0>}
// CHECK: %[[S:.*]] = hlo.slice %[[P]] {limits = array<i64: 2, 16, 3>, starts = array<i64: 0, 1, 0>
// CHECK: %[[R:.*]] = hlo.reshape %[[S]] {{.*}} -> tensor<2x3x5x3xf32>
// CHECK: %[[X:.*]] = hlo.slice %[[R]] {limits = array<i64: 2, 3, 2, 3>
// CHECK: %[[W:.*]] = hlo.reverse %arg1 {dimensions = array<i64: 0>}
// CHECK: hlo.dot %[[X]], %[[W]] {lhs_contracting_dims = array<i64: 2, 3>, rhs_contracting_dims = array<i64: 0, 1>} {{.*}} -> tensor<2x3x1xf32>
func.func @ragged_patches(%x: tensor<2x13x3xf32>, %w: tensor<2x3x1xf32>) -> tensor<2x3x1xf32> {
  %0 = hlo.convolution %x, %w {
    window = #hlo.window<sizes = [2] strides = [5] low = [-1] high = [0] base = [1] dilate = [1] reverse = [true]>,
    dim_labels = #hlo.conv<b 0 f 2 [1] x i 1 o 2 [0] -> b 0 f 2 [1]>
  } : (tensor<2x13x3xf32>, tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  return %0 : tensor<2x3x1xf32>
}

// -----

// The gradient of a filter of patches: taps lie apart.
// CHECK-LABEL: func.func @gradient_of_filter
// CHECK: %[[X:.*]] = hlo.reshape %arg0 {{.*}} -> tensor<2x4x16x3xf32>
// CHECK: hlo.dot %[[X]], %arg1 {lhs_contracting_dims = array<i64: 0, 1>, rhs_contracting_dims = array<i64: 0, 1>} {{.*}} -> tensor<16x3x32xf32>
func.func @gradient_of_filter(%x: tensor<2x64x3xf32>, %g: tensor<2x4x32xf32>) -> tensor<16x3x32xf32> {
  %0 = hlo.convolution %x, %g {
    window = #hlo.window<sizes = [4] strides = [1] low = [0] high = [0] base = [1] dilate = [16] reverse = [false]>,
    dim_labels = #hlo.conv<b 2 f 0 [1] x i 0 o 2 [1] -> b 1 f 2 [0]>
  } : (tensor<2x64x3xf32>, tensor<2x4x32xf32>) -> tensor<16x3x32xf32>
  return %0 : tensor<16x3x32xf32>
}

// -----

// A transposed convolution: each term is a result. Between those of two elements is a zero; some at both ends
// are cut off.
// CHECK-LABEL: func.func @transposed
// CHECK: %[[W:.*]] = hlo.reverse %arg1 {dimensions = array<i64: 0>}
// CHECK: %[[D:.*]] = hlo.dot %arg0, %[[W]] {{.*}} -> tensor<2x4x3x16xf32>
// CHECK: %[[P:.*]] = hlo.pad %[[D]], %{{.*}} {high = array<i64: 0, 0, 1, 0>
// CHECK: %[[R:.*]] = hlo.reshape %[[P]] {{.*}} -> tensor<2x16x16xf32>
// CHECK: hlo.pad %[[R]], %{{.*}} {high = array<i64: 0, -3, 0>, {{.*}}, low = array<i64: 0, -2, 0>}
func.func @transposed(%x: tensor<2x4x8xf32>, %w: tensor<3x8x16xf32>) -> tensor<2x11x16xf32> {
  %0 = hlo.convolution %x, %w {
    window = #hlo.window<sizes = [3] strides = [1] low = [0] high = [0] base = [4] dilate = [1] reverse = [false]>,
    dim_labels = #hlo.conv<b 0 f 2 [1] x i 1 o 2 [0] -> b 0 f 2 [1]>
  } : (tensor<2x4x8xf32>, tensor<3x8x16xf32>) -> tensor<2x11x16xf32>
  return %0 : tensor<2x11x16xf32>
}

// -----

// Padding is part of the windows.
// CHECK-LABEL: func.func @padded
// CHECK: %[[P:.*]] = hlo.pad %arg0, %{{.*}} {high = array<i64: 0, 1, 0>, {{.*}}, low = array<i64: 0, 1, 0>}
// CHECK: %[[X:.*]] = hlo.reshape %[[P]] {{.*}} -> tensor<2x4x16x3xf32>
// CHECK: hlo.dot %[[X]], %arg1
func.func @padded(%x: tensor<2x62x3xf32>, %w: tensor<16x3x512xf32>) -> tensor<2x4x512xf32> {
  %0 = hlo.convolution %x, %w {
    window = #hlo.window<sizes = [16] strides = [16] low = [1] high = [1] base = [1] dilate = [1] reverse = [false]>,
    dim_labels = #hlo.conv<b 0 f 2 [1] x i 1 o 2 [0] -> b 0 f 2 [1]>
  } : (tensor<2x62x3xf32>, tensor<16x3x512xf32>) -> tensor<2x4x512xf32>
  return %0 : tensor<2x4x512xf32>
}

// -----

// Windows that overlap.
// CHECK-LABEL: func.func @overlapping
// CHECK: hlo.convolution
func.func @overlapping(%x: tensor<2x64x3xf32>, %w: tensor<16x3x512xf32>) -> tensor<2x7x512xf32> {
  %0 = hlo.convolution %x, %w {
    window = #hlo.window<sizes = [16] strides = [8] low = [0] high = [0] base = [1] dilate = [1] reverse = [false]>,
    dim_labels = #hlo.conv<b 0 f 2 [1] x i 1 o 2 [0] -> b 0 f 2 [1]>
  } : (tensor<2x64x3xf32>, tensor<16x3x512xf32>) -> tensor<2x7x512xf32>
  return %0 : tensor<2x7x512xf32>
}

// -----

// A transposed convolution with fewer features than lanes, whose window is larger than its stride: two
// terms of each result are added.
// CHECK-LABEL: func.func @transposed_sums
// CHECK: %[[D:.*]] = hlo.dot %arg0, %{{.*}} -> tensor<2x4x3x1xf32>
// CHECK: hlo.slice %[[D]] {limits = array<i64: 2, 4, 2, 1>, starts = array<i64: 0, 0, 0, 0>
// CHECK: %[[A:.*]] = hlo.pad %{{.*}} {high = array<i64: 0, 1, 0>, {{.*}}, low = array<i64: 0, 0, 0>}
// CHECK: hlo.slice %[[D]] {limits = array<i64: 2, 4, 3, 1>, starts = array<i64: 0, 0, 2, 0>
// CHECK: %[[B:.*]] = hlo.pad %{{.*}} {high = array<i64: 0, -1, 0>, {{.*}}, low = array<i64: 0, 2, 0>}
// CHECK: %[[S:.*]] = hlo.add %[[A]], %[[B]]
// CHECK: hlo.convert %[[S]]
func.func @transposed_sums(%x: tensor<2x4x8xbf16>, %w: tensor<3x8x1xbf16>) -> tensor<2x9x1xbf16> {
  %0 = hlo.convolution %x, %w {
    window = #hlo.window<sizes = [3] strides = [1] low = [2] high = [2] base = [2] dilate = [1] reverse = [false]>,
    dim_labels = #hlo.conv<b 0 f 2 [1] x i 1 o 2 [0] -> b 0 f 2 [1]>
  } : (tensor<2x4x8xbf16>, tensor<3x8x1xbf16>) -> tensor<2x9x1xbf16>
  return %0 : tensor<2x9x1xbf16>
}

// -----

// Of the taps' dilation, most would be padding.
// CHECK-LABEL: func.func @far_taps
// CHECK: hlo.convolution
func.func @far_taps(%x: tensor<2x64x3xf32>, %w: tensor<2x3x512xf32>) -> tensor<2x4x512xf32> {
  %0 = hlo.convolution %x, %w {
    window = #hlo.window<sizes = [2] strides = [1] low = [0] high = [940] base = [1] dilate = [1000] reverse = [false]>,
    dim_labels = #hlo.conv<b 0 f 2 [1] x i 1 o 2 [0] -> b 0 f 2 [1]>
  } : (tensor<2x64x3xf32>, tensor<2x3x512xf32>) -> tensor<2x4x512xf32>
  return %0 : tensor<2x4x512xf32>
}
