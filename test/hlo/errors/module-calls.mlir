// RUN: hlo-opt %s --verify-diagnostics
// Errors that are impossible in HLO text but not in MLIR: recursion and unknown computations.

hlo.computation @entry(%x: tensor<f32>) -> tensor<f32> attributes {entry} {
  %y = hlo.call %x {to_apply = @first} : (tensor<f32>) -> tensor<f32>
  hlo.return %y : tensor<f32>
}

hlo.computation @first(%x: tensor<f32>) -> tensor<f32> {
  %y = hlo.call %x {to_apply = @second} : (tensor<f32>) -> tensor<f32>
  hlo.return %y : tensor<f32>
}

hlo.computation @second(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{expected no recursion but computation first calls itself [H0206]}}
  %y = hlo.call %x {to_apply = @first} : (tensor<f32>) -> tensor<f32>
  hlo.return %y : tensor<f32>
}
