// RUN: hlo-opt --split-preparation --pack-operands --hold-panels --split-input-file %s | FileCheck %s

// The kernel that packs moves to the preparation, which alone reads the parameter.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %arg1: tensor<300x40xf32> {hlo.prepare}, %arg2: tensor<1x2x3x256x16xf32> {{{.*}}hlo.prepared})
// CHECK-NEXT: hlo.kernel <dot> (%arg0, %arg2)
// CHECK-NOT: hlo.kernel
// CHECK-LABEL: func.func @main.prepare(
// CHECK: %[[PANELS:.*]] = hlo.kernel <loop> (%arg1)
// CHECK: return %[[PANELS]] : tensor<1x2x3x256x16xf32>
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @main(%a: tensor<24x300xf32>, %b: tensor<300x40xf32> {hlo.prepare}) -> tensor<24x40xf32> {
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"dot.packed" tile = [6, 2] block = [24, 48, 256] lanes = 8 with = ["packed_right"]>]} : (tensor<24x300xf32>, tensor<300x40xf32>) -> tensor<24x40xf32> {
    ^bb0(%x: tensor<24x300xf32>, %y: tensor<300x40xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<24x300xf32>, tensor<300x40xf32>) -> tensor<24x40xf32>
      hlo.return %0 : tensor<24x40xf32>
    }
    return %r : tensor<24x40xf32>
  }
}

// -----

// An argument that changes from run to run is packed in each run.
// CHECK-LABEL: func.func @main(
// CHECK: hlo.kernel <loop> (%arg1)
// CHECK-LABEL: func.func @main.prepare(
// CHECK-NEXT: return
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @main(%a: tensor<24x300xf32> {hlo.prepare}, %b: tensor<300x40xf32>) -> tensor<24x40xf32> {
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"dot.packed" tile = [6, 2] block = [24, 48, 256] lanes = 8 with = ["packed_right"]>]} : (tensor<24x300xf32>, tensor<300x40xf32>) -> tensor<24x40xf32> {
    ^bb0(%x: tensor<24x300xf32>, %y: tensor<300x40xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<24x300xf32>, tensor<300x40xf32>) -> tensor<24x40xf32>
      hlo.return %0 : tensor<24x40xf32>
    }
    return %r : tensor<24x40xf32>
  }
}
