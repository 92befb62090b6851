// RUN: hlo-opt %s --verify-diagnostics
// Results of the host's operations that are always valid in HLO text, because its parser sets them.

hlo.computation @infeed_c1(%t: !hlo.token) -> tuple<tensor<4xf32>, tensor<4xf32>> attributes {entry} {
  // expected-error @below {{infeed: expected a result (data, token[]) but got (f32[4], f32[4]) [H0100]}}
  %r = hlo.infeed %t : (!hlo.token) -> tuple<tensor<4xf32>, tensor<4xf32>>
  hlo.return %r : tuple<tensor<4xf32>, tensor<4xf32>>
}

hlo.computation @outfeed_result(%x: tensor<4xf32>, %t: !hlo.token) -> tuple<tensor<4xf32>> {
  // expected-error @below {{outfeed: expected result token[] but got (f32[4]) [H0100]}}
  %r = hlo.outfeed %x, %t {outfeed_shape = tensor<4xf32>} : (tensor<4xf32>, !hlo.token) -> tuple<tensor<4xf32>>
  hlo.return %r : tuple<tensor<4xf32>>
}

hlo.computation @send_result(%x: tensor<4xf32>, %t: !hlo.token) -> tuple<tensor<4xf32>, !hlo.token> {
  // expected-error @below {{send: expected result (f32[4], u32[], token[]) but got (f32[4], token[]) [H0100]}}
  %r = hlo.send %x, %t {channel_id = 1 : i64} : (tensor<4xf32>, !hlo.token) -> tuple<tensor<4xf32>, !hlo.token>
  hlo.return %r : tuple<tensor<4xf32>, !hlo.token>
}

hlo.computation @recv_result(%t: !hlo.token) -> tuple<tensor<4xf32>, tensor<ui32>> {
  // expected-error @below {{recv: expected result (f32[4], u32[], token[]) but got (f32[4], u32[]) [H0100]}}
  %r = hlo.recv %t {channel_id = 2 : i64} : (!hlo.token) -> tuple<tensor<4xf32>, tensor<ui32>>
  hlo.return %r : tuple<tensor<4xf32>, tensor<ui32>>
}
