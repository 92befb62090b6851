// Schedules that a user writes are checked before code generation uses them.

// RUN: hlo-opt --choose-schedules --split-input-file --verify-diagnostics %s

// A strategy that nobody has written.
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @main(%a: tensor<384x500xf32>, %b: tensor<500x640xf32>) -> tensor<384x640xf32> {
    // expected-error@+1 {{no strategy `dot.magic` for a kernel of this kind: expected dot.stream, dot.row_blocks, dot.axpy, dot.along_depth, dot.packed}}
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"dot.magic" tile = [6, 2] lanes = 8>]} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32> {
    ^bb0(%x: tensor<384x500xf32>, %y: tensor<500x640xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32>
      hlo.return %0 : tensor<384x640xf32>
    }
    return %r : tensor<384x640xf32>
  }
}

// -----

// A strategy that does not take this product.
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @main(%a: tensor<384x500xf32>, %b: tensor<500x640xf32>) -> tensor<384x640xf32> {
    // expected-error@+1 {{the contracting dimension is not the minor dimension of the right operand}}
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"dot.along_depth" tile = [1, 1] lanes = 8>]} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32> {
    ^bb0(%x: tensor<384x500xf32>, %y: tensor<500x640xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32>
      hlo.return %0 : tensor<384x640xf32>
    }
    return %r : tensor<384x640xf32>
  }
}

// -----

// Tiles.
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @main(%a: tensor<384x500xf32>, %b: tensor<500x640xf32>) -> tensor<384x640xf32> {
    // expected-error@+1 {{expected `tile` to be two numbers, 1 or more}}
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"dot.stream" tile = [6] lanes = 8>]} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32> {
    ^bb0(%x: tensor<384x500xf32>, %y: tensor<500x640xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32>
      hlo.return %0 : tensor<384x640xf32>
    }
    return %r : tensor<384x640xf32>
  }
}

// -----

// Sizes of which the product overflows.
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @main(%a: tensor<384x500xf32>, %b: tensor<500x640xf32>) -> tensor<384x640xf32> {
    // expected-error@+1 {{expected a tile of at most 64 sums on this machine}}
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"dot.stream" tile = [4, 4611686018427387904] lanes = 8>]} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32> {
    ^bb0(%x: tensor<384x500xf32>, %y: tensor<500x640xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32>
      hlo.return %0 : tensor<384x640xf32>
    }
    return %r : tensor<384x640xf32>
  }
}

// -----

// Vectors that the machine does not have.
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @main(%a: tensor<384x500xf32>, %b: tensor<500x640xf32>) -> tensor<384x640xf32> {
    // expected-error@+1 {{expected `lanes` to be a power of two that fits a vector of the target}}
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"dot.stream" tile = [6, 2] lanes = 16>]} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32> {
    ^bb0(%x: tensor<384x500xf32>, %y: tensor<500x640xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32>
      hlo.return %0 : tensor<384x640xf32>
    }
    return %r : tensor<384x640xf32>
  }
}

// -----

// A left operand whose rows do not lie side by side.
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @main(%a: tensor<384x500xf32>, %b: tensor<500x640xf32>) -> tensor<384x640xf32> {
    // expected-error@+1 {{rows are not the minor dimension of the left operand, or its elements are multiplied in groups}}
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"dot.packed" tile = [6, 2] block = [192, 128, 256] lanes = 8 with = ["pack_left"]>]} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32> {
    ^bb0(%x: tensor<384x500xf32>, %y: tensor<500x640xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32>
      hlo.return %0 : tensor<384x640xf32>
    }
    return %r : tensor<384x640xf32>
  }
}

// -----

// A left operand whose rows lie side by side, so that no tile's rows can be asked for.
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @main(%a: tensor<500x384xf32>, %b: tensor<500x640xf32>) -> tensor<384x640xf32> {
    // expected-error@+1 {{rows of the left operand are not contiguous in memory}}
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"dot.packed" tile = [6, 2] block = [192, 128, 256] lanes = 8 with = ["prefetch_left"]>]} : (tensor<500x384xf32>, tensor<500x640xf32>) -> tensor<384x640xf32> {
    ^bb0(%x: tensor<500x384xf32>, %y: tensor<500x640xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 0>, rhs_contracting_dims = array<i64: 0>} : (tensor<500x384xf32>, tensor<500x640xf32>) -> tensor<384x640xf32>
      hlo.return %0 : tensor<384x640xf32>
    }
    return %r : tensor<384x640xf32>
  }
}

