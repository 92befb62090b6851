// RUN: hlo-opt %s | FileCheck %s
// Operations with several results have one tuple in HLO text and one result per leaf in programs
// without tuples; both are checked.

hlo.computation @both(%a: tensor<f32>, %b: tensor<i32>, %x: tensor<f32>, %y: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
  hlo.return %a, %b : tensor<f32>, tensor<i32>
}

// CHECK-LABEL: hlo.computation @entry
// CHECK: hlo.reduce {{.*}} -> (tensor<2xf32>, tensor<2xi32>)
hlo.computation @entry(%x: tensor<2x3xf32>, %y: tensor<2x3xi32>, %a: tensor<f32>, %b: tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>) attributes {entry} {
  %r:2 = hlo.reduce %x, %y, %a, %b {dimensions = array<i64: 1>, to_apply = @both} : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
  hlo.return %r#0, %r#1 : tensor<2xf32>, tensor<2xi32>
}
