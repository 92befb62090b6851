// The schedules of dots, on different machines. Each CHECK line tests one choice.

// RUN: hlo-opt --choose-schedules --split-input-file %s | FileCheck %s
// RUN: hlo-opt --choose-schedules=remarks --split-input-file %s 2>&1 >/dev/null | FileCheck %s --check-prefix=WHY

// Many rows: packed, in blocks of columns for the second cache, which is smaller with AVX2. Rows of a
// block are as many as leave work for all cores of the third.
// CHECK-LABEL: func.func @many_rows
// CHECK: hlo.kernel <dot>
// CHECK-SAME: schedules = [#hlo.schedule<"dot.packed" tile = [6, 2] block = [{{[0-9]+}}, 128, 256] lanes = 8>]
// WHY: remark: schedule for x86-64-v3: #hlo.schedule<"dot.packed"{{.*}} us; next: #hlo.schedule<"dot.stream"
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @many_rows(%a: tensor<384x500xf32>, %b: tensor<500x640xf32>) -> tensor<384x640xf32> {
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32> {
    ^bb0(%x: tensor<384x500xf32>, %y: tensor<500x640xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<384x500xf32>, tensor<500x640xf32>) -> tensor<384x640xf32>
      hlo.return %0 : tensor<384x640xf32>
    }
    return %r : tensor<384x640xf32>
  }
}

// -----

// One thread: blocks of more rows, so that the right operand is packed less often. The tallest tile
// is worth more than one that divides the rows, and the right operand is read too seldom for looks
// at memory to pay between a tile's steps.
// CHECK-LABEL: func.func @one_thread
// CHECK: hlo.kernel <dot>
// CHECK-SAME: schedules = [#hlo.schedule<"dot.packed" tile = [6, 2] block = [516, 128, 256] lanes = 8>]
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu", single_threaded}]} {
  func.func @one_thread(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> {
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>} : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32> {
    ^bb0(%x: tensor<512x512xf32>, %y: tensor<512x512xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
      hlo.return %0 : tensor<512x512xf32>
    }
    return %r : tensor<512x512xf32>
  }
}

// -----

// Of numbers of eight bytes a block has half the columns.
// CHECK-LABEL: func.func @wide_numbers
// CHECK: hlo.kernel <dot>
// CHECK-SAME: schedules = [#hlo.schedule<"dot.packed" tile = [6, 2] block = [516, 64, 256] lanes = 4>]
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu", single_threaded}]} {
  func.func @wide_numbers(%a: tensor<512x512xf64>, %b: tensor<512x512xf64>) -> tensor<512x512xf64> {
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>} : (tensor<512x512xf64>, tensor<512x512xf64>) -> tensor<512x512xf64> {
    ^bb0(%x: tensor<512x512xf64>, %y: tensor<512x512xf64>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<512x512xf64>, tensor<512x512xf64>) -> tensor<512x512xf64>
      hlo.return %0 : tensor<512x512xf64>
    }
    return %r : tensor<512x512xf64>
  }
}

// -----

// Rows a way of the first cache apart push each other out of it: no more of them than leave room for the panel. They
// come from far away, so the next tile's are asked for.
// CHECK-LABEL: func.func @rows_in_one_way
// CHECK: hlo.kernel <dot>
// CHECK-SAME: schedules = [#hlo.schedule<"dot.packed" tile = [6, 4] block = {{.*}} with = ["prefetch_left"]>]
module attributes {hlo.targets = [{cpu = "x86-64-v4", triple = "x86_64-linux-gnu", single_threaded}]} {
  func.func @rows_in_one_way(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>} : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    ^bb0(%x: tensor<1024x1024xf32>, %y: tensor<1024x1024xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
      hlo.return %0 : tensor<1024x1024xf32>
    }
    return %r : tensor<1024x1024xf32>
  }
}

// -----