// -----

// Sums of more rows than wait in the first cache.
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @main(%a: tensor<384x500xf32>, %b: tensor<500x640xf32>) -> tensor<384x640xf32> {
    // expected-error@+1 {{too many rows for their sums to stay in L1}}
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"dot.axpy" tile = [6, 1] block = [6, 256, 1] lanes = 8>]} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32> {
    ^bb0(%x: tensor<384x500xf32>, %y: tensor<500x640xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32>
      hlo.return %0 : tensor<384x640xf32>
    }
    return %r : tensor<384x640xf32>
  }
}

// -----

// Blocks.
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @main(%a: tensor<384x500xf32>, %b: tensor<500x640xf32>) -> tensor<384x640xf32> {
    // expected-error@+1 {{expected blocks of whole tiles}}
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"dot.packed" tile = [6, 2] block = [100, 128, 256] lanes = 8>]} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32> {
    ^bb0(%x: tensor<384x500xf32>, %y: tensor<500x640xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32>
      hlo.return %0 : tensor<384x640xf32>
    }
    return %r : tensor<384x640xf32>
  }
}

// -----

// Blocks of which the bytes overflow.
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @main(%a: tensor<384x500xf32>, %b: tensor<500x640xf32>) -> tensor<384x640xf32> {
    // expected-error@+1 {{expected blocks no larger than the product}}
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"dot.packed" tile = [6, 2] block = [384, 4611686018427387904, 256] lanes = 8>]} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32> {
    ^bb0(%x: tensor<384x500xf32>, %y: tensor<500x640xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32>
      hlo.return %0 : tensor<384x640xf32>
    }
    return %r : tensor<384x640xf32>
  }
}

// -----

// The order of sums is not for schedules to choose.
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @main(%a: tensor<384x500xf32>, %b: tensor<500x640xf32>) -> tensor<384x640xf32> {
    // expected-error@+1 {{expected the depth of `block` to be that of a block of the sum, which accuracy determines}}
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"dot.packed" tile = [6, 2] block = [192, 128, 128] lanes = 8>]} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32> {
    ^bb0(%x: tensor<384x500xf32>, %y: tensor<500x640xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32>
      hlo.return %0 : tensor<384x640xf32>
    }
    return %r : tensor<384x640xf32>
  }
}

// -----

// Panels that the stack does not hold.
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @main(%a: tensor<384x500xf32>, %b: tensor<500x640xf32>) -> tensor<384x640xf32> {
    // expected-error@+1 {{expected blocks that fit into the stack}}
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"dot.packed" tile = [6, 2] block = [384, 640, 256] lanes = 8>]} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32> {
    ^bb0(%x: tensor<384x500xf32>, %y: tensor<500x640xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32>
      hlo.return %0 : tensor<384x640xf32>
    }
    return %r : tensor<384x640xf32>
  }
}

// -----

// Choices.
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @main(%a: tensor<384x500xf32>, %b: tensor<500x640xf32>) -> tensor<384x640xf32> {
    // expected-error@+1 {{this strategy has no choice `prefech`}}
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"dot.packed" tile = [6, 2] block = [192, 128, 256] lanes = 8 with = ["prefech"]>]} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32> {
    ^bb0(%x: tensor<384x500xf32>, %y: tensor<500x640xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32>
      hlo.return %0 : tensor<384x640xf32>
    }
    return %r : tensor<384x640xf32>
  }
}

// -----

// What code generation counts.
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @main(%a: tensor<384x500xf32>, %b: tensor<500x640xf32>) -> tensor<384x640xf32> {
    // expected-error@+1 {{expected neither `units`, `grain` nor `scratch`: code generation computes them}}
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"dot.packed" tile = [6, 2] block = [192, 128, 256] lanes = 8 units = 4>]} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32> {
    ^bb0(%x: tensor<384x500xf32>, %y: tensor<500x640xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32>
      hlo.return %0 : tensor<384x640xf32>
    }
    return %r : tensor<384x640xf32>
  }
}

