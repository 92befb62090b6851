// RUN: hlo-opt --fold-weights --split-input-file %s | FileCheck %s

// Weights converted to a narrower type in a loop over layers: the whole stack is converted and stored
// as such. (All constants here have more than 16,384 elements: smaller ones are always folded.)
// CHECK-LABEL: func.func @layers
// CHECK: [[W:%.*]] = hlo.constant(dense<1.500000e+00> : tensor<4x64x64xbf16>)
// CHECK: scf.for
// CHECK: [[PART:%.*]] = hlo.dynamic_slice [[W]], {{%.*}} : (tensor<4x64x64xbf16>, {{.*}}) -> tensor<1x64x64xbf16>
// CHECK-NEXT: [[LAYER:%.*]] = hlo.reshape [[PART]] : (tensor<1x64x64xbf16>) -> tensor<64x64xbf16>
// CHECK-NOT: hlo.convert
// CHECK: hlo.add {{%.*}}, [[LAYER]]
func.func @layers(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = hlo.constant(dense<0> : tensor<i32>) : tensor<i32>
  %w = hlo.constant(dense<1.5> : tensor<4x64x64xf32>) : tensor<4x64x64xf32>
  %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %x) -> (tensor<64x64xbf16>) {
    %k32 = arith.index_cast %k : index to i32
    %i = tensor.from_elements %k32 : tensor<i32>
    %s = hlo.dynamic_slice %w, %i, %zero, %zero {dynamic_slice_sizes = array<i64: 1, 64, 64>} : (tensor<4x64x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x64x64xf32>
    %l = hlo.reshape %s : (tensor<1x64x64xf32>) -> tensor<64x64xf32>
    %c = hlo.convert %l : (tensor<64x64xf32>) -> tensor<64x64xbf16>
    %n = hlo.add %a, %c : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
    scf.yield %n : tensor<64x64xbf16>
  }
  return %r : tensor<64x64xbf16>
}

// -----

// Converted to a wider type: the narrow one is held.
// CHECK-LABEL: func.func @widened
// CHECK: hlo.constant(dense<3> : tensor<256x128xi8>)
// CHECK: hlo.convert {{.*}} -> tensor<256x128xf32>
func.func @widened(%x: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %w = hlo.constant(dense<3> : tensor<256x128xi8>) : tensor<256x128xi8>
  %c = hlo.convert %w : (tensor<256x128xi8>) -> tensor<256x128xf32>
  %r = hlo.add %x, %c : (tensor<256x128xf32>, tensor<256x128xf32>) -> tensor<256x128xf32>
  return %r : tensor<256x128xf32>
}

// -----

// Wider on the way only, with a scale for all: what comes out at the end is held.
// CHECK-LABEL: func.func @through
// CHECK: [[W:%.*]] = hlo.constant(dense<5.000000e-01> : tensor<128x128xbf16>)
// CHECK-NEXT: hlo.add %arg0, [[W]]
func.func @through(%x: tensor<128x128xbf16>) -> tensor<128x128xbf16> {
  %w = hlo.constant(dense<1.0> : tensor<128x128xbf16>) : tensor<128x128xbf16>
  %half = hlo.constant(dense<0.5> : tensor<f32>) : tensor<f32>
  %wide = hlo.convert %w : (tensor<128x128xbf16>) -> tensor<128x128xf32>
  %scale = hlo.broadcast %half {dimensions = array<i64>} : (tensor<f32>) -> tensor<128x128xf32>
  %p = hlo.multiply %wide, %scale : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %c = hlo.convert %p : (tensor<128x128xf32>) -> tensor<128x128xbf16>
  %r = hlo.add %x, %c : (tensor<128x128xbf16>, tensor<128x128xbf16>) -> tensor<128x128xbf16>
  return %r : tensor<128x128xbf16>
}

// -----