// Others may be more, but a tile of six rows and four vectors needs fewer loads.
// CHECK-LABEL: func.func @rows_apart
// CHECK: hlo.kernel <dot>
// CHECK-SAME: schedules = [#hlo.schedule<"dot.packed" tile = [6, 4] block
module attributes {hlo.targets = [{cpu = "x86-64-v4", triple = "x86_64-linux-gnu", single_threaded}]} {
  func.func @rows_apart(%a: tensor<1020x1000xf32>, %b: tensor<1000x1024xf32>) -> tensor<1020x1024xf32> {
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>} : (tensor<1020x1000xf32>, tensor<1000x1024xf32>) -> tensor<1020x1024xf32> {
    ^bb0(%x: tensor<1020x1000xf32>, %y: tensor<1000x1024xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<1020x1000xf32>, tensor<1000x1024xf32>) -> tensor<1020x1024xf32>
      hlo.return %0 : tensor<1020x1024xf32>
    }
    return %r : tensor<1020x1024xf32>
  }
}

// -----

// Few rows times what lies in memory: blocks of rows are read in place, each strip while the one before is multiplied.
// CHECK-LABEL: func.func @few_rows_far_away
// CHECK: hlo.kernel <dot>
// CHECK-SAME: schedules = [#hlo.schedule<"dot.row_blocks" tile = [4, 3] block = [16, 4096, 64] lanes = 8 with = ["prefetch"]>]
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu", single_threaded}]} {
  func.func @few_rows_far_away(%a: tensor<16x1024xf32>, %b: tensor<1024x4096xf32>) -> tensor<16x4096xf32> {
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>} : (tensor<16x1024xf32>, tensor<1024x4096xf32>) -> tensor<16x4096xf32> {
    ^bb0(%x: tensor<16x1024xf32>, %y: tensor<1024x4096xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<16x1024xf32>, tensor<1024x4096xf32>) -> tensor<16x4096xf32>
      hlo.return %0 : tensor<16x4096xf32>
    }
    return %r : tensor<16x4096xf32>
  }
}

// -----

// Rows of the left operand that lie side by side are packed, too: a tile would read a line of each k.
// CHECK-LABEL: func.func @transposed_left
// CHECK: hlo.kernel <dot>
// CHECK-SAME: schedules = [#hlo.schedule<"dot.packed" tile = [6, 2] {{.*}} with = ["pack_left"]>]
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu", single_threaded}]} {
  func.func @transposed_left(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>} : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    ^bb0(%x: tensor<1024x1024xf32>, %y: tensor<1024x1024xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 0>, rhs_contracting_dims = array<i64: 0>} : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
      hlo.return %0 : tensor<1024x1024xf32>
    }
    return %r : tensor<1024x1024xf32>
  }
}

// -----

// Not where all of them stay in the first cache.
// CHECK-LABEL: func.func @small_transposed_left
// CHECK: hlo.kernel <dot>
// CHECK-SAME: schedules = [#hlo.schedule<"dot.{{[a-z]+}}" tile = [{{[0-9]+, [0-9]+}}]{{( block = .*)?}} lanes = 8>]
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu", single_threaded}]} {
  func.func @small_transposed_left(%a: tensor<48x48xf32>, %b: tensor<48x48xf32>) -> tensor<48x48xf32> {
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>} : (tensor<48x48xf32>, tensor<48x48xf32>) -> tensor<48x48xf32> {
    ^bb0(%x: tensor<48x48xf32>, %y: tensor<48x48xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 0>, rhs_contracting_dims = array<i64: 0>} : (tensor<48x48xf32>, tensor<48x48xf32>) -> tensor<48x48xf32>
      hlo.return %0 : tensor<48x48xf32>
    }
    return %r : tensor<48x48xf32>
  }
}

// -----

