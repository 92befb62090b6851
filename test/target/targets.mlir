// The targets of a module are an attribute, which passes read.

// RUN: hlo-opt --fuse --split-input-file --verify-diagnostics %s

module attributes {hlo.targets = [{cpu = "haswell", triple = "x86_64-linux-gnu"}]} {
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %r = hlo.negate %x : (tensor<8xf32>) -> tensor<8xf32>
    return %r : tensor<8xf32>
  }
}

// -----

// expected-error @+1 {{unknown CPU 'z80' for x86_64}}
module attributes {hlo.targets = [{cpu = "z80", triple = "x86_64-linux-gnu"}]} {
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %r = hlo.negate %x : (tensor<8xf32>) -> tensor<8xf32>
    return %r : tensor<8xf32>
  }
}

// -----

// expected-error @+1 {{expected hlo.targets to hold dictionaries}}
module attributes {hlo.targets = ["haswell"]} {
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %r = hlo.negate %x : (tensor<8xf32>) -> tensor<8xf32>
    return %r : tensor<8xf32>
  }
}
