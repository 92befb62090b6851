// RUN: hlo-opt --keep-excess-precision --split-input-file %s | FileCheck %s

// Each operand is converted once, and the result is rounded once.
// CHECK-LABEL: func.func @chain
// CHECK: ^bb0(%[[X:.*]]: tensor<64xbf16>, %[[Y:.*]]: tensor<64xbf16>):
// CHECK-DAG: %[[WX:.*]] = hlo.convert %[[X]] : (tensor<64xbf16>) -> tensor<64xf32>
// CHECK-DAG: %[[WY:.*]] = hlo.convert %[[Y]] : (tensor<64xbf16>) -> tensor<64xf32>
// CHECK: %[[P:.*]] = hlo.multiply %[[WX]], %[[WY]] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
// CHECK-NEXT: %[[S:.*]] = hlo.add %[[P]], %[[WY]] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
// CHECK-NEXT: %[[R:.*]] = hlo.convert %[[S]] : (tensor<64xf32>) -> tensor<64xbf16>
// CHECK-NEXT: hlo.return %[[R]]
module attributes {hlo.targets = [{cpu = "x86-64-v3", excess_precision}]} {
  func.func @chain(%x: tensor<64xbf16>, %y: tensor<64xbf16>) -> tensor<64xbf16> {
    %r = hlo.kernel <loop> (%x, %y) {reuse = array<i64: 0>} : (tensor<64xbf16>, tensor<64xbf16>) -> tensor<64xbf16> {
    ^bb0(%0: tensor<64xbf16>, %1: tensor<64xbf16>):
      %2 = hlo.multiply %0, %1 : (tensor<64xbf16>, tensor<64xbf16>) -> tensor<64xbf16>
      %3 = hlo.add %2, %1 : (tensor<64xbf16>, tensor<64xbf16>) -> tensor<64xbf16>
      hlo.return %3 : tensor<64xbf16>
    }
    return %r : tensor<64xbf16>
  }
}

// -----

// Without the option every operation rounds.
// CHECK-LABEL: func.func @exact
// CHECK-NOT: hlo.convert
// CHECK: hlo.multiply {{.*}} -> tensor<64xbf16>
// CHECK: hlo.add {{.*}} -> tensor<64xbf16>
module attributes {hlo.targets = [{cpu = "x86-64-v3"}]} {
  func.func @exact(%x: tensor<64xbf16>) -> tensor<64xbf16> {
    %r = hlo.kernel <loop> (%x) {reuse = array<i64: 0>} : (tensor<64xbf16>) -> tensor<64xbf16> {
    ^bb0(%0: tensor<64xbf16>):
      %1 = hlo.multiply %0, %0 : (tensor<64xbf16>, tensor<64xbf16>) -> tensor<64xbf16>
      %2 = hlo.add %1, %0 : (tensor<64xbf16>, tensor<64xbf16>) -> tensor<64xbf16>
      hlo.return %2 : tensor<64xbf16>
    }
    return %r : tensor<64xbf16>
  }
}

// -----

