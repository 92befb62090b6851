// The range of bf16 weights is found once.
// RUN: hlo-opt --split-preparation --check-bf16-dots --divide-reductions --hold-panels %s | FileCheck %s
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %arg0: tensor<512x512xbf16>, %arg1: tensor<512x512xbf16> {hlo.prepare}, %arg2: tensor<ui16> {{{.*}}hlo.prepared{{.*}}}, %arg3: tensor<ui16> {{{.*}}hlo.prepared
// CHECK: hlo.kernel <reduce> (%arg0)
// CHECK-NOT: hlo.kernel <reduce> (%arg1)
// CHECK: hlo.kernel <loop> (%{{.*}}, %{{.*}}, %arg2, %arg3)
// CHECK: hlo.kernel <dot> (%arg0, %arg1,
// CHECK-LABEL: func.func @main.prepare(
// CHECK: [[PARTS:%.*]]:2 = hlo.kernel <reduce> (%arg1)
// CHECK: [[RANGE:%.*]]:2 = hlo.kernel <reduce> ([[PARTS]]#0, [[PARTS]]#1)
// CHECK: return [[RANGE]]#0, [[RANGE]]#1 :
module attributes {hlo.targets = [{cpu = "sapphirerapids", triple = "x86_64-linux-gnu"}]} {
  func.func @main(%a: tensor<512x512xbf16>, %b: tensor<512x512xbf16> {hlo.prepare}) -> tensor<512x512xf32> {
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>} : (tensor<512x512xbf16>, tensor<512x512xbf16>) -> tensor<512x512xf32> {
    ^bb0(%x: tensor<512x512xbf16>, %y: tensor<512x512xbf16>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<512x512xbf16>, tensor<512x512xbf16>) -> tensor<512x512xf32>
      hlo.return %0 : tensor<512x512xf32>
    }
    return %r : tensor<512x512xf32>
  }
}
