// RUN: hlo-opt --expand-bounded-sizes --split-input-file --verify-diagnostics %s | FileCheck %s

// Sizes of arguments and results come after all others and name their arrays; those of arguments
// are clamped. An elementwise operation on one size needs no mask.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<4x3xf32> {hlo.name = "x"}, %[[Y:[a-z0-9]*]]: tensor<2xf32>
// CHECK-SAME: %[[N:.*]]: tensor<i32> {hlo.name = "x.size0", hlo.size_of = array<i64: 0, 0>}
// CHECK-SAME: -> (tensor<4x3xf32> {hlo.name = "z"}, tensor<2xf32>, tensor<i32> {hlo.name = "z.size0", hlo.size_of = array<i64: 0, 0>})
// CHECK: %[[LOW:.*]] = hlo.maximum %[[N]]
// CHECK: %[[SIZE:.*]] = hlo.minimum %[[LOW]]
// CHECK: %[[Z:.*]] = hlo.negate %[[X]] : (tensor<4x3xf32>) -> tensor<4x3xf32>
// CHECK-NOT: hlo.select
// CHECK: return %[[Z]], %[[Y]], %[[SIZE]]
#b = #hlo.layout<[1, 0] bounds = [4, -1]>
func.func @main(%x: tensor<?x3xf32, #b> {hlo.name = "x"}, %y: tensor<2xf32>) -> (tensor<?x3xf32, #b> {hlo.name = "z"}, tensor<2xf32>) {
  %z = hlo.negate %x : (tensor<?x3xf32, #b>) -> tensor<?x3xf32, #b>
  return %z, %y : tensor<?x3xf32, #b>, tensor<2xf32>
}

// -----

// A size goes round a loop beside its array.
// CHECK-LABEL: func.func @loop
// CHECK: %[[R:.*]]:3 = scf.while (%{{.*}} = %{{.*}}, %[[A:.*]] = %arg0, %[[S:.*]] = %{{.*}}) : (tensor<i1>, tensor<4xf32>, tensor<i32>)
// CHECK:   scf.condition(%{{.*}}) %{{.*}}, %[[A]], %[[S]]
// CHECK: return %[[R]]#1, %[[R]]#2
#b = #hlo.layout<[0] bounds = [4]>
func.func @loop(%x: tensor<?xf32, #b>, %p: tensor<i1>) -> tensor<?xf32, #b> {
  %r:2 = scf.while (%q = %p, %a = %x) : (tensor<i1>, tensor<?xf32, #b>) -> (tensor<i1>, tensor<?xf32, #b>) {
    %go = tensor.extract %q[] : tensor<i1>
    scf.condition(%go) %q, %a : tensor<i1>, tensor<?xf32, #b>
  } do {
  ^bb0(%q: tensor<i1>, %a: tensor<?xf32, #b>):
    %stop = hlo.constant(dense<false> : tensor<i1>) : tensor<i1>
    %one = hlo.constant(dense<1> : tensor<i32>) : tensor<i32>
    %b = hlo.set_dimension_size %a, %one {dimension = 0 : i64} : (tensor<?xf32, #b>, tensor<i32>) -> tensor<?xf32, #b>
    scf.yield %stop, %b : tensor<i1>, tensor<?xf32, #b>
  }
  return %r#1 : tensor<?xf32, #b>
}

// -----

// What no rule knows is refused.
#b = #hlo.layout<[0] bounds = [4]>
func.func @refused(%x: tensor<?xf32, #b>) {
  // expected-error @+1 {{'sized_transfer' of arrays of bounded dynamic size is not supported}}
  hlo.sized_transfer <outfeed> 0 [array<i64: 0>] [array<i64: 0>](%x) : (tensor<?xf32, #b>) -> ()
  return
}