// Constants and moved values are f32, too; what the kernel writes is rounded, while its other
// operations read what it was rounded from.
// CHECK-LABEL: func.func @moved
// CHECK: ^bb0(%[[X:.*]]: tensor<8x64xf16>, %[[V:.*]]: tensor<8xf16>):
// CHECK: %[[WV:.*]] = hlo.convert %[[V]] : (tensor<8xf16>) -> tensor<8xf32>
// CHECK: %[[E:.*]] = hlo.exponential %[[WV]] : (tensor<8xf32>) -> tensor<8xf32>
// CHECK: %[[B:.*]] = hlo.broadcast %[[E]] {dimensions = array<i64: 0>} : (tensor<8xf32>) -> tensor<8x64xf32>
// CHECK: %[[C:.*]] = hlo.constant(dense<1.562500e-02> : tensor<f32>)
// CHECK: %[[BC:.*]] = hlo.broadcast %[[C]] {{.*}} -> tensor<8x64xf32>
// CHECK: %[[M:.*]] = hlo.multiply %{{.*}}, %[[BC]]
// CHECK-NEXT: %[[FIRST:.*]] = hlo.convert %[[M]] : (tensor<8x64xf32>) -> tensor<8x64xf16>
// CHECK-NEXT: %[[D:.*]] = hlo.divide %[[M]], %[[B]]
// CHECK-NEXT: %[[SECOND:.*]] = hlo.convert %[[D]] : (tensor<8x64xf32>) -> tensor<8x64xf16>
// CHECK-NEXT: hlo.return %[[FIRST]], %[[SECOND]]
module attributes {hlo.targets = [{cpu = "x86-64-v3", excess_precision}]} {
  func.func @moved(%x: tensor<8x64xf16>, %v: tensor<8xf16>) -> (tensor<8x64xf16>, tensor<8x64xf16>) {
    %r:2 = hlo.kernel <loop> (%x, %v) {reuse = array<i64: 0, -1>} : (tensor<8x64xf16>, tensor<8xf16>) -> (tensor<8x64xf16>, tensor<8x64xf16>) {
    ^bb0(%0: tensor<8x64xf16>, %1: tensor<8xf16>):
      %2 = hlo.exponential %1 : (tensor<8xf16>) -> tensor<8xf16>
      %3 = hlo.broadcast %2 {dimensions = array<i64: 0>} : (tensor<8xf16>) -> tensor<8x64xf16>
      %4 = hlo.constant(dense<1.562500e-02> : tensor<f16>) : tensor<f16>
      %5 = hlo.broadcast %4 {dimensions = array<i64>} : (tensor<f16>) -> tensor<8x64xf16>
      %6 = hlo.multiply %0, %5 : (tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<8x64xf16>
      %7 = hlo.divide %6, %3 : (tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<8x64xf16>
      hlo.return %6, %7 : tensor<8x64xf16>, tensor<8x64xf16>
    }
    return %r#0, %r#1 : tensor<8x64xf16>, tensor<8x64xf16>
  }
}

// -----

// Sums of products, also rearranged, and conversions to a narrow float and back; an explicit precision stays.
// CHECK-LABEL: func.func @dot
// CHECK: %[[DOT:.*]] = hlo.dot {{.*}} : (tensor<16x8xbf16>, tensor<8x32xbf16>) -> tensor<16x32xf32>
// CHECK-NEXT: %[[V:.*]] = hlo.reshape %[[DOT]] : (tensor<16x32xf32>) -> tensor<16x4x8xf32>
// CHECK-NEXT: %[[T:.*]] = hlo.tanh %[[V]] : (tensor<16x4x8xf32>) -> tensor<16x4x8xf32>
// CHECK-NEXT: %[[F:.*]] = hlo.floor %[[T]] : (tensor<16x4x8xf32>) -> tensor<16x4x8xf32>
// CHECK-NEXT: %[[P:.*]] = hlo.reduce_precision %[[F]] {{.*}} : (tensor<16x4x8xf32>) -> tensor<16x4x8xf32>
// CHECK-NEXT: hlo.return %[[P]]
module attributes {hlo.targets = [{cpu = "x86-64-v3", excess_precision}]} {
  func.func @dot(%x: tensor<16x8xbf16>, %y: tensor<8x32xbf16>) -> tensor<16x4x8xf32> {
    %r = hlo.kernel <dot> (%x, %y) {reuse = array<i64: -1>} : (tensor<16x8xbf16>, tensor<8x32xbf16>) -> tensor<16x4x8xf32> {
    ^bb0(%0: tensor<16x8xbf16>, %1: tensor<8x32xbf16>):
      %2 = hlo.dot %0, %1 {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<16x8xbf16>, tensor<8x32xbf16>) -> tensor<16x32xbf16>
      %view = hlo.reshape %2 : (tensor<16x32xbf16>) -> tensor<16x4x8xbf16>
      %3 = hlo.tanh %view : (tensor<16x4x8xbf16>) -> tensor<16x4x8xbf16>
      %4 = hlo.convert %3 : (tensor<16x4x8xbf16>) -> tensor<16x4x8xf32>
      %5 = hlo.floor %4 : (tensor<16x4x8xf32>) -> tensor<16x4x8xf32>
      %6 = hlo.reduce_precision %5 {exponent_bits = 5 : i64, mantissa_bits = 3 : i64} : (tensor<16x4x8xf32>) -> tensor<16x4x8xf32>
      hlo.return %6 : tensor<16x4x8xf32>
    }
    return %r : tensor<16x4x8xf32>
  }
}

// -----

// Masked scores of attention, converted afterwards.
// CHECK-LABEL: func.func @masked
// CHECK: %[[DOT:.*]] = hlo.dot {{.*}} -> tensor<16x32xf32>
// CHECK: %[[S:.*]] = hlo.select %{{.*}}, %[[DOT]], %{{.*}} -> tensor<16x32xf32>
// CHECK-NEXT: hlo.return %[[S]]
module attributes {hlo.targets = [{cpu = "x86-64-v3", excess_precision}]} {
  func.func @masked(%x: tensor<16x8xbf16>, %y: tensor<8x32xbf16>, %p: tensor<16x32xi1>) -> tensor<16x32xf32> {
    %r = hlo.kernel <dot> (%x, %y, %p) {reuse = array<i64: -1>} : (tensor<16x8xbf16>, tensor<8x32xbf16>, tensor<16x32xi1>) -> tensor<16x32xf32> {
    ^bb0(%0: tensor<16x8xbf16>, %1: tensor<8x32xbf16>, %2: tensor<16x32xi1>):
      %3 = hlo.dot %0, %1 {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<16x8xbf16>, tensor<8x32xbf16>) -> tensor<16x32xbf16>
      %4 = hlo.constant(dense<-1.000000e+04> : tensor<bf16>) : tensor<bf16>
      %5 = hlo.broadcast %4 {dimensions = array<i64>} : (tensor<bf16>) -> tensor<16x32xbf16>
      %6 = hlo.select %2, %3, %5 : (tensor<16x32xi1>, tensor<16x32xbf16>, tensor<16x32xbf16>) -> tensor<16x32xbf16>
      %7 = hlo.convert %6 : (tensor<16x32xbf16>) -> tensor<16x32xf32>
      hlo.return %7 : tensor<16x32xf32>
    }
    return %r : tensor<16x32xf32>
  }
}

// -----

// A selection of what is in memory stays narrow; one of what was computed does not.
// CHECK-LABEL: func.func @selected
// CHECK: %[[M:.*]] = hlo.select {{.*}} -> tensor<64xbf16>
// CHECK: %[[S:.*]] = hlo.sine
// CHECK: %[[W:.*]] = hlo.select %{{.*}}, %[[S]], %{{.*}} -> tensor<64xf32>
// CHECK-NEXT: %[[R:.*]] = hlo.convert %[[W]] : (tensor<64xf32>) -> tensor<64xbf16>
// CHECK-NEXT: hlo.return %[[M]], %[[R]]
module attributes {hlo.targets = [{cpu = "x86-64-v3", excess_precision}]} {
  func.func @selected(%p: tensor<64xi1>, %x: tensor<64xbf16>, %y: tensor<64xbf16>) -> (tensor<64xbf16>, tensor<64xbf16>) {
    %r:2 = hlo.kernel <loop> (%p, %x, %y) {reuse = array<i64: -1, -1>} : (tensor<64xi1>, tensor<64xbf16>, tensor<64xbf16>) -> (tensor<64xbf16>, tensor<64xbf16>) {
    ^bb0(%0: tensor<64xi1>, %1: tensor<64xbf16>, %2: tensor<64xbf16>):
      %3 = hlo.select %0, %1, %2 : (tensor<64xi1>, tensor<64xbf16>, tensor<64xbf16>) -> tensor<64xbf16>
      %4 = hlo.sine %1 : (tensor<64xbf16>) -> tensor<64xbf16>
      %5 = hlo.select %0, %4, %2 : (tensor<64xi1>, tensor<64xbf16>, tensor<64xbf16>) -> tensor<64xbf16>
      hlo.return %3, %5 : tensor<64xbf16>, tensor<64xbf16>
    }
    return %r#0, %r#1 : tensor<64xbf16>, tensor<64xbf16>
  }
}

// -----

// A comparison is of unrounded numbers; a reduction reads rounded ones.
// CHECK-LABEL: func.func @compared
// CHECK: %[[N:.*]] = hlo.negate %{{.*}} : (tensor<8x64xf32>) -> tensor<8x64xf32>
// CHECK-NEXT: %[[R:.*]] = hlo.convert %[[N]] : (tensor<8x64xf32>) -> tensor<8x64xbf16>
// CHECK-NEXT: hlo.compare %[[N]], %{{.*}} : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x64xi1>
// CHECK: hlo.reduce %[[R]]
module attributes {hlo.targets = [{cpu = "x86-64-v3", excess_precision}]} {
  hlo.computation @sum(%a: tensor<bf16>, %b: tensor<bf16>) -> tensor<bf16> {
    %0 = hlo.add %a, %b : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
    hlo.return %0 : tensor<bf16>
  }
  func.func @compared(%x: tensor<8x64xbf16>) -> (tensor<8x64xi1>, tensor<8xbf16>) {
    %r:2 = hlo.kernel <reduce> (%x) {reuse = array<i64: -1, -1>} : (tensor<8x64xbf16>) -> (tensor<8x64xi1>, tensor<8xbf16>) {
    ^bb0(%0: tensor<8x64xbf16>):
      %zero = hlo.constant(dense<0.000000e+00> : tensor<bf16>) : tensor<bf16>
      %1 = hlo.negate %0 : (tensor<8x64xbf16>) -> tensor<8x64xbf16>
      %2 = hlo.compare %1, %0 {direction = #hlo.direction<LT>} : (tensor<8x64xbf16>, tensor<8x64xbf16>) -> tensor<8x64xi1>
      %3 = hlo.reduce %1, %zero {dimensions = array<i64: 1>, to_apply = @sum} : (tensor<8x64xbf16>, tensor<bf16>) -> tensor<8xbf16>
      hlo.return %2, %3 : tensor<8x64xi1>, tensor<8xbf16>
    }
    return %r#0, %r#1 : tensor<8x64xi1>, tensor<8xbf16>
  }
}
