// How dots are done, on different machines. One CHECK line is a test of a choice.

// RUN: hlo-opt --choose-schedules --split-input-file %s | FileCheck %s
// RUN: hlo-opt --choose-schedules=remarks --split-input-file %s 2>&1 >/dev/null | FileCheck %s --check-prefix=WHY

// Many rows: packed, in blocks for the second cache, which is smaller with AVX2.
// CHECK-LABEL: func.func @many_rows
// CHECK: hlo.kernel <dot>
// CHECK-SAME: schedules = [#hlo.schedule<"dot.packed" tile = [6, 2] block = [{{[0-9]+}}, 128, 256] lanes = 8 with = ["in_result", "prefetch"]>]
// WHY: remark: schedule for x86-64-v3: #hlo.schedule<"dot.packed"{{.*}} us; next: #hlo.schedule<"dot.stream"
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @many_rows(%a: tensor<384x500xf32>, %b: tensor<500x640xf32>) -> tensor<384x640xf32> {
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32> {
    ^bb0(%x: tensor<384x500xf32>, %y: tensor<500x640xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32>
      hlo.return %0 : tensor<384x640xf32>
    }
    return %r : tensor<384x640xf32>
  }
}
