// Short loops of simple elementwise operations become straight-line code; others stay loops.
// RUN: hlo-opt %s --unroll-short-loops | FileCheck %s

// Three rounds of a hash, each of which rotates by another distance.
// CHECK-LABEL: func.func @rounds
// CHECK-NOT: scf.for
// CHECK-COUNT-3: hlo.shift_left
// CHECK-NOT: hlo.shift_left
func.func @rounds(%x: tensor<4096xui32>, %distance: tensor<ui32>) -> tensor<4096xui32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %d = %distance) -> (tensor<4096xui32>, tensor<ui32>) {
    %all = hlo.broadcast %d {dimensions = array<i64>} : (tensor<ui32>) -> tensor<4096xui32>
    %shifted = hlo.shift_left %a, %all : (tensor<4096xui32>, tensor<4096xui32>) -> tensor<4096xui32>
    %b = hlo.xor %a, %shifted : (tensor<4096xui32>, tensor<4096xui32>) -> tensor<4096xui32>
    %next = hlo.add %d, %d : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    scf.yield %b, %next : tensor<4096xui32>, tensor<ui32>
  }
  return %r#0 : tensor<4096xui32>
}

// CHECK-LABEL: func.func @small
// CHECK: scf.for
func.func @small(%x: tensor<64xui32>) -> tensor<64xui32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<64xui32>) {
    %b = hlo.add %a, %x : (tensor<64xui32>, tensor<64xui32>) -> tensor<64xui32>
    scf.yield %b : tensor<64xui32>
  }
  return %r : tensor<64xui32>
}

// CHECK-LABEL: func.func @long
// CHECK: scf.for
func.func @long(%x: tensor<4096xui32>) -> tensor<4096xui32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %x) -> (tensor<4096xui32>) {
    %b = hlo.add %a, %x : (tensor<4096xui32>, tensor<4096xui32>) -> tensor<4096xui32>
    scf.yield %b : tensor<4096xui32>
  }
  return %r : tensor<4096xui32>
}

// Exponentials take longer than memory.
// CHECK-LABEL: func.func @expensive
// CHECK: scf.for
func.func @expensive(%x: tensor<4096xf32>) -> tensor<4096xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<4096xf32>) {
    %b = hlo.exponential %a : (tensor<4096xf32>) -> tensor<4096xf32>
    scf.yield %b : tensor<4096xf32>
  }
  return %r : tensor<4096xf32>
}

// Each element depends on others.
// CHECK-LABEL: func.func @moving
// CHECK: scf.for
func.func @moving(%x: tensor<4096xf32>) -> tensor<4096xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<4096xf32>) {
    %b = hlo.reverse %a {dimensions = array<i64: 0>} : (tensor<4096xf32>) -> tensor<4096xf32>
    scf.yield %b : tensor<4096xf32>
  }
  return %r : tensor<4096xf32>
}