// A table whose rows are gathered, and which is transposed for a product: not held twice.
// CHECK-LABEL: func.func @tied(
// CHECK: [[W:%.*]] = hlo.constant({{.*}} : tensor<512x64xf32>)
// CHECK-DAG: hlo.transpose [[W]]
// CHECK-DAG: hlo.dynamic_slice [[W]]
func.func @tied(%i: tensor<i32>, %x: tensor<64x512xf32>) -> (tensor<1x64xf32>, tensor<64x512xf32>) {
  %zero = hlo.constant(dense<0> : tensor<i32>) : tensor<i32>
  %w = hlo.constant(dense<1.5> : tensor<512x64xf32>) : tensor<512x64xf32>
  %t = hlo.transpose %w {dimensions = array<i64: 1, 0>} : (tensor<512x64xf32>) -> tensor<64x512xf32>
  %s = hlo.dynamic_slice %w, %i, %zero {dynamic_slice_sizes = array<i64: 1, 64>} : (tensor<512x64xf32>, tensor<i32>, tensor<i32>) -> tensor<1x64xf32>
  %r = hlo.add %x, %t : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
  return %s, %r : tensor<1x64xf32>, tensor<64x512xf32>
}

// -----

// The same with both in a narrower type: converted once, before rows are taken.
// CHECK-LABEL: func.func @tied_converted
// CHECK: [[W:%.*]] = hlo.constant({{.*}} : tensor<512x64xbf16>)
// CHECK-NOT: hlo.convert
// CHECK: return
func.func @tied_converted(%i: tensor<i32>, %x: tensor<64x512xbf16>) -> (tensor<1x64xbf16>, tensor<64x512xbf16>) {
  %zero = hlo.constant(dense<0> : tensor<i32>) : tensor<i32>
  %w = hlo.constant(dense<1.5> : tensor<512x64xf32>) : tensor<512x64xf32>
  %b = hlo.convert %w : (tensor<512x64xf32>) -> tensor<512x64xbf16>
  %t = hlo.transpose %b {dimensions = array<i64: 1, 0>} : (tensor<512x64xbf16>) -> tensor<64x512xbf16>
  %s = hlo.dynamic_slice %w, %i, %zero {dynamic_slice_sizes = array<i64: 1, 64>} : (tensor<512x64xf32>, tensor<i32>, tensor<i32>) -> tensor<1x64xf32>
  %c = hlo.convert %s : (tensor<1x64xf32>) -> tensor<1x64xbf16>
  %r = hlo.add %x, %t : (tensor<64x512xbf16>, tensor<64x512xbf16>) -> tensor<64x512xbf16>
  return %c, %r : tensor<1x64xbf16>, tensor<64x512xbf16>
}

// -----

// Parts that together are the whole are held apart; a part alone of what is held anyway is not.
// CHECK-LABEL: func.func @parts
// CHECK-COUNT-2: hlo.constant({{.*}} : tensor<256x64xf32>)
// CHECK-NOT: hlo.slice
// CHECK: return
func.func @parts(%x: tensor<256x64xf32>) -> tensor<256x64xf32> {
  %w = hlo.constant(dense<1.5> : tensor<256x128xf32>) : tensor<256x128xf32>
  %a = hlo.slice %w {limits = array<i64: 256, 64>, starts = array<i64: 0, 0>, strides = array<i64: 1, 1>} : (tensor<256x128xf32>) -> tensor<256x64xf32>
  %b = hlo.slice %w {limits = array<i64: 256, 128>, starts = array<i64: 0, 64>, strides = array<i64: 1, 1>} : (tensor<256x128xf32>) -> tensor<256x64xf32>
  %p = hlo.multiply %x, %a : (tensor<256x64xf32>, tensor<256x64xf32>) -> tensor<256x64xf32>
  %r = hlo.add %p, %b : (tensor<256x64xf32>, tensor<256x64xf32>) -> tensor<256x64xf32>
  return %r : tensor<256x64xf32>
}

// -----

// CHECK-LABEL: func.func @part
// CHECK: [[W:%.*]] = hlo.constant
// CHECK: hlo.slice [[W]]
func.func @part(%x: tensor<256x128xf32>) -> (tensor<256x128xf32>, tensor<256x64xf32>) {
  %w = hlo.constant(dense<1.5> : tensor<256x128xf32>) : tensor<256x128xf32>
  %a = hlo.slice %w {limits = array<i64: 256, 64>, starts = array<i64: 0, 0>, strides = array<i64: 1, 1>} : (tensor<256x128xf32>) -> tensor<256x64xf32>
  %n = hlo.negate %a : (tensor<256x64xf32>) -> tensor<256x64xf32>
  %p = hlo.multiply %x, %w : (tensor<256x128xf32>, tensor<256x128xf32>) -> tensor<256x128xf32>
  return %p, %n : tensor<256x128xf32>, tensor<256x64xf32>
}
