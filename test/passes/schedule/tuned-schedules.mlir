// A tuned schedule takes precedence over the model's choice if it is for this machine and for what
// the kernel computes, and gives the same bits. Names and locations of a kernel do not matter.

// RUN: hlo-opt --choose-schedules --split-input-file --verify-diagnostics %s | FileCheck %s

module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-unknown-linux-gnu"}], hlo.tuned_schedules = [{machine = "x86_64-unknown-linux-gnu, x86-64-v3, vectors of 32 bytes in 16 registers, fused multiply-add, conversions of f16, products of pairs, threads", name = "dot.5", problem = "eaaef62f54550294", schedule = #hlo.schedule<"dot.stream" tile = [2, 3] lanes = 8>}]} {
  func.func @main(%a: tensor<20x300xf32>, %b: tensor<300x48xf32>) -> tensor<20x48xf32> {
    // CHECK: hlo.kernel <dot>
    // CHECK-SAME: #hlo.schedule<"dot.stream" tile = [2, 3] lanes = 8>
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>} : (tensor<20x300xf32>, tensor<300x48xf32>) -> tensor<20x48xf32> {
    ^bb0(%x: tensor<20x300xf32>, %y: tensor<300x48xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<20x300xf32>, tensor<300x48xf32>) -> tensor<20x48xf32>
      hlo.return %0 : tensor<20x48xf32>
    }
    return %r : tensor<20x48xf32>
  }
}

// -----

// Another machine.
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-unknown-linux-gnu"}], hlo.tuned_schedules = [{machine = "abacus", name = "dot.5", problem = "eaaef62f54550294", schedule = #hlo.schedule<"dot.stream" tile = [2, 3] lanes = 8>}]} {
  func.func @main(%a: tensor<20x300xf32>, %b: tensor<300x48xf32>) -> tensor<20x48xf32> {
    // CHECK: hlo.kernel <dot>
    // CHECK-SAME: #hlo.schedule<"dot.stream" tile = [4, 3] lanes = 8>
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>} : (tensor<20x300xf32>, tensor<300x48xf32>) -> tensor<20x48xf32> {
    ^bb0(%x: tensor<20x300xf32>, %y: tensor<300x48xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<20x300xf32>, tensor<300x48xf32>) -> tensor<20x48xf32>
      hlo.return %0 : tensor<20x48xf32>
    }
    return %r : tensor<20x48xf32>
  }
}

// -----

// Nothing computes what that kernel did.
// expected-remark@+1 {{the schedule for `dot.5` is not used: no kernel computes the same any more}}
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-unknown-linux-gnu"}], hlo.tuned_schedules = [{machine = "x86_64-unknown-linux-gnu, x86-64-v3, vectors of 32 bytes in 16 registers, fused multiply-add, conversions of f16, products of pairs, threads", name = "dot.5", problem = "0123456789abcdef", schedule = #hlo.schedule<"dot.stream" tile = [2, 3] lanes = 8>}]} {
  func.func @main(%a: tensor<20x300xf32>, %b: tensor<300x48xf32>) -> tensor<20x48xf32> {
    // CHECK: hlo.kernel <dot>
    // CHECK-SAME: #hlo.schedule<"dot.stream" tile = [4, 3] lanes = 8>
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>} : (tensor<20x300xf32>, tensor<300x48xf32>) -> tensor<20x48xf32> {
    ^bb0(%x: tensor<20x300xf32>, %y: tensor<300x48xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<20x300xf32>, tensor<300x48xf32>) -> tensor<20x48xf32>
      hlo.return %0 : tensor<20x48xf32>
    }
    return %r : tensor<20x48xf32>
  }
}

// -----

