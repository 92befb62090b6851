// Dots of bf16 with native products where no number is subnormal, and exact ones otherwise.
// RUN: hlo-opt --check-bf16-dots --split-input-file %s | FileCheck %s
// Only the dot that is marked is multiplied in groups of two, in matrix registers.
// RUN: hlo-opt --check-bf16-dots --choose-schedules --split-input-file %s | FileCheck %s --check-prefix=SCHEDULES
// SCHEDULES: hlo.kernel <dot> {{.*}}#hlo.schedule<"dot.packed" {{.*}} group = 2 with = ["matrix_registers"{{.*}}
// SCHEDULES: } else {
// SCHEDULES-NEXT: hlo.kernel <dot> {{.*}}#hlo.schedule<"dot.packed"
// SCHEDULES-NOT: group
// SCHEDULES: return

// The factors' smallest and largest magnitudes decide. The left one and the sums are scaled.
// CHECK-LABEL: func.func @plain
// CHECK: [[X:%.*]]:2 = hlo.kernel <reduce> (%arg0)
// CHECK: hlo.bitcast_convert {{.*}} -> tensor<256x256xui16>
// CHECK: hlo.reduce {{.*}}to_apply = @hlo.minimum.ui16
// CHECK: hlo.reduce {{.*}}to_apply = @hlo.maximum.ui16
// CHECK: [[Y:%.*]]:2 = hlo.kernel <reduce> (%arg1)
// CHECK: [[CHECK:%.*]]:3 = hlo.kernel <loop> ([[X]]#0, [[X]]#1, [[Y]]#0, [[Y]]#1) {{.*}} -> (tensor<i1>, tensor<f32>, tensor<f32>)
// CHECK: [[IS_NORMAL:%.*]] = tensor.extract [[CHECK]]#0[]
// CHECK: scf.if [[IS_NORMAL]]
// CHECK: hlo.kernel <dot> (%arg0, %arg1, %arg2, [[CHECK]]#1, [[CHECK]]#2) {reuse = array<i64: 2>}
// CHECK: ^bb0(%{{.*}}: tensor<256x256xbf16>, %[[B:.*]]: tensor<256x256xbf16>, %{{.*}}, %[[SCALE:.*]]: tensor<f32>, %[[INVERSE:.*]]: tensor<f32>):
// CHECK: hlo.broadcast %[[SCALE]]
// CHECK: [[SCALED:%.*]] = hlo.bitcast_convert {{.*}} -> tensor<256x256xbf16>
// CHECK: [[SUMS:%.*]] = hlo.dot [[SCALED]], %[[B]] {hlo.no_subnormals, {{.*}} -> tensor<256x256xf32>
// CHECK: [[FACTORS:%.*]] = hlo.broadcast %[[INVERSE]]
// CHECK: [[PRODUCT:%.*]] = hlo.multiply [[SUMS]], [[FACTORS]]
// CHECK: [[ROUNDED:%.*]] = hlo.convert [[PRODUCT]] : {{.*}} -> tensor<256x256xbf16>
// CHECK: hlo.add [[ROUNDED]]
// CHECK: } else {
// CHECK: hlo.kernel <dot> (%arg0, %arg1, %arg2) {hlo.fallback, reuse = array<i64: 2>}
// CHECK: hlo.dot %{{.*}} {lhs_contracting_dims
module attributes {hlo.targets = [{cpu = "sapphirerapids", triple = "x86_64-linux-gnu"}]} {
  func.func @plain(%a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>, %c: tensor<256x256xbf16>) -> tensor<256x256xbf16> {
    %d = hlo.kernel <dot> (%a, %b, %c) {reuse = array<i64: 2>} : (tensor<256x256xbf16>, tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xbf16> {
    ^bb0(%x: tensor<256x256xbf16>, %y: tensor<256x256xbf16>, %z: tensor<256x256xbf16>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xbf16>
      %1 = hlo.add %0, %z : (tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xbf16>
      hlo.return %1 : tensor<256x256xbf16>
    }
    return %d : tensor<256x256xbf16>
  }
}

// -----

// What does not change in a loop is looked at before it, and what two dots read once; a constant
// when compiling.
// CHECK-LABEL: func.func @invariant
// CHECK: [[W:%.*]]:2 = hlo.kernel <reduce> (%arg1)
// CHECK: scf.for
// CHECK-NOT: hlo.kernel <reduce> (%arg1)
// CHECK: [[X:%.*]]:2 = hlo.kernel <reduce> (%arg3)
// CHECK: hlo.kernel <loop> ([[X]]#0, [[X]]#1, [[W]]#0, [[W]]#1)
// CHECK: [[Y:%.*]] = scf.if
// CHECK: scf.yield
// CHECK-NOT: hlo.kernel <reduce> (%arg1)
// CHECK-DAG: [[LEAST:%.*]] = hlo.constant(dense<16255> : tensor<ui16>)
// CHECK-DAG: [[MOST:%.*]] = hlo.constant(dense<16256> : tensor<ui16>)
// CHECK: hlo.kernel <loop> ([[W]]#0, [[W]]#1, [[LEAST]], [[MOST]])
module attributes {hlo.targets = [{cpu = "sapphirerapids", triple = "x86_64-linux-gnu"}]} {
  func.func @invariant(%a: tensor<256x256xbf16>, %w: tensor<256x256xbf16>) -> (tensor<256x256xbf16>, tensor<256x256xbf16>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%state = %a) -> (tensor<256x256xbf16>) {
      %d = hlo.kernel <dot> (%state, %w) {reuse = array<i64: -1>} : (tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xbf16> {
      ^bb0(%x: tensor<256x256xbf16>, %y: tensor<256x256xbf16>):
        %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xbf16>
        hlo.return %0 : tensor<256x256xbf16>
      }
      scf.yield %d : tensor<256x256xbf16>
    }
    %one = hlo.constant(dense<1.0> : tensor<256x256xbf16>) : tensor<256x256xbf16>
    %d = hlo.kernel <dot> (%w, %one) {reuse = array<i64: -1>} : (tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xbf16> {
    ^bb0(%x: tensor<256x256xbf16>, %y: tensor<256x256xbf16>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xbf16>
      hlo.return %0 : tensor<256x256xbf16>
    }
    return %r, %d : tensor<256x256xbf16>, tensor<256x256xbf16>
  }
}

// -----

// A dot that waits for memory would wait for the check as well.
// CHECK-LABEL: func.func @vector
// CHECK-NOT: scf.if
// CHECK: return
module attributes {hlo.targets = [{cpu = "sapphirerapids", triple = "x86_64-linux-gnu"}]} {
  func.func @vector(%a: tensor<2x2048xbf16>, %b: tensor<2048x2048xbf16>) -> tensor<2x2048xf32> {
    %d = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>} : (tensor<2x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<2x2048xf32> {
    ^bb0(%x: tensor<2x2048xbf16>, %y: tensor<2048x2048xbf16>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<2x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<2x2048xf32>
      hlo.return %0 : tensor<2x2048xf32>
    }
    return %d : tensor<2x2048xf32>
  }
}

// -----

// Exact products need no check, and neither do native ones, nor exact ones on other processors.
// CHECK-LABEL: func.func @exact
// CHECK-NOT: scf.if
// CHECK: return
module attributes {hlo.targets = [{cpu = "sapphirerapids", triple = "x86_64-linux-gnu", exact_bf16_dot}]} {
  func.func @exact(%a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>) -> tensor<256x256xf32> {
    %d = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>} : (tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xf32> {
    ^bb0(%x: tensor<256x256xbf16>, %y: tensor<256x256xbf16>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xf32>
      hlo.return %0 : tensor<256x256xf32>
    }
    return %d : tensor<256x256xf32>
  }
}

// -----

// CHECK-LABEL: func.func @flushed
// CHECK-NOT: scf.if
// CHECK: return
module attributes {hlo.targets = [{cpu = "sapphirerapids", triple = "x86_64-linux-gnu", flush_subnormals}]} {
  func.func @flushed(%a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>) -> tensor<256x256xf32> {
    %d = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>} : (tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xf32> {
    ^bb0(%x: tensor<256x256xbf16>, %y: tensor<256x256xbf16>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xf32>
      hlo.return %0 : tensor<256x256xf32>
    }
    return %d : tensor<256x256xf32>
  }
}

// -----

// CHECK-LABEL: func.func @elsewhere
// CHECK-NOT: scf.if
// CHECK: return
module attributes {hlo.targets = [{cpu = "icelake-server", triple = "x86_64-linux-gnu"}]} {
  func.func @elsewhere(%a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>) -> tensor<256x256xf32> {
    %d = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>} : (tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xf32> {
    ^bb0(%x: tensor<256x256xbf16>, %y: tensor<256x256xbf16>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xf32>
      hlo.return %0 : tensor<256x256xf32>
    }
    return %d : tensor<256x256xf32>
  }
}
