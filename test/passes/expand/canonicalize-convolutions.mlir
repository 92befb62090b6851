// RUN: hlo-opt --canonicalize-convolutions --split-input-file %s | FileCheck %s

// NCHW x OIHW is transposed to NHWC x HWIO; strides, padding and dilations are kept.
// CHECK-LABEL: func.func @nchw
// CHECK-DAG: %[[X:.*]] = hlo.transpose %arg0 {dimensions = array<i64: 0, 2, 3, 1>} : (tensor<2x3x8x8xf32>) -> tensor<2x8x8x3xf32>
// CHECK-DAG: %[[W:.*]] = hlo.transpose %arg1 {dimensions = array<i64: 2, 3, 1, 0>} : (tensor<16x3x5x5xf32>) -> tensor<5x5x3x16xf32>
// CHECK: %[[C:.*]] = hlo.convolution %[[X]], %[[W]] {{.*}} -> tensor<2x4x4x16xf32>
// CHECK: hlo.transpose %[[C]] {dimensions = array<i64: 0, 3, 1, 2>}
func.func @nchw(%x: tensor<2x3x8x8xf32>, %w: tensor<16x3x5x5xf32>) -> tensor<2x16x4x4xf32> {
  %0 = hlo.convolution %x, %w {
    window = #hlo.window<sizes = [5, 5] strides = [2, 2] low = [2, 2] high = [2, 2] base = [1, 1] dilate = [1, 1] reverse = [false, false]>,
    dim_labels = #hlo.conv<b 0 f 1 [2, 3] x i 1 o 0 [2, 3] -> b 0 f 1 [2, 3]>
  } : (tensor<2x3x8x8xf32>, tensor<16x3x5x5xf32>) -> tensor<2x16x4x4xf32>
  return %0 : tensor<2x16x4x4xf32>
}

// -----

// A reversed kernel, negative padding, batch groups: of a gradient.
// CHECK-LABEL: func.func @gradient
// CHECK: %[[W:.*]] = hlo.reverse %arg1 {dimensions = array<i64: 0>}
// CHECK: %[[G:.*]] = hlo.transpose %{{.*}} {dimensions = array<i64: 1, 2, 0, 3>} : (tensor<2x2x9x3xf32>) -> tensor<2x9x2x3xf32>
// CHECK: %[[X:.*]] = hlo.reshape %[[G]] : (tensor<2x9x2x3xf32>) -> tensor<2x9x6xf32>
// CHECK: %[[P:.*]] = hlo.pad %[[X]], %{{.*}} {high = array<i64: 0, 0, 0>, interior = array<i64: 0, 0, 0>, low = array<i64: 0, -1, 0>}
// CHECK: hlo.convolution %[[P]], %[[W]] {{.*}}feature_group_count = 2{{.*}}low = {{\[?}}0{{.*}}high = {{\[?}}2
func.func @gradient(%x: tensor<4x9x3xf32>, %w: tensor<3x3x8xf32>) -> tensor<2x8x8xf32> {
  %0 = hlo.convolution %x, %w {
    window = #hlo.window<sizes = [3] strides = [1] low = [-1] high = [2] base = [1] dilate = [1] reverse = [true]>,
    dim_labels = #hlo.conv<b 0 f 2 [1] x i 1 o 2 [0] -> b 0 f 2 [1]>, batch_group_count = 2 : i64
  } : (tensor<4x9x3xf32>, tensor<3x3x8xf32>) -> tensor<2x8x8xf32>
  return %0 : tensor<2x8x8xf32>
}

// -----

// The gradient of a filter, whose channels are images: they become positions of the window, so that rows of
// images stay contiguous.
// CHECK-LABEL: func.func @images_for_channels
// CHECK: %[[X:.*]] = hlo.transpose %{{.*}} {dimensions = array<i64: 3, 1, 0, 2, 4>} : (tensor<2x8x9x5x1xf32>) -> tensor<5x8x2x9x1xf32>
// CHECK: %[[G:.*]] = hlo.transpose %{{.*}} {dimensions = array<i64: 1, 0, 2, 4, 3>} : (tensor<2x8x9x6x1xf32>) -> tensor<8x2x9x1x6xf32>
// CHECK: hlo.convolution %[[X]], %[[G]] {{.*}}sizes = [8, 2, 9] strides = [1, 1, 1] low = [1, 0, 1] high = [1, 0, 1]{{.*}} -> tensor<5x3x1x3x6xf32>
func.func @images_for_channels(%x: tensor<2x8x9x5xf32>, %g: tensor<2x8x9x6xf32>) -> tensor<3x3x5x6xf32> {
  %0 = hlo.convolution %x, %g {
    window = #hlo.window<sizes = [8, 9] strides = [1, 1] low = [1, 1] high = [1, 1] base = [1, 1] dilate = [1, 1] reverse = [false, false]>,
    dim_labels = #hlo.conv<b 3 f 0 [1, 2] x i 0 o 3 [1, 2] -> b 2 f 3 [0, 1]>
  } : (tensor<2x8x9x5xf32>, tensor<2x8x9x6xf32>) -> tensor<3x3x5x6xf32>
  return %0 : tensor<3x3x5x6xf32>
}
