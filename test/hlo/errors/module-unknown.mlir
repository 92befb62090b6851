// RUN: hlo-opt %s --verify-diagnostics

hlo.computation @entry(%x: tensor<f32>) -> tensor<f32> attributes {entry} {
  // expected-error @below {{call: expected a computation named nowhere but the module has none [H0200]}}
  %y = hlo.call %x {to_apply = @nowhere} : (tensor<f32>) -> tensor<f32>
  hlo.return %y : tensor<f32>
}

hlo.computation @other(%x: tensor<f32>) -> tensor<f64> {
  // expected-error @below {{computation: expected other to return f64[], as its signature says, but its root is f32[] [H0100]}}
  hlo.return %x : tensor<f32>
}
