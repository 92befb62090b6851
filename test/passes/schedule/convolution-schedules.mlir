// The schedules of convolutions, on different machines. Each CHECK line tests one choice.

// RUN: hlo-opt --choose-schedules --split-input-file %s | FileCheck %s
// RUN: hlo-opt --choose-schedules=remarks --split-input-file %s 2>&1 >/dev/null | FileCheck %s --check-prefix=WHY

// Lanes on features, if they fill them.
// CHECK-LABEL: func.func @features
// CHECK: hlo.kernel <convolution>
// CHECK-SAME: #hlo.schedule<"convolution.features" tile = [6, 2] block = [64, 1] lanes = 8 with = ["patch"]>
// CHECK-SAME: #hlo.schedule<"convolution.features" tile = [8, 2] block = [64, 1] lanes = 16 with = ["patch"]>
module attributes {hlo.targets = [{cpu = "x86-64-v2", triple = "x86_64-linux-gnu"}, {cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}, {cpu = "x86-64-v4", triple = "x86_64-linux-gnu"}]} {
  func.func @features(%x: tensor<1x56x56x64xf32>, %w: tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32> {
    %r = hlo.kernel <convolution> (%x, %w) {reuse = array<i64: -1>} : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32> {
    ^bb0(%input: tensor<1x56x56x64xf32>, %filter: tensor<3x3x64x64xf32>):
      %0 = hlo.convolution %input, %filter {dim_labels = #hlo.conv<b 0 f 3 [1, 2] x i 2 o 3 [0, 1] -> b 0 f 3 [1, 2]>, feature_group_count = 1, window = #hlo.window<sizes = [3, 3] strides = [1, 1] low = [1, 1] high = [1, 1] base = [1, 1] dilate = [1, 1] reverse = [false, false]>} : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32>
      hlo.return %0 : tensor<1x56x56x64xf32>
    }
    return %r : tensor<1x56x56x64xf32>
  }
}

// -----

// Each group of one channel and one feature: lanes on groups.
// CHECK-LABEL: func.func @groups
// CHECK: hlo.kernel <convolution>
// CHECK-SAME: "convolution.groups" {{.*}}"convolution.groups" tile = [6, 2] {{.*}}"convolution.groups" tile = [8, 2]
// WHY: remark: schedule for x86-64-v3: #hlo.schedule<"convolution.groups"{{.*}} us; next: #hlo.schedule<"convolution.features"
module attributes {hlo.targets = [{cpu = "x86-64-v2", triple = "x86_64-linux-gnu"}, {cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}, {cpu = "x86-64-v4", triple = "x86_64-linux-gnu"}]} {
  func.func @groups(%x: tensor<1x56x56x64xf32>, %w: tensor<3x3x1x64xf32>) -> tensor<1x56x56x64xf32> {
    %r = hlo.kernel <convolution> (%x, %w) {reuse = array<i64: -1>} : (tensor<1x56x56x64xf32>, tensor<3x3x1x64xf32>) -> tensor<1x56x56x64xf32> {
    ^bb0(%input: tensor<1x56x56x64xf32>, %filter: tensor<3x3x1x64xf32>):
      %0 = hlo.convolution %input, %filter {dim_labels = #hlo.conv<b 0 f 3 [1, 2] x i 2 o 3 [0, 1] -> b 0 f 3 [1, 2]>, feature_group_count = 64, window = #hlo.window<sizes = [3, 3] strides = [1, 1] low = [1, 1] high = [1, 1] base = [1, 1] dilate = [1, 1] reverse = [false, false]>} : (tensor<1x56x56x64xf32>, tensor<3x3x1x64xf32>) -> tensor<1x56x56x64xf32>
      hlo.return %0 : tensor<1x56x56x64xf32>
    }
    return %r : tensor<1x56x56x64xf32>
  }
}

// -----

// Few features of few channels: lanes on pixels.
// CHECK-LABEL: func.func @pixels
// CHECK: hlo.kernel <convolution>
// CHECK-SAME: "convolution.pixels" {{.*}}"convolution.pixels" {{.*}}"convolution.pixels"
module attributes {hlo.targets = [{cpu = "x86-64-v2", triple = "x86_64-linux-gnu"}, {cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}, {cpu = "x86-64-v4", triple = "x86_64-linux-gnu"}]} {
  func.func @pixels(%x: tensor<1x64x64x1xf32>, %w: tensor<5x5x1x1xf32>) -> tensor<1x64x64x1xf32> {
    %r = hlo.kernel <convolution> (%x, %w) {reuse = array<i64: -1>} : (tensor<1x64x64x1xf32>, tensor<5x5x1x1xf32>) -> tensor<1x64x64x1xf32> {
    ^bb0(%input: tensor<1x64x64x1xf32>, %filter: tensor<5x5x1x1xf32>):
      %0 = hlo.convolution %input, %filter {dim_labels = #hlo.conv<b 0 f 3 [1, 2] x i 2 o 3 [0, 1] -> b 0 f 3 [1, 2]>, feature_group_count = 1, window = #hlo.window<sizes = [5, 5] strides = [1, 1] low = [2, 2] high = [2, 2] base = [1, 1] dilate = [1, 1] reverse = [false, false]>} : (tensor<1x64x64x1xf32>, tensor<5x5x1x1xf32>) -> tensor<1x64x64x1xf32>
      hlo.return %0 : tensor<1x64x64x1xf32>
    }
    return %r : tensor<1x64x64x1xf32>
  }
}

// -----

// One feature of many channels: lanes on channels.
// CHECK-LABEL: func.func @channels
// CHECK: hlo.kernel <convolution>
// CHECK-SAME: "convolution.channels" tile = [12, 1] lanes = 4{{.*}}"convolution.channels" tile = [12, 1] lanes = 8{{.*}}"convolution.channels" tile = [24, 1] lanes = 16
module attributes {hlo.targets = [{cpu = "x86-64-v2", triple = "x86_64-linux-gnu"}, {cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}, {cpu = "x86-64-v4", triple = "x86_64-linux-gnu"}]} {
  func.func @channels(%x: tensor<1x64x64x64xf32>, %w: tensor<3x3x64x1xf32>) -> tensor<1x64x64x1xf32> {
    %r = hlo.kernel <convolution> (%x, %w) {reuse = array<i64: -1>} : (tensor<1x64x64x64xf32>, tensor<3x3x64x1xf32>) -> tensor<1x64x64x1xf32> {
    ^bb0(%input: tensor<1x64x64x64xf32>, %filter: tensor<3x3x64x1xf32>):
      %0 = hlo.convolution %input, %filter {dim_labels = #hlo.conv<b 0 f 3 [1, 2] x i 2 o 3 [0, 1] -> b 0 f 3 [1, 2]>, feature_group_count = 1, window = #hlo.window<sizes = [3, 3] strides = [1, 1] low = [1, 1] high = [1, 1] base = [1, 1] dilate = [1, 1] reverse = [false, false]>} : (tensor<1x64x64x64xf32>, tensor<3x3x64x1xf32>) -> tensor<1x64x64x1xf32>
      hlo.return %0 : tensor<1x64x64x1xf32>
    }
    return %r : tensor<1x64x64x1xf32>
  }
}

// -----

// A filter that does not stay in the second cache goes in blocks.
// CHECK-LABEL: func.func @blocked
// CHECK: hlo.kernel <convolution>
// CHECK-SAME: "convolution.blocked" {{.*}}"convolution.blocked" tile = [5, 2] block = [32, 14, 256] lanes = 8{{.*}}"convolution.blocked" tile = [7, 2] block = [64, 14, 256] lanes = 16
module attributes {hlo.targets = [{cpu = "x86-64-v2", triple = "x86_64-linux-gnu"}, {cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}, {cpu = "x86-64-v4", triple = "x86_64-linux-gnu"}]} {
  func.func @blocked(%x: tensor<8x14x14x256xf32>, %w: tensor<3x3x256x256xf32>) -> tensor<8x14x14x256xf32> {
    %r = hlo.kernel <convolution> (%x, %w) {reuse = array<i64: -1>} : (tensor<8x14x14x256xf32>, tensor<3x3x256x256xf32>) -> tensor<8x14x14x256xf32> {
    ^bb0(%input: tensor<8x14x14x256xf32>, %filter: tensor<3x3x256x256xf32>):
      %0 = hlo.convolution %input, %filter {dim_labels = #hlo.conv<b 0 f 3 [1, 2] x i 2 o 3 [0, 1] -> b 0 f 3 [1, 2]>, feature_group_count = 1, window = #hlo.window<sizes = [3, 3] strides = [1, 1] low = [1, 1] high = [1, 1] base = [1, 1] dilate = [1, 1] reverse = [false, false]>} : (tensor<8x14x14x256xf32>, tensor<3x3x256x256xf32>) -> tensor<8x14x14x256xf32>
      hlo.return %0 : tensor<8x14x14x256xf32>
    }
    return %r : tensor<8x14x14x256xf32>
  }
}

// -----

// Also with strides, and where half of the second cache is too small for the input under two rows
// of windows: packing the filter once more takes longer than to read the input from the third.
// CHECK-LABEL: func.func @strided
// CHECK: hlo.kernel <convolution>
// CHECK-SAME: "convolution.blocked" tile = [4, 3] block = [48, 7, 256] lanes = 8
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu", single_threaded}]} {
  func.func @strided(%x: tensor<1x14x14x512xf32>, %w: tensor<3x3x512x512xf32>) -> tensor<1x7x7x512xf32> {
    %r = hlo.kernel <convolution> (%x, %w) {reuse = array<i64: -1>} : (tensor<1x14x14x512xf32>, tensor<3x3x512x512xf32>) -> tensor<1x7x7x512xf32> {
    ^bb0(%input: tensor<1x14x14x512xf32>, %filter: tensor<3x3x512x512xf32>):
      %0 = hlo.convolution %input, %filter {dim_labels = #hlo.conv<b 0 f 3 [1, 2] x i 2 o 3 [0, 1] -> b 0 f 3 [1, 2]>, feature_group_count = 1, window = #hlo.window<sizes = [3, 3] strides = [2, 2] low = [1, 1] high = [1, 1] base = [1, 1] dilate = [1, 1] reverse = [false, false]>} : (tensor<1x14x14x512xf32>, tensor<3x3x512x512xf32>) -> tensor<1x7x7x512xf32>
      hlo.return %0 : tensor<1x7x7x512xf32>
    }
    return %r : tensor<1x7x7x512xf32>
  }
}

// -----

// With threads there are units for eight equal shares: of one tile of features and half the rows.
// CHECK-LABEL: func.func @shares
// CHECK: hlo.kernel <convolution>
// CHECK-SAME: "convolution.blocked" tile = [5, 2] block = [32, 14, 256] lanes = 8
// CHECK-SAME: "convolution.blocked" tile = [5, 2] block = [16, 7, 256] lanes = 8
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu", single_threaded}, {cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @shares(%x: tensor<1x14x14x256xf32>, %w: tensor<3x3x256x192xf32>) -> tensor<1x14x14x192xf32> {
    %r = hlo.kernel <convolution> (%x, %w) {reuse = array<i64: -1>} : (tensor<1x14x14x256xf32>, tensor<3x3x256x192xf32>) -> tensor<1x14x14x192xf32> {
    ^bb0(%input: tensor<1x14x14x256xf32>, %filter: tensor<3x3x256x192xf32>):
      %0 = hlo.convolution %input, %filter {dim_labels = #hlo.conv<b 0 f 3 [1, 2] x i 2 o 3 [0, 1] -> b 0 f 3 [1, 2]>, feature_group_count = 1, window = #hlo.window<sizes = [3, 3] strides = [1, 1] low = [1, 1] high = [1, 1] base = [1, 1] dilate = [1, 1] reverse = [false, false]>} : (tensor<1x14x14x256xf32>, tensor<3x3x256x192xf32>) -> tensor<1x14x14x192xf32>
      hlo.return %0 : tensor<1x14x14x192xf32>
    }
    return %r : tensor<1x14x14x192xf32>
  }
}

// -----

// Bytes are multiplied in groups of channels: two for each sum, or four.
// CHECK-LABEL: func.func @bytes
// CHECK: hlo.kernel <convolution>
// CHECK-SAME: "convolution.blocked" tile = [6, 2] block = [32, 14, 64] lanes = 8 group = 2>
// CHECK-SAME: "convolution.blocked" tile = [8, 2] block = [64, 56, 64] lanes = 16 group = 4>
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu", single_threaded}, {cpu = "icelake-server", triple = "x86_64-linux-gnu", single_threaded}]} {
  func.func @bytes(%x: tensor<1x56x56x64xi8>, %w: tensor<3x3x64x64xi8>) -> tensor<1x56x56x64xi32> {
    %r = hlo.kernel <convolution> (%x, %w) {reuse = array<i64: -1>} : (tensor<1x56x56x64xi8>, tensor<3x3x64x64xi8>) -> tensor<1x56x56x64xi32> {
    ^bb0(%input: tensor<1x56x56x64xi8>, %filter: tensor<3x3x64x64xi8>):
      %0 = hlo.convolution %input, %filter {dim_labels = #hlo.conv<b 0 f 3 [1, 2] x i 2 o 3 [0, 1] -> b 0 f 3 [1, 2]>, feature_group_count = 1, window = #hlo.window<sizes = [3, 3] strides = [1, 1] low = [1, 1] high = [1, 1] base = [1, 1] dilate = [1, 1] reverse = [false, false]>} : (tensor<1x56x56x64xi8>, tensor<3x3x64x64xi8>) -> tensor<1x56x56x64xi32>
      hlo.return %0 : tensor<1x56x56x64xi32>
    }
    return %r : tensor<1x56x56x64xi32>
  }
}

// -----

// A window larger than the result, as in gradients of filters: images share blocks of the window. On more
// cores, fewer images do.
// CHECK-LABEL: func.func @gradient
// CHECK: hlo.kernel <convolution>
// CHECK-SAME: "convolution.window" tile = [3, 4] block = [32, 16, 4] lanes = 8
// CHECK-SAME: "convolution.window" tile = [3, 4] block = [64, 2, 9] lanes = 16
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}, {cpu = "x86-64-v4", triple = "x86_64-linux-gnu"}]} {
  func.func @gradient(%x: tensor<64x56x4x56x1xf32>, %g: tensor<56x4x56x1x64xf32>) -> tensor<64x3x1x3x64xf32> {
    %r = hlo.kernel <convolution> (%x, %g) {reuse = array<i64: -1>} : (tensor<64x56x4x56x1xf32>, tensor<56x4x56x1x64xf32>) -> tensor<64x3x1x3x64xf32> {
    ^bb0(%input: tensor<64x56x4x56x1xf32>, %filter: tensor<56x4x56x1x64xf32>):
      %0 = hlo.convolution %input, %filter {dim_labels = #hlo.conv<b 0 f 4 [1, 2, 3] x i 3 o 4 [0, 1, 2] -> b 0 f 4 [1, 2, 3]>, feature_group_count = 1, window = #hlo.window<sizes = [56, 4, 56] strides = [1, 1, 1] low = [1, 0, 1] high = [1, 0, 1] base = [1, 1, 1] dilate = [1, 1, 1] reverse = [false, false, false]>} : (tensor<64x56x4x56x1xf32>, tensor<56x4x56x1x64xf32>) -> tensor<64x3x1x3x64xf32>
      hlo.return %0 : tensor<64x3x1x3x64xf32>
    }
    return %r : tensor<64x3x1x3x64xf32>
  }
}

// -----

// A line of pixels: units are parts of it. If the filter stays in L2, it is not packed.
// CHECK-LABEL: func.func @line
// CHECK: hlo.kernel <convolution>
// CHECK-SAME: "convolution.blocked" tile = [6, 2] block = [32, 108, 256] lanes = 8
// CHECK-SAME: "convolution.blocked" tile = [10, 2] block = [64, 100, 256] lanes = 16
// CHECK: hlo.kernel <convolution>
// CHECK-SAME: "convolution.features"{{.*}}"convolution.features"
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu", single_threaded}, {cpu = "x86-64-v4", triple = "x86_64-linux-gnu", single_threaded}]} {
  func.func @line(%x: tensor<1x3200x512xf32>, %w: tensor<3x512x512xf32>, %v: tensor<3x512x16xf32>) -> (tensor<1x1600x512xf32>, tensor<1x1600x16xf32>) {
    %r = hlo.kernel <convolution> (%x, %w) {reuse = array<i64: -1>} : (tensor<1x3200x512xf32>, tensor<3x512x512xf32>) -> tensor<1x1600x512xf32> {
    ^bb0(%input: tensor<1x3200x512xf32>, %filter: tensor<3x512x512xf32>):
      %0 = hlo.convolution %input, %filter {dim_labels = #hlo.conv<b 0 f 2 [1] x i 1 o 2 [0] -> b 0 f 2 [1]>, feature_group_count = 1, window = #hlo.window<sizes = [3] strides = [2] low = [0] high = [1] base = [1] dilate = [1] reverse = [false]>} : (tensor<1x3200x512xf32>, tensor<3x512x512xf32>) -> tensor<1x1600x512xf32>
      hlo.return %0 : tensor<1x1600x512xf32>
    }
    %s = hlo.kernel <convolution> (%x, %v) {reuse = array<i64: -1>} : (tensor<1x3200x512xf32>, tensor<3x512x16xf32>) -> tensor<1x1600x16xf32> {
    ^bb0(%input: tensor<1x3200x512xf32>, %filter: tensor<3x512x16xf32>):
      %0 = hlo.convolution %input, %filter {dim_labels = #hlo.conv<b 0 f 2 [1] x i 1 o 2 [0] -> b 0 f 2 [1]>, feature_group_count = 1, window = #hlo.window<sizes = [3] strides = [2] low = [0] high = [1] base = [1] dilate = [1] reverse = [false]>} : (tensor<1x3200x512xf32>, tensor<3x512x16xf32>) -> tensor<1x1600x16xf32>
      hlo.return %0 : tensor<1x1600x16xf32>
    }
    return %r, %s : tensor<1x1600x512xf32>, tensor<1x1600x16xf32>
  }
}
