// RUN: hlo-opt --slice-producers --split-input-file %s | FileCheck %s

// Weights stacked on their second dimension: each iteration slices the argument.
// CHECK-LABEL: func.func @transposed
// CHECK-NOT: hlo.transpose
// CHECK: scf.for
// CHECK: [[PART:%.*]] = hlo.dynamic_slice %arg0, {{%.*}}, [[I:%.*]], {{%.*}} {dynamic_slice_sizes = array<i64: 64, 1, 32>}
// CHECK: hlo.transpose [[PART]] {dimensions = array<i64: 1, 0, 2>} : (tensor<64x1x32xf32>) -> tensor<1x64x32xf32>
func.func @transposed(%w: tensor<64x4x32xf32>, %x: tensor<1x64x32xf32>) -> tensor<1x64x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = hlo.constant(dense<0> : tensor<i32>) : tensor<i32>
  %t = hlo.transpose %w {dimensions = array<i64: 1, 0, 2>} : (tensor<64x4x32xf32>) -> tensor<4x64x32xf32>
  %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %x) -> (tensor<1x64x32xf32>) {
    %k32 = arith.index_cast %k : index to i32
    %i = tensor.from_elements %k32 : tensor<i32>
    %s = hlo.dynamic_slice %t, %i, %zero, %zero {dynamic_slice_sizes = array<i64: 1, 64, 32>} : (tensor<4x64x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x64x32xf32>
    %n = hlo.add %a, %s : (tensor<1x64x32xf32>, tensor<1x64x32xf32>) -> tensor<1x64x32xf32>
    scf.yield %n : tensor<1x64x32xf32>
  }
  return %r : tensor<1x64x32xf32>
}

// -----

// A chain: bytes with a scale for each column, converted, multiplied and split into layers.
// CHECK-LABEL: func.func @scaled
// CHECK-NOT: hlo.multiply
// CHECK: scf.for
// CHECK: hlo.dynamic_slice %arg0, {{.*}}dynamic_slice_sizes = array<i64: 64, 32>
// CHECK: hlo.convert {{.*}} -> tensor<64x32xbf16>
// CHECK: hlo.dynamic_slice %arg1, {{.*}}dynamic_slice_sizes = array<i64: 1, 32>
// CHECK: hlo.broadcast {{.*}} -> tensor<1x64x32xbf16>
// CHECK: hlo.multiply {{.*}} -> tensor<1x64x32xbf16>
func.func @scaled(%w: tensor<256x32xi8>, %scale: tensor<4x32xbf16>, %x: tensor<1x64x32xbf16>) -> tensor<1x64x32xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = hlo.constant(dense<0> : tensor<i32>) : tensor<i32>
  %wide = hlo.convert %w : (tensor<256x32xi8>) -> tensor<256x32xbf16>
  %split = hlo.reshape %wide : (tensor<256x32xbf16>) -> tensor<4x64x32xbf16>
  %scales = hlo.broadcast %scale {dimensions = array<i64: 0, 2>} : (tensor<4x32xbf16>) -> tensor<4x64x32xbf16>
  %m = hlo.multiply %split, %scales : (tensor<4x64x32xbf16>, tensor<4x64x32xbf16>) -> tensor<4x64x32xbf16>
  %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %x) -> (tensor<1x64x32xbf16>) {
    %k32 = arith.index_cast %k : index to i32
    %i = tensor.from_elements %k32 : tensor<i32>
    %s = hlo.dynamic_slice %m, %i, %zero, %zero {dynamic_slice_sizes = array<i64: 1, 64, 32>} : (tensor<4x64x32xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x64x32xbf16>
    %n = hlo.add %a, %s : (tensor<1x64x32xbf16>, tensor<1x64x32xbf16>) -> tensor<1x64x32xbf16>
    scf.yield %n : tensor<1x64x32xbf16>
  }
  return %r : tensor<1x64x32xbf16>
}

// -----

