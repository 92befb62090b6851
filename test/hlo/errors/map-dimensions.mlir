// RUN: hlo-opt %s --verify-diagnostics
// In HLO text the dimensions of map are ignored.

hlo.computation @negate(%x: tensor<f32>) -> tensor<f32> {
  %y = hlo.negate %x : (tensor<f32>) -> tensor<f32>
  hlo.return %y : tensor<f32>
}

hlo.computation @map_c3(%x: tensor<4xf32>) -> tensor<4xf32> attributes {entry} {
  // expected-error @below {{map: expected dimensions {0} but got {1} [H0110]}}
  %y = hlo.map %x {dimensions = array<i64: 1>, to_apply = @negate} : (tensor<4xf32>) -> tensor<4xf32>
  hlo.return %y : tensor<4xf32>
}