// A row: whole rows of the right operand are added to sums that wait in the first cache.
// CHECK-LABEL: func.func @one_row
// CHECK: hlo.kernel <dot>
// CHECK-SAME: schedules = [#hlo.schedule<"dot.axpy" tile = [1, 1] block = [1, 2048, 8] lanes = 8>]
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu", single_threaded}]} {
  func.func @one_row(%a: tensor<1x4096xf32>, %b: tensor<4096x4096xf32>) -> tensor<1x4096xf32> {
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>} : (tensor<1x4096xf32>, tensor<4096x4096xf32>) -> tensor<1x4096xf32> {
    ^bb0(%x: tensor<1x4096xf32>, %y: tensor<4096x4096xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<1x4096xf32>, tensor<4096x4096xf32>) -> tensor<1x4096xf32>
      hlo.return %0 : tensor<1x4096xf32>
    }
    return %r : tensor<1x4096xf32>
  }
}

// -----

// One thread reads whole rows if their sums fit.
// CHECK-LABEL: func.func @one_strip
// CHECK: hlo.kernel <dot>
// CHECK-SAME: schedules = [#hlo.schedule<"dot.axpy" tile = [1, 1] block = [1, 400, 8] lanes = 8>]
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu", single_threaded}]} {
  func.func @one_strip(%a: tensor<1x400xf32>, %b: tensor<400x400xf32>) -> tensor<1x400xf32> {
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>} : (tensor<1x400xf32>, tensor<400x400xf32>) -> tensor<1x400xf32> {
    ^bb0(%x: tensor<1x400xf32>, %y: tensor<400x400xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<1x400xf32>, tensor<400x400xf32>) -> tensor<1x400xf32>
      hlo.return %0 : tensor<1x400xf32>
    }
    return %r : tensor<1x400xf32>
  }
}

// -----

// Several threads need several strips.
// CHECK-LABEL: func.func @strips_of_threads
// CHECK: hlo.kernel <dot>
// CHECK-SAME: schedules = [#hlo.schedule<"dot.axpy" tile = [1, 1] block = [1, 512, 8] lanes = 8>]
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu"}]} {
  func.func @strips_of_threads(%a: tensor<1x1024xf32>, %b: tensor<1024x1024xf32>) -> tensor<1x1024xf32> {
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>} : (tensor<1x1024xf32>, tensor<1024x1024xf32>) -> tensor<1x1024xf32> {
    ^bb0(%x: tensor<1x1024xf32>, %y: tensor<1024x1024xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<1x1024xf32>, tensor<1024x1024xf32>) -> tensor<1x1024xf32>
      hlo.return %0 : tensor<1x1024xf32>
    }
    return %r : tensor<1x1024xf32>
  }
}

// -----

// Two strips where one would leave a second of less than a vector.
// CHECK-LABEL: func.func @ragged_columns
// CHECK: hlo.kernel <dot>
// CHECK-SAME: schedules = [#hlo.schedule<"dot.axpy" tile = [1, 1] block = [1, 504, 8] lanes = 8>]
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu", single_threaded}]} {
  func.func @ragged_columns(%a: tensor<1x1000xf32>, %b: tensor<1000x1004xf32>) -> tensor<1x1004xf32> {
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>} : (tensor<1x1000xf32>, tensor<1000x1004xf32>) -> tensor<1x1004xf32> {
    ^bb0(%x: tensor<1x1000xf32>, %y: tensor<1000x1004xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<1x1000xf32>, tensor<1000x1004xf32>) -> tensor<1x1004xf32>
      hlo.return %0 : tensor<1x1004xf32>
    }
    return %r : tensor<1x1004xf32>
  }
}

// -----