// The last layer first: from the end of what is not reversed, after clamping.
// CHECK-LABEL: func.func @reversed
// CHECK: scf.for
// CHECK: [[LOW:%.*]] = hlo.maximum
// CHECK: [[IN:%.*]] = hlo.minimum [[LOW]]
// CHECK: [[BACK:%.*]] = hlo.multiply [[IN]]
// CHECK: [[AT:%.*]] = hlo.add [[BACK]]
// CHECK: hlo.dynamic_slice %arg0, [[AT]], {{.*}}dynamic_slice_sizes = array<i64: 1, 128>
func.func @reversed(%w: tensor<4x128xf32>, %x: tensor<1x128xf32>) -> tensor<1x128xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = hlo.constant(dense<0> : tensor<i32>) : tensor<i32>
  %t = hlo.reverse %w {dimensions = array<i64: 0>} : (tensor<4x128xf32>) -> tensor<4x128xf32>
  %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %x) -> (tensor<1x128xf32>) {
    %k32 = arith.index_cast %k : index to i32
    %i = tensor.from_elements %k32 : tensor<i32>
    %s = hlo.dynamic_slice %t, %i, %zero {dynamic_slice_sizes = array<i64: 1, 128>} : (tensor<4x128xf32>, tensor<i32>, tensor<i32>) -> tensor<1x128xf32>
    %n = hlo.add %a, %s : (tensor<1x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    scf.yield %n : tensor<1x128xf32>
  }
  return %r : tensor<1x128xf32>
}

// -----

// Padding and parts of other dimensions: each layer is padded and put together by itself.
// CHECK-LABEL: func.func @padded
// CHECK: scf.for
// CHECK: hlo.dynamic_slice %arg0, {{.*}}dynamic_slice_sizes = array<i64: 1, 96>
// CHECK: hlo.dynamic_slice %arg1, {{.*}}dynamic_slice_sizes = array<i64: 1, 32>
// CHECK: hlo.concatenate {{.*}} -> tensor<1x128xf32>
// CHECK: hlo.pad {{.*}} -> tensor<1x160xf32>
func.func @padded(%v: tensor<4x96xf32>, %w: tensor<4x32xf32>, %x: tensor<1x160xf32>) -> tensor<1x160xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = hlo.constant(dense<0> : tensor<i32>) : tensor<i32>
  %none = hlo.constant(dense<0.0> : tensor<f32>) : tensor<f32>
  %both = hlo.concatenate %v, %w {dimension = 1 : i64} : (tensor<4x96xf32>, tensor<4x32xf32>) -> tensor<4x128xf32>
  %t = hlo.pad %both, %none {low = array<i64: 0, 0>, high = array<i64: 0, 32>, interior = array<i64: 0, 0>} : (tensor<4x128xf32>, tensor<f32>) -> tensor<4x160xf32>
  %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %x) -> (tensor<1x160xf32>) {
    %k32 = arith.index_cast %k : index to i32
    %i = tensor.from_elements %k32 : tensor<i32>
    %s = hlo.dynamic_slice %t, %i, %zero {dynamic_slice_sizes = array<i64: 1, 160>} : (tensor<4x160xf32>, tensor<i32>, tensor<i32>) -> tensor<1x160xf32>
    %n = hlo.add %a, %s : (tensor<1x160xf32>, tensor<1x160xf32>) -> tensor<1x160xf32>
    scf.yield %n : tensor<1x160xf32>
  }
  return %r : tensor<1x160xf32>
}

// -----

// Rows that are padded themselves: a slice may be all padding, so it comes last.
// CHECK-LABEL: func.func @padded_rows
// CHECK: hlo.pad
// CHECK: scf.for
// CHECK-NOT: hlo.pad
func.func @padded_rows(%w: tensor<4x128xf32>, %x: tensor<1x128xf32>) -> tensor<1x128xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %zero = hlo.constant(dense<0> : tensor<i32>) : tensor<i32>
  %none = hlo.constant(dense<0.0> : tensor<f32>) : tensor<f32>
  %t = hlo.pad %w, %none {low = array<i64: 1, 0>, high = array<i64: 1, 0>, interior = array<i64: 0, 0>} : (tensor<4x128xf32>, tensor<f32>) -> tensor<6x128xf32>
  %r = scf.for %k = %c0 to %c6 step %c1 iter_args(%a = %x) -> (tensor<1x128xf32>) {
    %k32 = arith.index_cast %k : index to i32
    %i = tensor.from_elements %k32 : tensor<i32>
    %s = hlo.dynamic_slice %t, %i, %zero {dynamic_slice_sizes = array<i64: 1, 128>} : (tensor<6x128xf32>, tensor<i32>, tensor<i32>) -> tensor<1x128xf32>
    %n = hlo.add %a, %s : (tensor<1x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    scf.yield %n : tensor<1x128xf32>
  }
  return %r : tensor<1x128xf32>
}

