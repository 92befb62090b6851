// RUN: hlo-opt --inline-calls --split-input-file %s | FileCheck %s

// A call inside of a callee; its parameters are replaced by the operands.
// CHECK-LABEL: hlo.computation @main
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK: %[[S:.*]] = hlo.add %[[X]], %[[X]]
// CHECK: %[[T:.*]] = hlo.negate %[[S]]
// CHECK: hlo.return %[[T]]
// CHECK-NOT: hlo.computation
hlo.computation @double(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = hlo.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  hlo.return %0 : tensor<4xf32>
}
hlo.computation @outer(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = hlo.call %x {to_apply = @double} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = hlo.negate %0 : (tensor<4xf32>) -> tensor<4xf32>
  hlo.return %1 : tensor<4xf32>
}
hlo.computation @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {entry} {
  %0 = hlo.fusion %x {calls = @outer, kind = #hlo.fusion_kind<kLoop>} : (tensor<4xf32>) -> tensor<4xf32>
  hlo.return %0 : tensor<4xf32>
}

// -----

// map: scalars become arrays; what depends on no parameter is computed once.
// CHECK-LABEL: hlo.computation @main
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>
// CHECK: %[[C:.*]] = hlo.constant(dense<2.0{{.*}}>) : tensor<f32>
// CHECK: %[[D:.*]] = hlo.exponential %[[C]] : (tensor<f32>) -> tensor<f32>
// CHECK: %[[B:.*]] = hlo.broadcast %[[D]] {dimensions = array<i64>} : (tensor<f32>) -> tensor<2x3xf32>
// CHECK: %[[M:.*]] = hlo.multiply %[[X]], %[[B]] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK: hlo.compare %[[M]], %[[X]] {{.*}} -> tensor<2x3xi1>
hlo.computation @scale(%x: tensor<f32>) -> tensor<i1> {
  %0 = hlo.constant(dense<2.0> : tensor<f32>) : tensor<f32>
  %1 = hlo.exponential %0 : (tensor<f32>) -> tensor<f32>
  %2 = hlo.multiply %x, %1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %3 = hlo.compare %2, %x {direction = #hlo.direction<LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  hlo.return %3 : tensor<i1>
}
hlo.computation @main(%x: tensor<2x3xf32>) -> tensor<2x3xi1> attributes {entry} {
  %0 = hlo.map %x {dimensions = array<i64: 0, 1>, to_apply = @scale} : (tensor<2x3xf32>) -> tensor<2x3xi1>
  hlo.return %0 : tensor<2x3xi1>
}

// -----

// Asynchronous pairs.
// CHECK-LABEL: hlo.computation @main
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK: %[[N:.*]] = hlo.negate %[[X]]
// CHECK: %[[IN:.*]] = hlo.tuple %[[X]]
// CHECK: %[[ALL:.*]] = hlo.tuple %[[IN]], %[[N]], %{{.*}}
// CHECK: %[[R:.*]] = hlo.get_tuple_element %[[ALL]] {index = 1 : i64}
// CHECK: hlo.return %[[R]]
hlo.computation @negate(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = hlo.negate %x : (tensor<4xf32>) -> tensor<4xf32>
  hlo.return %0 : tensor<4xf32>
}
hlo.computation @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {entry} {
  %0 = hlo.async_start %x {calls = @negate} : (tensor<4xf32>) -> tuple<tuple<tensor<4xf32>>, tensor<4xf32>, tensor<ui32>>
  %1 = hlo.async_update %0 : (tuple<tuple<tensor<4xf32>>, tensor<4xf32>, tensor<ui32>>) -> tuple<tuple<tensor<4xf32>>, tensor<4xf32>, tensor<ui32>>
  %2 = hlo.async_done %1 : (tuple<tuple<tensor<4xf32>>, tensor<4xf32>, tensor<ui32>>) -> tensor<4xf32>
  hlo.return %2 : tensor<4xf32>
}

// -----

// What only annotates.
// CHECK-LABEL: hlo.computation @main
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: hlo.return %[[X]]
hlo.computation @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {entry} {
  %0 = hlo.opt_barrier %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = hlo.custom_call %0 {custom_call_target = "Sharding"} : (tensor<4xf32>) -> tensor<4xf32>
  hlo.return %1 : tensor<4xf32>
}
