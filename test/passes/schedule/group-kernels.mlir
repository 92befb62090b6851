// Weights of attention that are larger than L2, 256 KiB with AVX2 and 1 MiB with AVX-512, are
// computed, normalized and used tile by tile. A result with another reader is needed as a whole.

// RUN: hlo-opt --group-kernels --split-input-file %s | FileCheck %s

// CHECK-LABEL: func.func @fits_one
// CHECK: hlo.kernel <dot>{{.*}}hlo.tile_groups = array<i64: 0, -1>
// CHECK: hlo.kernel <reduce>{{.*}}hlo.tile_groups = array<i64: 0, -1>
// CHECK: hlo.kernel <dot>{{.*}}hlo.tile_groups = array<i64: 0, -1>
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}, {cpu = "x86-64-v4", triple = "x86_64-linux-gnu"}]} {
  func.func @fits_one(%q: tensor<2x320x8xf32>, %k: tensor<2x320x8xf32>, %v: tensor<2x320x8xf32>) -> tensor<2x320x8xf32> {
    %weights = hlo.kernel <dot> (%q, %k) {reuse = array<i64: -1>} : (tensor<2x320x8xf32>, tensor<2x320x8xf32>) -> tensor<2x320x320xf32> {
    ^bb0(%x: tensor<2x320x8xf32>, %y: tensor<2x320x8xf32>):
      %0 = hlo.dot %x, %y {lhs_batch_dims = array<i64: 0>, lhs_contracting_dims = array<i64: 2>, rhs_batch_dims = array<i64: 0>, rhs_contracting_dims = array<i64: 2>} : (tensor<2x320x8xf32>, tensor<2x320x8xf32>) -> tensor<2x320x320xf32>
      hlo.return %0 : tensor<2x320x320xf32>
    }
    %normalized = hlo.kernel <reduce> (%weights) {reuse = array<i64: -1>} : (tensor<2x320x320xf32>) -> tensor<2x320x320xf32> {
    ^bb0(%x: tensor<2x320x320xf32>):
      %0 = hlo.negate %x : (tensor<2x320x320xf32>) -> tensor<2x320x320xf32>
      hlo.return %0 : tensor<2x320x320xf32>
    }
    %out = hlo.kernel <dot> (%normalized, %v) {reuse = array<i64: -1>} : (tensor<2x320x320xf32>, tensor<2x320x8xf32>) -> tensor<2x320x8xf32> {
    ^bb0(%x: tensor<2x320x320xf32>, %y: tensor<2x320x8xf32>):
      %0 = hlo.dot %x, %y {lhs_batch_dims = array<i64: 0>, lhs_contracting_dims = array<i64: 2>, rhs_batch_dims = array<i64: 0>, rhs_contracting_dims = array<i64: 1>} : (tensor<2x320x320xf32>, tensor<2x320x8xf32>) -> tensor<2x320x8xf32>
      hlo.return %0 : tensor<2x320x8xf32>
    }
    return %out : tensor<2x320x8xf32>
  }
}

// -----

// CHECK-LABEL: func.func @fits_none
// CHECK: hlo.kernel <dot>{{.*}}hlo.tile_groups = array<i64: 0, 0>
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}, {cpu = "x86-64-v4", triple = "x86_64-linux-gnu"}]} {
  func.func @fits_none(%q: tensor<2x530x8xf32>, %k: tensor<2x530x8xf32>, %v: tensor<2x530x8xf32>) -> tensor<2x530x8xf32> {
    %weights = hlo.kernel <dot> (%q, %k) {reuse = array<i64: -1>} : (tensor<2x530x8xf32>, tensor<2x530x8xf32>) -> tensor<2x530x530xf32> {
    ^bb0(%x: tensor<2x530x8xf32>, %y: tensor<2x530x8xf32>):
      %0 = hlo.dot %x, %y {lhs_batch_dims = array<i64: 0>, lhs_contracting_dims = array<i64: 2>, rhs_batch_dims = array<i64: 0>, rhs_contracting_dims = array<i64: 2>} : (tensor<2x530x8xf32>, tensor<2x530x8xf32>) -> tensor<2x530x530xf32>
      hlo.return %0 : tensor<2x530x530xf32>
    }
    %normalized = hlo.kernel <reduce> (%weights) {reuse = array<i64: -1>} : (tensor<2x530x530xf32>) -> tensor<2x530x530xf32> {
    ^bb0(%x: tensor<2x530x530xf32>):
      %0 = hlo.negate %x : (tensor<2x530x530xf32>) -> tensor<2x530x530xf32>
      hlo.return %0 : tensor<2x530x530xf32>
    }
    %out = hlo.kernel <dot> (%normalized, %v) {reuse = array<i64: -1>} : (tensor<2x530x530xf32>, tensor<2x530x8xf32>) -> tensor<2x530x8xf32> {
    ^bb0(%x: tensor<2x530x530xf32>, %y: tensor<2x530x8xf32>):
      %0 = hlo.dot %x, %y {lhs_batch_dims = array<i64: 0>, lhs_contracting_dims = array<i64: 2>, rhs_batch_dims = array<i64: 0>, rhs_contracting_dims = array<i64: 1>} : (tensor<2x530x530xf32>, tensor<2x530x8xf32>) -> tensor<2x530x8xf32>
      hlo.return %0 : tensor<2x530x8xf32>
    }
    return %out : tensor<2x530x8xf32>
  }
}