// -----

// Layers on the minor dimension: each iteration would read all lines of memory, for one element of
// each; one transposition costs less.
// CHECK-LABEL: func.func @interleaved
// CHECK: hlo.transpose
// CHECK: scf.for
// CHECK-NOT: hlo.transpose
func.func @interleaved(%w: tensor<4096x32xf32>, %x: tensor<1x4096xf32>) -> tensor<1x4096xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %zero = hlo.constant(dense<0> : tensor<i32>) : tensor<i32>
  %t = hlo.transpose %w {dimensions = array<i64: 1, 0>} : (tensor<4096x32xf32>) -> tensor<32x4096xf32>
  %r = scf.for %k = %c0 to %c32 step %c1 iter_args(%a = %x) -> (tensor<1x4096xf32>) {
    %k32 = arith.index_cast %k : index to i32
    %i = tensor.from_elements %k32 : tensor<i32>
    %s = hlo.dynamic_slice %t, %i, %zero {dynamic_slice_sizes = array<i64: 1, 4096>} : (tensor<32x4096xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4096xf32>
    %n = hlo.add %a, %s : (tensor<1x4096xf32>, tensor<1x4096xf32>) -> tensor<1x4096xf32>
    scf.yield %n : tensor<1x4096xf32>
  }
  return %r : tensor<1x4096xf32>
}

// -----

// Two loops, a pass over all layers for each of 64 tokens: half the bytes, read 64 times, pay for
// the conversion.
// CHECK-LABEL: func.func @many_passes
// CHECK: hlo.convert {{.*}} -> tensor<4x65536xbf16>
// CHECK: scf.for
// CHECK-NOT: hlo.convert
func.func @many_passes(%w: tensor<4x65536xf32>, %x: tensor<1x65536xbf16>) -> tensor<1x65536xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %zero = hlo.constant(dense<0> : tensor<i32>) : tensor<i32>
  %t = hlo.convert %w : (tensor<4x65536xf32>) -> tensor<4x65536xbf16>
  %q = scf.for %token = %c0 to %c64 step %c1 iter_args(%b = %x) -> (tensor<1x65536xbf16>) {
    %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %b) -> (tensor<1x65536xbf16>) {
      %k32 = arith.index_cast %k : index to i32
      %i = tensor.from_elements %k32 : tensor<i32>
      %s = hlo.dynamic_slice %t, %i, %zero {dynamic_slice_sizes = array<i64: 1, 65536>} : (tensor<4x65536xbf16>, tensor<i32>, tensor<i32>) -> tensor<1x65536xbf16>
      %n = hlo.add %a, %s : (tensor<1x65536xbf16>, tensor<1x65536xbf16>) -> tensor<1x65536xbf16>
      scf.yield %n : tensor<1x65536xbf16>
    }
    scf.yield %r : tensor<1x65536xbf16>
  }
  return %q : tensor<1x65536xbf16>
}

// -----

// One pass does not.
// CHECK-LABEL: func.func @one_pass
// CHECK: scf.for
// CHECK: hlo.convert {{.*}} -> tensor<1x65536xbf16>
func.func @one_pass(%w: tensor<4x65536xf32>, %x: tensor<1x65536xbf16>) -> tensor<1x65536xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = hlo.constant(dense<0> : tensor<i32>) : tensor<i32>
  %t = hlo.convert %w : (tensor<4x65536xf32>) -> tensor<4x65536xbf16>
  %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %x) -> (tensor<1x65536xbf16>) {
    %k32 = arith.index_cast %k : index to i32
    %i = tensor.from_elements %k32 : tensor<i32>
    %s = hlo.dynamic_slice %t, %i, %zero {dynamic_slice_sizes = array<i64: 1, 65536>} : (tensor<4x65536xbf16>, tensor<i32>, tensor<i32>) -> tensor<1x65536xbf16>
    %n = hlo.add %a, %s : (tensor<1x65536xbf16>, tensor<1x65536xbf16>) -> tensor<1x65536xbf16>
    scf.yield %n : tensor<1x65536xbf16>
  }
  return %r : tensor<1x65536xbf16>
}