// -----

// A way that does not fit the kernel.
module {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error@+1 {{there is one row}}
    %r = hlo.kernel <loop> (%a) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"loop.rows">]} : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%x: tensor<4xf32>):
      %0 = hlo.negate %x : (tensor<4xf32>) -> tensor<4xf32>
      hlo.return %0 : tensor<4xf32>
    }
    return %r : tensor<4xf32>
  }
}

// -----

// Schedules of the module.
// expected-error@+1 {{expected `hlo.schedules` to be a dictionary of #hlo.schedule}}
module attributes {hlo.schedules = {a = 1 : i64}} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %r = hlo.kernel <loop> (%a) {reuse = array<i64: -1>} : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%x: tensor<4xf32>):
      %0 = hlo.negate %x : (tensor<4xf32>) -> tensor<4xf32>
      hlo.return %0 : tensor<4xf32>
    }
    return %r : tensor<4xf32>
  }
}

// -----

// expected-error@+1 {{expected `hlo.schedules` to be a dictionary of #hlo.schedule}}
module attributes {hlo.schedules = 7 : i64} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %r = hlo.kernel <loop> (%a) {reuse = array<i64: -1>} : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%x: tensor<4xf32>):
      %0 = hlo.negate %x : (tensor<4xf32>) -> tensor<4xf32>
      hlo.return %0 : tensor<4xf32>
    }
    return %r : tensor<4xf32>
  }
}

// -----

// expected-error@+1 {{no kernel is called `nobody`, which a schedule was given for}}
module attributes {hlo.schedules = {nobody = #hlo.schedule<"dot.stream" tile = [1, 1] lanes = 8>}} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %r = hlo.kernel <loop> (%a) {reuse = array<i64: -1>} : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%x: tensor<4xf32>):
      %0 = hlo.negate %x : (tensor<4xf32>) -> tensor<4xf32>
      hlo.return %0 : tensor<4xf32>
    }
    return %r : tensor<4xf32>
  }
}

// -----

// Convolutions: features that lanes along channels do not take.
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @main(%x: tensor<2x14x14x256xf32>, %w: tensor<3x3x256x64xf32>) -> tensor<2x14x14x64xf32> {
    // expected-error@+1 {{there are too many features, or too few channels}}
    %r = hlo.kernel <convolution> (%x, %w) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"convolution.channels" tile = [1, 64] lanes = 8>]} : (tensor<2x14x14x256xf32>, tensor<3x3x256x64xf32>) -> tensor<2x14x14x64xf32> {
    ^bb0(%input: tensor<2x14x14x256xf32>, %filter: tensor<3x3x256x64xf32>):
      %0 = hlo.convolution %input, %filter {dim_labels = #hlo.conv<b 0 f 3 [1, 2] x i 2 o 3 [0, 1] -> b 0 f 3 [1, 2]>, feature_group_count = 1, window = #hlo.window<sizes = [3, 3] strides = [1, 1] low = [1, 1] high = [1, 1] base = [1, 1] dilate = [1, 1] reverse = [false, false]>} : (tensor<2x14x14x256xf32>, tensor<3x3x256x64xf32>) -> tensor<2x14x14x64xf32>
      hlo.return %0 : tensor<2x14x14x64xf32>
    }
    return %r : tensor<2x14x14x64xf32>
  }
}

// -----