// -----

// CHECK-LABEL: func.func @fits_both
// CHECK-NOT: hlo.tile_groups
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}, {cpu = "x86-64-v4", triple = "x86_64-linux-gnu"}]} {
  func.func @fits_both(%q: tensor<2x128x8xf32>, %k: tensor<2x128x8xf32>, %v: tensor<2x128x8xf32>) -> tensor<2x128x8xf32> {
    %weights = hlo.kernel <dot> (%q, %k) {reuse = array<i64: -1>} : (tensor<2x128x8xf32>, tensor<2x128x8xf32>) -> tensor<2x128x128xf32> {
    ^bb0(%x: tensor<2x128x8xf32>, %y: tensor<2x128x8xf32>):
      %0 = hlo.dot %x, %y {lhs_batch_dims = array<i64: 0>, lhs_contracting_dims = array<i64: 2>, rhs_batch_dims = array<i64: 0>, rhs_contracting_dims = array<i64: 2>} : (tensor<2x128x8xf32>, tensor<2x128x8xf32>) -> tensor<2x128x128xf32>
      hlo.return %0 : tensor<2x128x128xf32>
    }
    %normalized = hlo.kernel <reduce> (%weights) {reuse = array<i64: -1>} : (tensor<2x128x128xf32>) -> tensor<2x128x128xf32> {
    ^bb0(%x: tensor<2x128x128xf32>):
      %0 = hlo.negate %x : (tensor<2x128x128xf32>) -> tensor<2x128x128xf32>
      hlo.return %0 : tensor<2x128x128xf32>
    }
    %out = hlo.kernel <dot> (%normalized, %v) {reuse = array<i64: -1>} : (tensor<2x128x128xf32>, tensor<2x128x8xf32>) -> tensor<2x128x8xf32> {
    ^bb0(%x: tensor<2x128x128xf32>, %y: tensor<2x128x8xf32>):
      %0 = hlo.dot %x, %y {lhs_batch_dims = array<i64: 0>, lhs_contracting_dims = array<i64: 2>, rhs_batch_dims = array<i64: 0>, rhs_contracting_dims = array<i64: 1>} : (tensor<2x128x128xf32>, tensor<2x128x8xf32>) -> tensor<2x128x8xf32>
      hlo.return %0 : tensor<2x128x8xf32>
    }
    return %out : tensor<2x128x8xf32>
  }
}

// -----

// CHECK-LABEL: func.func @read_elsewhere
// CHECK-NOT: hlo.tile_groups
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}, {cpu = "x86-64-v4", triple = "x86_64-linux-gnu"}]} {
  func.func @read_elsewhere(%q: tensor<2x530x8xf32>, %k: tensor<2x530x8xf32>, %v: tensor<2x530x8xf32>) -> (tensor<2x530x530xf32>, tensor<2x530x8xf32>) {
    %weights = hlo.kernel <dot> (%q, %k) {reuse = array<i64: -1>} : (tensor<2x530x8xf32>, tensor<2x530x8xf32>) -> tensor<2x530x530xf32> {
    ^bb0(%x: tensor<2x530x8xf32>, %y: tensor<2x530x8xf32>):
      %0 = hlo.dot %x, %y {lhs_batch_dims = array<i64: 0>, lhs_contracting_dims = array<i64: 2>, rhs_batch_dims = array<i64: 0>, rhs_contracting_dims = array<i64: 2>} : (tensor<2x530x8xf32>, tensor<2x530x8xf32>) -> tensor<2x530x530xf32>
      hlo.return %0 : tensor<2x530x530xf32>
    }
    %normalized = hlo.kernel <reduce> (%weights) {reuse = array<i64: -1>} : (tensor<2x530x530xf32>) -> tensor<2x530x530xf32> {
    ^bb0(%x: tensor<2x530x530xf32>):
      %0 = hlo.negate %x : (tensor<2x530x530xf32>) -> tensor<2x530x530xf32>
      hlo.return %0 : tensor<2x530x530xf32>
    }
    %out = hlo.kernel <dot> (%normalized, %v) {reuse = array<i64: -1>} : (tensor<2x530x530xf32>, tensor<2x530x8xf32>) -> tensor<2x530x8xf32> {
    ^bb0(%x: tensor<2x530x530xf32>, %y: tensor<2x530x8xf32>):
      %0 = hlo.dot %x, %y {lhs_batch_dims = array<i64: 0>, lhs_contracting_dims = array<i64: 2>, rhs_batch_dims = array<i64: 0>, rhs_contracting_dims = array<i64: 1>} : (tensor<2x530x530xf32>, tensor<2x530x8xf32>) -> tensor<2x530x8xf32>
      hlo.return %0 : tensor<2x530x8xf32>
    }
    return %weights, %out : tensor<2x530x530xf32>, tensor<2x530x8xf32>
  }
}