// Tiles that no registers hold.
// expected-remark@+1 {{the schedule for `dot.5` is not used: expected a tile of at most 64 sums on this machine}}
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-unknown-linux-gnu"}], hlo.tuned_schedules = [{machine = "x86_64-unknown-linux-gnu, x86-64-v3, vectors of 32 bytes in 16 registers, fused multiply-add, conversions of f16, products of pairs, threads", name = "dot.5", problem = "eaaef62f54550294", schedule = #hlo.schedule<"dot.stream" tile = [20, 6] lanes = 8>}]} {
  func.func @main(%a: tensor<20x300xf32>, %b: tensor<300x48xf32>) -> tensor<20x48xf32> {
    // CHECK: hlo.kernel <dot>
    // CHECK-SAME: #hlo.schedule<"dot.stream" tile = [4, 3] lanes = 8>
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>} : (tensor<20x300xf32>, tensor<300x48xf32>) -> tensor<20x48xf32> {
    ^bb0(%x: tensor<20x300xf32>, %y: tensor<300x48xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<20x300xf32>, tensor<300x48xf32>) -> tensor<20x48xf32>
      hlo.return %0 : tensor<20x48xf32>
    }
    return %r : tensor<20x48xf32>
  }
}

// -----

// Sums in another order.
// expected-remark@+1 {{the schedule for `dot.5` is not used: sums would have different bits:  in turn, blocks of 256 added to the first instead of in turn}}
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-unknown-linux-gnu"}], hlo.tuned_schedules = [{machine = "x86_64-unknown-linux-gnu, x86-64-v3, vectors of 32 bytes in 16 registers, fused multiply-add, conversions of f16, products of pairs, threads", name = "dot.5", problem = "eaaef62f54550294", schedule = #hlo.schedule<"dot.packed" tile = [4, 3] block = [20, 48, 256] lanes = 8>}]} {
  func.func @main(%a: tensor<20x300xf32>, %b: tensor<300x48xf32>) -> tensor<20x48xf32> {
    // CHECK: hlo.kernel <dot>
    // CHECK-SAME: #hlo.schedule<"dot.stream" tile = [4, 3] lanes = 8>
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>} : (tensor<20x300xf32>, tensor<300x48xf32>) -> tensor<20x48xf32> {
    ^bb0(%x: tensor<20x300xf32>, %y: tensor<300x48xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<20x300xf32>, tensor<300x48xf32>) -> tensor<20x48xf32>
      hlo.return %0 : tensor<20x48xf32>
    }
    return %r : tensor<20x48xf32>
  }
}

// -----

// Several targets: each has its own.
module attributes {hlo.targets = [{cpu = "x86-64-v2", triple = "x86_64-unknown-linux-gnu"}, {cpu = "x86-64-v3", triple = "x86_64-unknown-linux-gnu"}], hlo.tuned_schedules = [{machine = "x86_64-unknown-linux-gnu, x86-64-v3, vectors of 32 bytes in 16 registers, fused multiply-add, conversions of f16, products of pairs, threads", name = "dot.5", problem = "eaaef62f54550294", schedule = #hlo.schedule<"dot.stream" tile = [2, 3] lanes = 8>}]} {
  func.func @main(%a: tensor<20x300xf32>, %b: tensor<300x48xf32>) -> tensor<20x48xf32> {
    // CHECK: hlo.kernel <dot>
    // CHECK-SAME: schedules = [#hlo.schedule<"dot.{{[^>]*}} lanes = 4{{[^>]*}}>, #hlo.schedule<"dot.stream" tile = [2, 3] lanes = 8>]
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>} : (tensor<20x300xf32>, tensor<300x48xf32>) -> tensor<20x48xf32> {
    ^bb0(%x: tensor<20x300xf32>, %y: tensor<300x48xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<20x300xf32>, tensor<300x48xf32>) -> tensor<20x48xf32>
      hlo.return %0 : tensor<20x48xf32>
    }
    return %r : tensor<20x48xf32>
  }
}

// -----

// What is no such attribute.
// expected-error@+1 {{expected `hlo.tuned_schedules` to hold dictionaries of a machine, a name, a problem and a schedule}}
module attributes {hlo.tuned_schedules = [{machine = "abacus", name = "dot.5"}]} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    return %a : tensor<4xf32>
  }
}

// -----

// expected-error@+1 {{expected `hlo.tuned_schedules` to hold dictionaries of a machine, a name, a problem and a schedule}}
module attributes {hlo.tuned_schedules = 7 : i64} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    return %a : tensor<4xf32>
  }
}
