// RUN: hlo-opt --order-kernels --split-input-file %s | FileCheck %s

// Readers of x come before the kernel that updates x in place.
// CHECK-LABEL: func.func @main
// CHECK: hlo.kernel <loop>
// CHECK: hlo.kernel <update>
func.func @main(%a: tensor<1000xf32>, %u: tensor<10xf32>, %i: tensor<i32>) -> (tensor<1000xf32>, tensor<1000xf32>) {
  %r = hlo.kernel <update> (%a, %u, %i) {must_reuse, reuse = array<i64: 0>} : (tensor<1000xf32>, tensor<10xf32>, tensor<i32>) -> tensor<1000xf32> {
  ^bb0(%0: tensor<1000xf32>, %1: tensor<10xf32>, %2: tensor<i32>):
    %3 = hlo.dynamic_update_slice %0, %1, %2 : (tensor<1000xf32>, tensor<10xf32>, tensor<i32>) -> tensor<1000xf32>
    hlo.return %3 : tensor<1000xf32>
  }
  %n = hlo.kernel <loop> (%a) {reuse = array<i64: 0>} : (tensor<1000xf32>) -> tensor<1000xf32> {
  ^bb0(%0: tensor<1000xf32>):
    %1 = hlo.negate %0 : (tensor<1000xf32>) -> tensor<1000xf32>
    hlo.return %1 : tensor<1000xf32>
  }
  return %r, %n : tensor<1000xf32>, tensor<1000xf32>
}

// -----

// Computing the small array first would free nothing: the large one that it reads is still needed for another.
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = hlo.kernel <loop> (%arg0)
// CHECK: %[[B:.*]] = hlo.kernel <loop> (%[[A]])
// CHECK: %[[C:.*]] = hlo.kernel <loop> (%[[A]], %[[B]])
// CHECK: %[[SMALL:.*]] = hlo.kernel <loop> (%[[A]]) {{.*}} -> tensor<2000xf32>
// CHECK: hlo.kernel <loop> (%[[SMALL]], %[[C]])
func.func @main(%x: tensor<4000xf32>) -> tensor<1000xf32> {
  %a = hlo.kernel <loop> (%x) {reuse = array<i64: -1>} : (tensor<4000xf32>) -> tensor<4000xf32> {
  ^bb0(%0: tensor<4000xf32>):
    %r = hlo.iota {iota_dimension = 0 : i64} : () -> tensor<4000xf32>
    hlo.return %r : tensor<4000xf32>
  }
  %b = hlo.kernel <loop> (%a) {reuse = array<i64: -1>} : (tensor<4000xf32>) -> tensor<4000xf32> {
  ^bb0(%0: tensor<4000xf32>):
    %r = hlo.iota {iota_dimension = 0 : i64} : () -> tensor<4000xf32>
    hlo.return %r : tensor<4000xf32>
  }
  %small = hlo.kernel <loop> (%a) {reuse = array<i64: -1>} : (tensor<4000xf32>) -> tensor<2000xf32> {
  ^bb0(%0: tensor<4000xf32>):
    %r = hlo.iota {iota_dimension = 0 : i64} : () -> tensor<2000xf32>
    hlo.return %r : tensor<2000xf32>
  }
  %c = hlo.kernel <loop> (%a, %b) {reuse = array<i64: -1>} : (tensor<4000xf32>, tensor<4000xf32>) -> tensor<4000xf32> {
  ^bb0(%0: tensor<4000xf32>, %1: tensor<4000xf32>):
    %r = hlo.iota {iota_dimension = 0 : i64} : () -> tensor<4000xf32>
    hlo.return %r : tensor<4000xf32>
  }
  %r = hlo.kernel <loop> (%small, %c) {reuse = array<i64: -1>} : (tensor<2000xf32>, tensor<4000xf32>) -> tensor<1000xf32> {
  ^bb0(%0: tensor<2000xf32>, %1: tensor<4000xf32>):
    %r = hlo.iota {iota_dimension = 0 : i64} : () -> tensor<1000xf32>
    hlo.return %r : tensor<1000xf32>
  }
  return %r : tensor<1000xf32>
}