// Rows that are too many for that.
// CHECK-LABEL: func.func @few_rows
// CHECK: hlo.kernel <dot>
// CHECK-SAME: schedules = [#hlo.schedule<"dot.row_blocks" tile = [3, 3] block = [6, 4096, 64]
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu", single_threaded}]} {
  func.func @few_rows(%a: tensor<6x4096xf32>, %b: tensor<4096x4096xf32>) -> tensor<6x4096xf32> {
    %r = hlo.kernel <dot> (%a, %b) {reuse = array<i64: -1>} : (tensor<6x4096xf32>, tensor<4096x4096xf32>) -> tensor<6x4096xf32> {
    ^bb0(%x: tensor<6x4096xf32>, %y: tensor<4096x4096xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<6x4096xf32>, tensor<4096x4096xf32>) -> tensor<6x4096xf32>
      hlo.return %0 : tensor<6x4096xf32>
    }
    return %r : tensor<6x4096xf32>
  }
}

// -----

// A constant is packed when compiling, and what a loop does not change before it; but not for one row, which reads
// nothing twice.
// CHECK-LABEL: func.func @constant
// CHECK: hlo.kernel <dot>
// CHECK-SAME: with = ["packed_right"]>]
// CHECK: scf.for
// CHECK: hlo.kernel <dot>
// CHECK-SAME: with = ["packed_right"]>]
// CHECK: scf.for
// CHECK: hlo.kernel <dot>
// CHECK-NOT: packed_right
// WHY: remark: {{.*}} with = ["packed_right"]>, {{.*}}; panels are packed 0.00 times per run; in place: #hlo.schedule<"dot.
// WHY: remark: {{.*}} with = ["packed_right"]>, {{.*}}; panels are packed 0.01 times per run; in place: #hlo.schedule<"dot.
module attributes {hlo.targets = [{cpu = "x86-64-v3", triple = "x86_64-linux-gnu", single_threaded}]} {
  func.func @constant(%a: tensor<64x256xf32>, %b: tensor<256x256xf32>, %v: tensor<1x256xf32>) -> (tensor<64x256xf32>, tensor<64x256xf32>, tensor<1x256xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c100 = arith.constant 100 : index
    %weights = hlo.constant(dense<0.5> : tensor<256x256xf32>) : tensor<256x256xf32>
    %r = hlo.kernel <dot> (%a, %weights) {reuse = array<i64: -1>} : (tensor<64x256xf32>, tensor<256x256xf32>) -> tensor<64x256xf32> {
    ^bb0(%x: tensor<64x256xf32>, %y: tensor<256x256xf32>):
      %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<64x256xf32>, tensor<256x256xf32>) -> tensor<64x256xf32>
      hlo.return %0 : tensor<64x256xf32>
    }
    %s = scf.for %k = %c0 to %c100 step %c1 iter_args(%t = %a) -> (tensor<64x256xf32>) {
      %p = hlo.kernel <dot> (%t, %b) {reuse = array<i64: -1>} : (tensor<64x256xf32>, tensor<256x256xf32>) -> tensor<64x256xf32> {
      ^bb0(%x: tensor<64x256xf32>, %y: tensor<256x256xf32>):
        %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<64x256xf32>, tensor<256x256xf32>) -> tensor<64x256xf32>
        hlo.return %0 : tensor<64x256xf32>
      }
      scf.yield %p : tensor<64x256xf32>
    }
    %u = scf.for %k = %c0 to %c100 step %c1 iter_args(%t = %v) -> (tensor<1x256xf32>) {
      %p = hlo.kernel <dot> (%t, %b) {reuse = array<i64: -1>} : (tensor<1x256xf32>, tensor<256x256xf32>) -> tensor<1x256xf32> {
      ^bb0(%x: tensor<1x256xf32>, %y: tensor<256x256xf32>):
        %0 = hlo.dot %x, %y {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<1x256xf32>, tensor<256x256xf32>) -> tensor<1x256xf32>
        hlo.return %0 : tensor<1x256xf32>
      }
      scf.yield %p : tensor<1x256xf32>
    }
    return %r, %s, %u : tensor<64x256xf32>, tensor<64x256xf32>, tensor<1x256xf32>
  }
}