// A block of as many numbers as the strategy has loops.
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @main(%x: tensor<2x14x14x256xf32>, %w: tensor<3x3x256x64xf32>) -> tensor<2x14x14x64xf32> {
    // expected-error@+1 {{expected `block` to be 2 numbers, 1 or more}}
    %r = hlo.kernel <convolution> (%x, %w) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"convolution.features" tile = [6, 2] block = [64] lanes = 8>]} : (tensor<2x14x14x256xf32>, tensor<3x3x256x64xf32>) -> tensor<2x14x14x64xf32> {
    ^bb0(%input: tensor<2x14x14x256xf32>, %filter: tensor<3x3x256x64xf32>):
      %0 = hlo.convolution %input, %filter {dim_labels = #hlo.conv<b 0 f 3 [1, 2] x i 2 o 3 [0, 1] -> b 0 f 3 [1, 2]>, feature_group_count = 1, window = #hlo.window<sizes = [3, 3] strides = [1, 1] low = [1, 1] high = [1, 1] base = [1, 1] dilate = [1, 1] reverse = [false, false]>} : (tensor<2x14x14x256xf32>, tensor<3x3x256x64xf32>) -> tensor<2x14x14x64xf32>
      hlo.return %0 : tensor<2x14x14x64xf32>
    }
    return %r : tensor<2x14x14x64xf32>
  }
}

// -----

// Units of whole tiles.
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @main(%x: tensor<2x14x14x256xf32>, %w: tensor<3x3x256x64xf32>) -> tensor<2x14x14x64xf32> {
    // expected-error@+1 {{expected units of whole tiles}}
    %r = hlo.kernel <convolution> (%x, %w) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"convolution.features" tile = [6, 2] block = [40, 1] lanes = 8>]} : (tensor<2x14x14x256xf32>, tensor<3x3x256x64xf32>) -> tensor<2x14x14x64xf32> {
    ^bb0(%input: tensor<2x14x14x256xf32>, %filter: tensor<3x3x256x64xf32>):
      %0 = hlo.convolution %input, %filter {dim_labels = #hlo.conv<b 0 f 3 [1, 2] x i 2 o 3 [0, 1] -> b 0 f 3 [1, 2]>, feature_group_count = 1, window = #hlo.window<sizes = [3, 3] strides = [1, 1] low = [1, 1] high = [1, 1] base = [1, 1] dilate = [1, 1] reverse = [false, false]>} : (tensor<2x14x14x256xf32>, tensor<3x3x256x64xf32>) -> tensor<2x14x14x64xf32>
      hlo.return %0 : tensor<2x14x14x64xf32>
    }
    return %r : tensor<2x14x14x64xf32>
  }
}

// -----

// The order of sums is not for schedules to choose.
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @main(%x: tensor<2x14x14x256xf32>, %w: tensor<3x3x256x64xf32>) -> tensor<2x14x14x64xf32> {
    // expected-error@+1 {{expected the channels of `block` to be those of a block of the sum, which accuracy determines}}
    %r = hlo.kernel <convolution> (%x, %w) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"convolution.blocked" tile = [6, 2] block = [32, 4, 128] lanes = 8>]} : (tensor<2x14x14x256xf32>, tensor<3x3x256x64xf32>) -> tensor<2x14x14x64xf32> {
    ^bb0(%input: tensor<2x14x14x256xf32>, %filter: tensor<3x3x256x64xf32>):
      %0 = hlo.convolution %input, %filter {dim_labels = #hlo.conv<b 0 f 3 [1, 2] x i 2 o 3 [0, 1] -> b 0 f 3 [1, 2]>, feature_group_count = 1, window = #hlo.window<sizes = [3, 3] strides = [1, 1] low = [1, 1] high = [1, 1] base = [1, 1] dilate = [1, 1] reverse = [false, false]>} : (tensor<2x14x14x256xf32>, tensor<3x3x256x64xf32>) -> tensor<2x14x14x64xf32>
      hlo.return %0 : tensor<2x14x14x64xf32>
    }
    return %r : tensor<2x14x14x64xf32>
  }
}

// -----

// More rows than there are.
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @main(%x: tensor<2x14x14x256xf32>, %w: tensor<3x3x256x64xf32>) -> tensor<2x14x14x64xf32> {
    // expected-error@+1 {{expected no more pixels and rows than the result has}}
    %r = hlo.kernel <convolution> (%x, %w) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"convolution.blocked" tile = [6, 2] block = [32, 15, 256] lanes = 8>]} : (tensor<2x14x14x256xf32>, tensor<3x3x256x64xf32>) -> tensor<2x14x14x64xf32> {
    ^bb0(%input: tensor<2x14x14x256xf32>, %filter: tensor<3x3x256x64xf32>):
      %0 = hlo.convolution %input, %filter {dim_labels = #hlo.conv<b 0 f 3 [1, 2] x i 2 o 3 [0, 1] -> b 0 f 3 [1, 2]>, feature_group_count = 1, window = #hlo.window<sizes = [3, 3] strides = [1, 1] low = [1, 1] high = [1, 1] base = [1, 1] dilate = [1, 1] reverse = [false, false]>} : (tensor<2x14x14x256xf32>, tensor<3x3x256x64xf32>) -> tensor<2x14x14x64xf32>
      hlo.return %0 : tensor<2x14x14x64xf32>
    }
    return %r : tensor<2x14x14x64xf32>
  }
}

