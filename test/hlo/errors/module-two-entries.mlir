// RUN: hlo-opt %s --verify-diagnostics

hlo.computation @entry(%x: tensor<f32>) -> tensor<f32> attributes {entry} {
  hlo.return %x : tensor<f32>
}

// expected-error @below {{expected one entry computation but both entry and other are marked as such [H0300]}}
hlo.computation @other(%x: tensor<f32>) -> tensor<f32> attributes {entry} {
  hlo.return %x : tensor<f32>
}
