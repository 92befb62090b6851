// RUN: hlo-opt %s --verify-diagnostics
// In HLO text interior padding cannot have a sign; in MLIR it can.

hlo.computation @pad_c4(%x: tensor<4xf32>, %value: tensor<f32>) -> tensor<1xf32> attributes {entry} {
  // expected-error @below {{pad: expected interior padding to be at least 0 but got -1 [H0113]}}
  %y = hlo.pad %x, %value {high = array<i64: 0>, interior = array<i64: -1>, low = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<1xf32>
  hlo.return %y : tensor<1xf32>
}