// -----

// Something else wants it in memory; and what is expensive is computed once.
// CHECK-LABEL: func.func @needed_whole
// CHECK: hlo.transpose
// CHECK: hlo.exponential
// CHECK: scf.for
// CHECK: hlo.dynamic_slice {{.*}} -> tensor<1x128xf32>
// CHECK: hlo.dynamic_slice {{.*}} -> tensor<1x128xf32>
func.func @needed_whole(%w: tensor<128x4xf32>, %v: tensor<4x128xf32>, %x: tensor<1x128xf32>) -> (tensor<1x128xf32>, tensor<4x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = hlo.constant(dense<0> : tensor<i32>) : tensor<i32>
  %t = hlo.transpose %w {dimensions = array<i64: 1, 0>} : (tensor<128x4xf32>) -> tensor<4x128xf32>
  %e = hlo.exponential %v : (tensor<4x128xf32>) -> tensor<4x128xf32>
  %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %x) -> (tensor<1x128xf32>) {
    %k32 = arith.index_cast %k : index to i32
    %i = tensor.from_elements %k32 : tensor<i32>
    %s = hlo.dynamic_slice %t, %i, %zero {dynamic_slice_sizes = array<i64: 1, 128>} : (tensor<4x128xf32>, tensor<i32>, tensor<i32>) -> tensor<1x128xf32>
    %u = hlo.dynamic_slice %e, %i, %zero {dynamic_slice_sizes = array<i64: 1, 128>} : (tensor<4x128xf32>, tensor<i32>, tensor<i32>) -> tensor<1x128xf32>
    %m = hlo.multiply %s, %u : (tensor<1x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    %n = hlo.add %a, %m : (tensor<1x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    scf.yield %n : tensor<1x128xf32>
  }
  return %r, %t : tensor<1x128xf32>, tensor<4x128xf32>
}

// -----

// Layers without a loop, each of which another kernel reads; but not what overlaps.
// CHECK-LABEL: func.func @unrolled
// CHECK-DAG: hlo.slice %arg0 {limits = array<i64: 64, 1, 32>, starts = array<i64: 0, 0, 0>
// CHECK-DAG: hlo.slice %arg0 {limits = array<i64: 64, 2, 32>, starts = array<i64: 0, 1, 0>
// CHECK: hlo.transpose %arg1
func.func @unrolled(%w: tensor<64x2x32xf32>, %v: tensor<32x64xf32>) -> (tensor<1x64x32xf32>, tensor<1x64x32xf32>, tensor<63x32xf32>, tensor<63x32xf32>) {
  %t = hlo.transpose %w {dimensions = array<i64: 1, 0, 2>} : (tensor<64x2x32xf32>) -> tensor<2x64x32xf32>
  %0 = hlo.slice %t {starts = array<i64: 0, 0, 0>, limits = array<i64: 1, 64, 32>, strides = array<i64: 1, 1, 1>} : (tensor<2x64x32xf32>) -> tensor<1x64x32xf32>
  %1 = hlo.slice %t {starts = array<i64: 1, 0, 0>, limits = array<i64: 2, 64, 32>, strides = array<i64: 1, 1, 1>} : (tensor<2x64x32xf32>) -> tensor<1x64x32xf32>
  %u = hlo.transpose %v {dimensions = array<i64: 1, 0>} : (tensor<32x64xf32>) -> tensor<64x32xf32>
  %2 = hlo.slice %u {starts = array<i64: 0, 0>, limits = array<i64: 63, 32>, strides = array<i64: 1, 1>} : (tensor<64x32xf32>) -> tensor<63x32xf32>
  %3 = hlo.slice %u {starts = array<i64: 1, 0>, limits = array<i64: 64, 32>, strides = array<i64: 1, 1>} : (tensor<64x32xf32>) -> tensor<63x32xf32>
  return %0, %1, %2, %3 : tensor<1x64x32xf32>, tensor<1x64x32xf32>, tensor<63x32xf32>, tensor<63x32xf32>
}
