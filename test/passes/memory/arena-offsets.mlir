// RUN: hlo-opt --assign-buffers --check-buffers %s | FileCheck %s

// Placed largest first, the arrays would take ten kilobytes: the second large one would be placed after two others. In
// another order the arena is as small as the lower bound.
// CHECK-LABEL: func.func @main
// CHECK-SAME: memref<7168xi8>
// CHECK-SAME: hlo.arena_bound = 7168 : i64
// CHECK-SAME: hlo.arena_bytes = 7168 : i64
func.func @main() -> tensor<1xf32> {
  %0 = hlo.kernel <loop> () {reuse = array<i64: -1>} : () -> tensor<1024xf32> {
    %r = hlo.iota {iota_dimension = 0 : i64} : () -> tensor<1024xf32>
    hlo.return %r : tensor<1024xf32>
  }
  %1 = hlo.kernel <loop> (%0) {reuse = array<i64: -1>} : (tensor<1024xf32>) -> tensor<768xf32> {
  ^bb0(%a0: tensor<1024xf32>):
    %r = hlo.iota {iota_dimension = 0 : i64} : () -> tensor<768xf32>
    hlo.return %r : tensor<768xf32>
  }
  %2 = hlo.kernel <loop> (%1) {reuse = array<i64: -1>} : (tensor<768xf32>) -> tensor<768xf32> {
  ^bb0(%a1: tensor<768xf32>):
    %r = hlo.iota {iota_dimension = 0 : i64} : () -> tensor<768xf32>
    hlo.return %r : tensor<768xf32>
  }
  %3 = hlo.kernel <loop> (%2) {reuse = array<i64: -1>} : (tensor<768xf32>) -> tensor<1024xf32> {
  ^bb0(%a2: tensor<768xf32>):
    %r = hlo.iota {iota_dimension = 0 : i64} : () -> tensor<1024xf32>
    hlo.return %r : tensor<1024xf32>
  }
  %4 = hlo.kernel <loop> () {reuse = array<i64: -1>} : () -> tensor<768xf32> {
    %r = hlo.iota {iota_dimension = 0 : i64} : () -> tensor<768xf32>
    hlo.return %r : tensor<768xf32>
  }
  %5 = hlo.kernel <loop> (%3, %4) {reuse = array<i64: -1>} : (tensor<1024xf32>, tensor<768xf32>) -> tensor<1xf32> {
  ^bb0(%a3: tensor<1024xf32>, %a4: tensor<768xf32>):
    %r = hlo.iota {iota_dimension = 0 : i64} : () -> tensor<1xf32>
    hlo.return %r : tensor<1xf32>
  }
  return %5 : tensor<1xf32>
}