// -----

// Choices of another strategy.
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @main(%x: tensor<2x14x14x256xf32>, %w: tensor<3x3x256x64xf32>) -> tensor<2x14x14x64xf32> {
    // expected-error@+1 {{this strategy has no choice `patch`}}
    %r = hlo.kernel <convolution> (%x, %w) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"convolution.blocked" tile = [6, 2] block = [32, 4, 256] lanes = 8 with = ["patch"]>]} : (tensor<2x14x14x256xf32>, tensor<3x3x256x64xf32>) -> tensor<2x14x14x64xf32> {
    ^bb0(%input: tensor<2x14x14x256xf32>, %filter: tensor<3x3x256x64xf32>):
      %0 = hlo.convolution %input, %filter {dim_labels = #hlo.conv<b 0 f 3 [1, 2] x i 2 o 3 [0, 1] -> b 0 f 3 [1, 2]>, feature_group_count = 1, window = #hlo.window<sizes = [3, 3] strides = [1, 1] low = [1, 1] high = [1, 1] base = [1, 1] dilate = [1, 1] reverse = [false, false]>} : (tensor<2x14x14x256xf32>, tensor<3x3x256x64xf32>) -> tensor<2x14x14x64xf32>
      hlo.return %0 : tensor<2x14x14x64xf32>
    }
    return %r : tensor<2x14x14x64xf32>
  }
}
// -----

// A panel that is no whole strips.
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  hlo.computation private @add(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = hlo.add %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    hlo.return %0 : tensor<f32>
  }
  func.func @main(%x: tensor<64x100xf32>) -> tensor<100xf32> {
    // expected-error@+1 {{expected `block` to be rows and columns, multiples of the tile's}}
    %r = hlo.kernel <reduce> (%x) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"reduce.panels" tile = [1, 2] block = [16, 24] lanes = 8>]} : (tensor<64x100xf32>) -> tensor<100xf32> {
    ^bb0(%a: tensor<64x100xf32>):
      %zero = hlo.constant(dense<0.0> : tensor<f32>) : tensor<f32>
      %0 = hlo.reduce %a, %zero {dimensions = array<i64: 0>, to_apply = @add} : (tensor<64x100xf32>, tensor<f32>) -> tensor<100xf32>
      hlo.return %0 : tensor<100xf32>
    }
    return %r : tensor<100xf32>
  }
}

// -----

// Totals that are more than a kernel may take of the stack.
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  hlo.computation private @add(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = hlo.add %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    hlo.return %0 : tensor<f32>
  }
  func.func @main(%x: tensor<64x100000xf32>) -> tensor<100000xf32> {
    // expected-error@+1 {{the totals of a panel do not fit into the kernel's stack}}
    %r = hlo.kernel <reduce> (%x) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"reduce.panels" tile = [1, 2] block = [16, 80000] lanes = 8>]} : (tensor<64x100000xf32>) -> tensor<100000xf32> {
    ^bb0(%a: tensor<64x100000xf32>):
      %zero = hlo.constant(dense<0.0> : tensor<f32>) : tensor<f32>
      %0 = hlo.reduce %a, %zero {dimensions = array<i64: 0>, to_apply = @add} : (tensor<64x100000xf32>, tensor<f32>) -> tensor<100000xf32>
      hlo.return %0 : tensor<100000xf32>
    }
    return %r : tensor<100000xf32>
  }
}

// -----

