// RUN: hlo-opt --pack-operands --split-input-file %s | FileCheck %s

// Panels are as wide as the tile: 16 columns, of which the last panel shares 8 with the one before; the depth
// is divided into blocks of 256. A separate kernel packs them, and the dot reads its operand from them.
// CHECK-LABEL: func.func @argument
// CHECK: %[[PANELS:.*]] = hlo.kernel <loop> (%arg1) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"loop.
// CHECK: hlo.concatenate
// CHECK: hlo.pad
// CHECK: hlo.return %{{.*}} : tensor<1x2x3x256x16xf32>
// CHECK: hlo.kernel <dot> (%arg0, %[[PANELS]]) {reuse = array<i64: -1>
// CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<24x300xf32>, %{{.*}}: tensor<1x2x3x256x16xf32>):
// CHECK: %[[B:.*]] = hlo.concatenate {{.*}} -> tensor<1x300x40xf32>
// CHECK: %[[C:.*]] = hlo.reshape %[[B]]
// CHECK: hlo.dot %[[X]], %[[C]] {hlo.packed_from = "{{[0-9a-f]+}}"
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @argument(%a: tensor<24x300xf32>, %b: tensor<300x40xf32>) -> tensor<24x40xf32> {
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"dot.packed" tile = [6, 2] block = [24, 48, 256] lanes = 8 with = ["packed_right"]>]} : (tensor<24x300xf32>, tensor<300x40xf32>) -> tensor<24x40xf32> {
    ^bb0(%x: tensor<24x300xf32>, %y: tensor<300x40xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<24x300xf32>, tensor<300x40xf32>) -> tensor<24x40xf32>
      hlo.return %0 : tensor<24x40xf32>
    }
    return %r : tensor<24x40xf32>
  }
}

// -----

// A constant is packed here, and not kept as it was.
// CHECK-LABEL: func.func @constant
// CHECK-NOT: hlo.constant(
// CHECK: %[[PANELS:.*]] = hlo.constant(dense<{{\[\[\[\[\[}}1.000000e+00, 2.000000e+00], [4.000000e+00, 5.000000e+00]], {{\[\[}}2.000000e+00, 3.000000e+00], [5.000000e+00, 6.000000e+00]]]]]> : tensor<1x1x2x2x2xf32>)
// CHECK-NOT: hlo.constant(
// CHECK: hlo.kernel <dot> (%arg0, %[[PANELS]])
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @constant(%a: tensor<4x2xf32>) -> tensor<4x3xf32> {
    %b = hlo.constant(dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>) : tensor<2x3xf32>
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"dot.packed" tile = [4, 1] block = [4, 4, 2] lanes = 2 with = ["packed_right"]>]} : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32> {
    ^bb0(%x: tensor<4x2xf32>, %y: tensor<2x3xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
      hlo.return %0 : tensor<4x3xf32>
    }
    return %r : tensor<4x3xf32>
  }
}

// -----

// What a loop does not change is packed before it, with what the kernel computes it from; both dots share it.
// CHECK-LABEL: func.func @loop
// CHECK: %[[PANELS:.*]] = hlo.kernel <loop> (%arg1)
// CHECK: hlo.negate
// CHECK-NOT: hlo.kernel
// CHECK: scf.for
// CHECK-NEXT: hlo.kernel <dot> (%{{.*}}, %[[PANELS]])
// CHECK-NOT: hlo.negate
// CHECK: hlo.kernel <dot> (%{{.*}}, %[[PANELS]])
// CHECK-NOT: hlo.kernel
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @loop(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>) -> tensor<32x32xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c10 = arith.constant 10 : index
    %r = scf.for %k = %c0 to %c10 step %c1 iter_args(%s = %a) -> (tensor<32x32xf32>) {
      %p = hlo.kernel <dot> (%s, %b) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"dot.packed" tile = [4, 2] block = [32, 32, 32] lanes = 8 with = ["packed_right"]>]} : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32> {
      ^bb0(%x: tensor<32x32xf32>, %y: tensor<32x32xf32>):
        %n = hlo.negate %y : (tensor<32x32xf32>) -> tensor<32x32xf32>
        %0 = hlo.dot %x, %n {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
        hlo.return %0 : tensor<32x32xf32>
      }
      %q = hlo.kernel <dot> (%p, %b) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"dot.packed" tile = [6, 2] block = [36, 32, 32] lanes = 8 with = ["packed_right"]>]} : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32> {
      ^bb0(%x: tensor<32x32xf32>, %y: tensor<32x32xf32>):
        %n = hlo.negate %y : (tensor<32x32xf32>) -> tensor<32x32xf32>
        %0 = hlo.dot %x, %n {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
        hlo.return %0 : tensor<32x32xf32>
      }
      scf.yield %q : tensor<32x32xf32>
    }
    return %r : tensor<32x32xf32>
  }
}

// -----

// What the loop changes is packed in it.
// CHECK-LABEL: func.func @changed
// CHECK: scf.for
// CHECK: hlo.kernel <loop>
// CHECK: hlo.kernel <dot>
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @changed(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>) -> tensor<32x32xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c10 = arith.constant 10 : index
    %r = scf.for %k = %c0 to %c10 step %c1 iter_args(%s = %a) -> (tensor<32x32xf32>) {
      %p = hlo.kernel <dot> (%b, %s) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"dot.packed" tile = [4, 2] block = [32, 32, 32] lanes = 8 with = ["packed_right"]>]} : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32> {
      ^bb0(%x: tensor<32x32xf32>, %y: tensor<32x32xf32>):
        %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
        hlo.return %0 : tensor<32x32xf32>
      }
      scf.yield %p : tensor<32x32xf32>
    }
    return %r : tensor<32x32xf32>
  }
}