// The end of a row that is no whole strip would be folded twice into what it is read from, and
// elements of 16 bits cannot be masked instead.
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  hlo.computation private @add(%arg0: tensor<i16>, %arg1: tensor<i16>) -> tensor<i16> {
    %0 = hlo.add %arg0, %arg1 : (tensor<i16>, tensor<i16>) -> tensor<i16>
    hlo.return %0 : tensor<i16>
  }
  func.func @main(%x: tensor<64x100xi16>) -> tensor<64x100xi16> {
    // expected-error@+1 {{expected a tile that is no wider than a row, and divides a row that is reduced in place if elements have no masked loads}}
    %r = hlo.kernel <reduce> (%x) {reuse = array<i64: 0>, schedules = [#hlo.schedule<"reduce.panels" tile = [1, 2] block = [16, 32] lanes = 16>]} : (tensor<64x100xi16>) -> tensor<64x100xi16> {
    ^bb0(%a: tensor<64x100xi16>):
      %zero = hlo.constant(dense<0> : tensor<i16>) : tensor<i16>
      %0 = hlo.reduce %a, %zero {dimensions = array<i64: 0>, to_apply = @add} : (tensor<64x100xi16>, tensor<i16>) -> tensor<100xi16>
      %1 = hlo.broadcast %0 {dimensions = array<i64: 1>} : (tensor<100xi16>) -> tensor<64x100xi16>
      %2 = hlo.divide %a, %1 : (tensor<64x100xi16>, tensor<64x100xi16>) -> tensor<64x100xi16>
      hlo.return %2 : tensor<64x100xi16>
    }
    return %r : tensor<64x100xi16>
  }
}

// -----

// Blocks of the window are whole blocks of the sum.
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @main(%x: tensor<2x3002x4xf32>, %w: tensor<3000x4x64xf32>) -> tensor<2x3x64xf32> {
    // expected-error@+1 {{expected whole blocks of the sum, which accuracy determines}}
    %r = hlo.kernel <convolution> (%x, %w) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"convolution.window" tile = [3, 4] block = [64, 2, 300] lanes = 8>]} : (tensor<2x3002x4xf32>, tensor<3000x4x64xf32>) -> tensor<2x3x64xf32> {
    ^bb0(%input: tensor<2x3002x4xf32>, %filter: tensor<3000x4x64xf32>):
      %0 = hlo.convolution %input, %filter {dim_labels = #hlo.conv<b 0 f 2 [1] x i 1 o 2 [0] -> b 0 f 2 [1]>, feature_group_count = 1, window = #hlo.window<sizes = [3000] strides = [1] low = [0] high = [0] base = [1] dilate = [1] reverse = [false]>} : (tensor<2x3002x4xf32>, tensor<3000x4x64xf32>) -> tensor<2x3x64xf32>
      hlo.return %0 : tensor<2x3x64xf32>
    }
    return %r : tensor<2x3x64xf32>
  }
}

// -----

// A window that is no larger than the result.
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @main(%x: tensor<2x14x14x256xf32>, %w: tensor<3x3x256x64xf32>) -> tensor<2x14x14x64xf32> {
    // expected-error@+1 {{the window is no larger than the result}}
    %r = hlo.kernel <convolution> (%x, %w) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"convolution.window" tile = [6, 2] block = [64, 2, 1] lanes = 8>]} : (tensor<2x14x14x256xf32>, tensor<3x3x256x64xf32>) -> tensor<2x14x14x64xf32> {
    ^bb0(%input: tensor<2x14x14x256xf32>, %filter: tensor<3x3x256x64xf32>):
      %0 = hlo.convolution %input, %filter {dim_labels = #hlo.conv<b 0 f 3 [1, 2] x i 2 o 3 [0, 1] -> b 0 f 3 [1, 2]>, feature_group_count = 1, window = #hlo.window<sizes = [3, 3] strides = [1, 1] low = [1, 1] high = [1, 1] base = [1, 1] dilate = [1, 1] reverse = [false, false]>} : (tensor<2x14x14x256xf32>, tensor<3x3x256x64xf32>) -> tensor<2x14x14x64xf32>
      hlo.return %0 : tensor<2x14x14x64xf32>
    }
    return %r : tensor<2x14x14x64xf32>
  }
}
