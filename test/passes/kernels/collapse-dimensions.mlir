// RUN: hlo-opt --collapse-dimensions --split-input-file %s | FileCheck %s

// A value per index of the outermost dimension: the others are one row.
// CHECK-LABEL: func.func @broadcast_from_outside
// CHECK: hlo.kernel <loop> (%{{.*}}) {reuse = array<i64: 0>} : (tensor<64x8x3xf32>, tensor<64xf32>) -> tensor<64x8x3xf32>
// CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<64x24xf32>, %[[Y:.*]]: tensor<64xf32>):
// CHECK-NEXT: %[[B:.*]] = hlo.broadcast %[[Y]] {dimensions = array<i64: 0>} : (tensor<64xf32>) -> tensor<64x24xf32>
// CHECK-NEXT: hlo.add %[[X]], %[[B]] : (tensor<64x24xf32>, tensor<64x24xf32>) -> tensor<64x24xf32>
func.func @broadcast_from_outside(%x: tensor<64x8x3xf32>, %y: tensor<64xf32>) -> tensor<64x8x3xf32> {
  %r = hlo.kernel <loop> (%x, %y) {reuse = array<i64: 0>} : (tensor<64x8x3xf32>, tensor<64xf32>) -> tensor<64x8x3xf32> {
  ^bb0(%0: tensor<64x8x3xf32>, %1: tensor<64xf32>):
    %2 = hlo.broadcast %1 {dimensions = array<i64: 0>} : (tensor<64xf32>) -> tensor<64x8x3xf32>
    %3 = hlo.add %0, %2 : (tensor<64x8x3xf32>, tensor<64x8x3xf32>) -> tensor<64x8x3xf32>
    hlo.return %3 : tensor<64x8x3xf32>
  }
  return %r : tensor<64x8x3xf32>
}

// -----

// A mask over all but the minor dimension keeps only that one separate; dimensions of size one are dropped.
// CHECK-LABEL: func.func @mask
// CHECK: ^bb0(%{{.*}}: tensor<512x3xf32>, %[[M:.*]]: tensor<512xi1>):
// CHECK: hlo.broadcast %[[M]] {dimensions = array<i64: 0>} : (tensor<512xi1>) -> tensor<512x3xi1>
// CHECK: hlo.constant(dense<0.000000e+00> : tensor<512x3xf32>)
// CHECK: hlo.select
func.func @mask(%x: tensor<64x8x1x3xf32>, %m: tensor<64x8xi1>) -> tensor<64x8x1x3xf32> {
  %r = hlo.kernel <loop> (%x, %m) {reuse = array<i64: 0>} : (tensor<64x8x1x3xf32>, tensor<64x8xi1>) -> tensor<64x8x1x3xf32> {
  ^bb0(%0: tensor<64x8x1x3xf32>, %1: tensor<64x8xi1>):
    %2 = hlo.broadcast %1 {dimensions = array<i64: 0, 1>} : (tensor<64x8xi1>) -> tensor<64x8x1x3xi1>
    %z = hlo.constant (dense<0.0> : tensor<64x8x1x3xf32>) : tensor<64x8x1x3xf32>
    %3 = hlo.select %2, %0, %z : (tensor<64x8x1x3xi1>, tensor<64x8x1x3xf32>, tensor<64x8x1x3xf32>) -> tensor<64x8x1x3xf32>
    hlo.return %3 : tensor<64x8x1x3xf32>
  }
  return %r : tensor<64x8x1x3xf32>
}

// -----

// A broadcast dimension of size one between two of the operand's is dropped; a larger one keeps them separate.
// CHECK-LABEL: func.func @broadcast_apart
// CHECK: ^bb0(%[[X:.*]]: tensor<15xf32>):
// CHECK: hlo.broadcast %[[X]] {dimensions = array<i64: 0>} : (tensor<15xf32>) -> tensor<15x7xf32>
// CHECK: ^bb0(%[[Y:.*]]: tensor<3x5xf32>):
// CHECK: hlo.broadcast %[[Y]] {dimensions = array<i64: 0, 2>} : (tensor<3x5xf32>) -> tensor<3x7x5xf32>
func.func @broadcast_apart(%x: tensor<3x5xf32>, %y: tensor<3x5xf32>) -> (tensor<3x1x5x7xf32>, tensor<3x7x5xf32>) {
  %r = hlo.kernel <loop> (%x) {reuse = array<i64: -1>} : (tensor<3x5xf32>) -> tensor<3x1x5x7xf32> {
  ^bb0(%0: tensor<3x5xf32>):
    %1 = hlo.broadcast %0 {dimensions = array<i64: 0, 2>} : (tensor<3x5xf32>) -> tensor<3x1x5x7xf32>
    hlo.return %1 : tensor<3x1x5x7xf32>
  }
  %s = hlo.kernel <loop> (%y) {reuse = array<i64: -1>} : (tensor<3x5xf32>) -> tensor<3x7x5xf32> {
  ^bb0(%0: tensor<3x5xf32>):
    %1 = hlo.broadcast %0 {dimensions = array<i64: 0, 2>} : (tensor<3x5xf32>) -> tensor<3x7x5xf32>
    hlo.return %1 : tensor<3x7x5xf32>
  }
  return %r, %s : tensor<3x1x5x7xf32>, tensor<3x7x5xf32>
}

// -----

// A movement of one dimension lets the others collapse. A slice of whole rows becomes a slice of elements.
// CHECK-LABEL: func.func @moves
// CHECK: ^bb0(%[[X:.*]]: tensor<4x360xf32>):
// CHECK: %[[S:.*]] = hlo.slice %[[X]] {limits = array<i64: 4, 300>, starts = array<i64: 0, 60>, strides = array<i64: 1, 1>}
// CHECK-SAME: -> tensor<4x240xf32>
// CHECK: hlo.transpose %[[S]] {dimensions = array<i64: 1, 0>} : (tensor<4x240xf32>) -> tensor<240x4xf32>
func.func @moves(%x: tensor<4x6x5x12xf32>) -> tensor<4x5x12x4xf32> {
  %r = hlo.kernel <loop> (%x) {reuse = array<i64: -1>} : (tensor<4x6x5x12xf32>) -> tensor<4x5x12x4xf32> {
  ^bb0(%0: tensor<4x6x5x12xf32>):
    %1 = hlo.slice %0 {starts = array<i64: 0, 1, 0, 0>, limits = array<i64: 4, 5, 5, 12>, strides = array<i64: 1, 1, 1, 1>} : (tensor<4x6x5x12xf32>) -> tensor<4x4x5x12xf32>
    %2 = hlo.transpose %1 {dimensions = array<i64: 1, 2, 3, 0>} : (tensor<4x4x5x12xf32>) -> tensor<4x5x12x4xf32>
    hlo.return %2 : tensor<4x5x12x4xf32>
  }
  return %r : tensor<4x5x12x4xf32>
}

// -----

// CHECK-LABEL: func.func @strided_slice
// CHECK: ^bb0(%{{.*}}: tensor<8x15xf32>):
// CHECK: hlo.slice %{{.*}} {limits = array<i64: 8, 15>, starts = array<i64: 0, 0>, strides = array<i64: 2, 1>}
func.func @strided_slice(%x: tensor<8x3x5xf32>) -> tensor<4x3x5xf32> {
  %r = hlo.kernel <loop> (%x) {reuse = array<i64: -1>} : (tensor<8x3x5xf32>) -> tensor<4x3x5xf32> {
  ^bb0(%0: tensor<8x3x5xf32>):
    %1 = hlo.slice %0 {starts = array<i64: 0, 0, 0>, limits = array<i64: 8, 3, 5>, strides = array<i64: 2, 1, 1>} : (tensor<8x3x5xf32>) -> tensor<4x3x5xf32>
    hlo.return %1 : tensor<4x3x5xf32>
  }
  return %r : tensor<4x3x5xf32>
}

// -----

// Padded pixels collapse with their colours. Padded long rows do not: whether a row is padding is tested once per row.
// CHECK-LABEL: func.func @pad
// CHECK: hlo.pad {{.*}} {high = array<i64: 1, 3>, interior = array<i64: 0, 0>, low = array<i64: 1, 3>} : (tensor<8x24xf32>, tensor<f32>) -> tensor<10x30xf32>
// CHECK: hlo.pad {{.*}} {high = array<i64: 1, 0>, interior = array<i64: 0, 0>, low = array<i64: 1, 0>} : (tensor<8x64xf32>, tensor<f32>) -> tensor<10x64xf32>
func.func @pad(%x: tensor<8x8x3xf32>, %y: tensor<8x8x8xf32>, %z: tensor<f32>) -> (tensor<10x10x3xf32>, tensor<10x8x8xf32>) {
  %r = hlo.kernel <loop> (%x, %z) {reuse = array<i64: -1>} : (tensor<8x8x3xf32>, tensor<f32>) -> tensor<10x10x3xf32> {
  ^bb0(%0: tensor<8x8x3xf32>, %1: tensor<f32>):
    %2 = hlo.pad %0, %1 {low = array<i64: 1, 1, 0>, high = array<i64: 1, 1, 0>, interior = array<i64: 0, 0, 0>} : (tensor<8x8x3xf32>, tensor<f32>) -> tensor<10x10x3xf32>
    hlo.return %2 : tensor<10x10x3xf32>
  }
  %s = hlo.kernel <loop> (%y, %z) {reuse = array<i64: -1>} : (tensor<8x8x8xf32>, tensor<f32>) -> tensor<10x8x8xf32> {
  ^bb0(%0: tensor<8x8x8xf32>, %1: tensor<f32>):
    %2 = hlo.pad %0, %1 {low = array<i64: 1, 0, 0>, high = array<i64: 1, 0, 0>, interior = array<i64: 0, 0, 0>} : (tensor<8x8x8xf32>, tensor<f32>) -> tensor<10x8x8xf32>
    hlo.return %2 : tensor<10x8x8xf32>
  }
  return %r, %s : tensor<10x10x3xf32>, tensor<10x8x8xf32>
}

// -----

// The concatenated dimension collapses with short rows, but not if the whole array has few elements.
// CHECK-LABEL: func.func @concatenate
// CHECK: hlo.concatenate {{.*}} {dimension = 1 : i64} : (tensor<6x8xf32>, tensor<6x4xf32>) -> tensor<6x12xf32>
// CHECK: hlo.reverse {{.*}} {dimensions = array<i64: 1>} : (tensor<6x12xf32>) -> tensor<6x12xf32>
func.func @concatenate(%x: tensor<2x3x2x4xf32>, %y: tensor<2x3x1x4xf32>) -> tensor<2x3x3x4xf32> {
  %r = hlo.kernel <loop> (%x, %y) {reuse = array<i64: -1>} : (tensor<2x3x2x4xf32>, tensor<2x3x1x4xf32>) -> tensor<2x3x3x4xf32> {
  ^bb0(%0: tensor<2x3x2x4xf32>, %1: tensor<2x3x1x4xf32>):
    %2 = hlo.concatenate %0, %1 {dimension = 2 : i64} : (tensor<2x3x2x4xf32>, tensor<2x3x1x4xf32>) -> tensor<2x3x3x4xf32>
    %3 = hlo.reverse %2 {dimensions = array<i64: 2, 3>} : (tensor<2x3x3x4xf32>) -> tensor<2x3x3x4xf32>
    hlo.return %3 : tensor<2x3x3x4xf32>
  }
  return %r : tensor<2x3x3x4xf32>
}

// CHECK-LABEL: func.func @concatenate_few
// CHECK: hlo.concatenate {{.*}} {dimension = 0 : i64} : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
func.func @concatenate_few(%x: tensor<1x2x2xf32>, %y: tensor<1x2x2xf32>) -> tensor<2x2x2xf32> {
  %r = hlo.kernel <loop> (%x, %y) {reuse = array<i64: -1>} : (tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<2x2x2xf32> {
  ^bb0(%0: tensor<1x2x2xf32>, %1: tensor<1x2x2xf32>):
    %2 = hlo.concatenate %0, %1 {dimension = 0 : i64} : (tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<2x2x2xf32>
    hlo.return %2 : tensor<2x2x2xf32>
  }
  return %r : tensor<2x2x2xf32>
}

// -----

// The update that an iteration of a scan does; only dimensions that are updated whole collapse, not one with a start index.
// CHECK-LABEL: func.func @update
// CHECK: ^bb0(%[[X:.*]]: tensor<100x24xf32>, %[[U:.*]]: tensor<1x24xf32>, %[[I:.*]]: tensor<i32>):
// CHECK-NEXT: %[[Z:.*]] = hlo.constant
// CHECK-NEXT: hlo.dynamic_update_slice %[[X]], %[[U]], %[[I]], %[[Z]]
// CHECK-SAME: -> tensor<100x24xf32>
func.func @update(%x: tensor<100x8x3xf32>, %u: tensor<1x8x3xf32>, %i: tensor<i32>) -> tensor<100x8x3xf32> {
  %r = hlo.kernel <update> (%x, %u, %i) {reuse = array<i64: 0>, must_reuse} : (tensor<100x8x3xf32>, tensor<1x8x3xf32>, tensor<i32>) -> tensor<100x8x3xf32> {
  ^bb0(%0: tensor<100x8x3xf32>, %1: tensor<1x8x3xf32>, %2: tensor<i32>):
    %z = hlo.constant (dense<0> : tensor<i32>) : tensor<i32>
    %3 = hlo.dynamic_update_slice %0, %1, %2, %z, %z : (tensor<100x8x3xf32>, tensor<1x8x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<100x8x3xf32>
    hlo.return %3 : tensor<100x8x3xf32>
  }
  return %r : tensor<100x8x3xf32>
}

// -----

hlo.computation @add(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = hlo.add %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  hlo.return %0 : tensor<f32>
}

// Adjacent reduced dimensions collapse, as do adjacent dimensions of the result.
// CHECK-LABEL: func.func @reduce
// CHECK: ^bb0(%[[X:.*]]: tensor<6x20x42xf32>
// CHECK: %[[S:.*]] = hlo.reduce %[[X]], {{.*}} {dimensions = array<i64: 1>, to_apply = @add} : (tensor<6x20x42xf32>, tensor<f32>) -> tensor<6x42xf32>
// CHECK: hlo.broadcast %[[S]] {dimensions = array<i64: 0, 2>} : (tensor<6x42xf32>) -> tensor<6x20x42xf32>
func.func @reduce(%x: tensor<2x3x4x5x6x7xf32>, %z: tensor<f32>) -> (tensor<2x3x6x7xf32>, tensor<2x3x4x5x6x7xf32>) {
  %r:2 = hlo.kernel <reduce> (%x, %z) {reuse = array<i64: -1, 0>} : (tensor<2x3x4x5x6x7xf32>, tensor<f32>) -> (tensor<2x3x6x7xf32>, tensor<2x3x4x5x6x7xf32>) {
  ^bb0(%0: tensor<2x3x4x5x6x7xf32>, %1: tensor<f32>):
    %2 = hlo.reduce %0, %1 {dimensions = array<i64: 2, 3>, to_apply = @add} : (tensor<2x3x4x5x6x7xf32>, tensor<f32>) -> tensor<2x3x6x7xf32>
    %3 = hlo.broadcast %2 {dimensions = array<i64: 0, 1, 4, 5>} : (tensor<2x3x6x7xf32>) -> tensor<2x3x4x5x6x7xf32>
    %4 = hlo.divide %0, %3 : (tensor<2x3x4x5x6x7xf32>, tensor<2x3x4x5x6x7xf32>) -> tensor<2x3x4x5x6x7xf32>
    hlo.return %2, %4 : tensor<2x3x6x7xf32>, tensor<2x3x4x5x6x7xf32>
  }
  return %r#0, %r#1 : tensor<2x3x6x7xf32>, tensor<2x3x4x5x6x7xf32>
}

// -----

// Dimensions that a reshape keeps separate stay so in both shapes; if the shapes become equal, the reshape is removed.
// CHECK-LABEL: func.func @reshape
// CHECK: ^bb0(%[[X:.*]]: tensor<6x20xf32>, %[[Y:.*]]: tensor<6xf32>):
// CHECK-NEXT: hlo.broadcast %[[Y]]
// CHECK-NEXT: hlo.add %[[X]]
// CHECK-NOT: hlo.reshape
func.func @reshape(%x: tensor<6x4x5xf32>, %y: tensor<6xf32>) -> tensor<6x20xf32> {
  %r = hlo.kernel <loop> (%x, %y) {reuse = array<i64: -1>} : (tensor<6x4x5xf32>, tensor<6xf32>) -> tensor<6x20xf32> {
  ^bb0(%0: tensor<6x4x5xf32>, %1: tensor<6xf32>):
    %2 = hlo.broadcast %1 {dimensions = array<i64: 0>} : (tensor<6xf32>) -> tensor<6x4x5xf32>
    %3 = hlo.add %0, %2 : (tensor<6x4x5xf32>, tensor<6x4x5xf32>) -> tensor<6x4x5xf32>
    %4 = hlo.reshape %3 : (tensor<6x4x5xf32>) -> tensor<6x20xf32>
    hlo.return %4 : tensor<6x20xf32>
  }
  return %r : tensor<6x20xf32>
}

// -----

// An index along a dimension, the operands of a product, a sort.
// CHECK-LABEL: func.func @apart
// CHECK: hlo.iota {iota_dimension = 1 : i64} : () -> tensor<6x5x42xi32>
// CHECK: ^bb0(%{{.*}}: tensor<4x2x8xf32>):
// CHECK: hlo.sort
func.func @apart(%x: tensor<2x3x5x6x7xi32>, %y: tensor<4x2x8xf32>) -> (tensor<2x3x5x6x7xi32>, tensor<4x2x8xf32>) {
  %r = hlo.kernel <loop> (%x) {reuse = array<i64: 0>} : (tensor<2x3x5x6x7xi32>) -> tensor<2x3x5x6x7xi32> {
  ^bb0(%0: tensor<2x3x5x6x7xi32>):
    %1 = hlo.iota {iota_dimension = 2 : i64} : () -> tensor<2x3x5x6x7xi32>
    %2 = hlo.add %0, %1 : (tensor<2x3x5x6x7xi32>, tensor<2x3x5x6x7xi32>) -> tensor<2x3x5x6x7xi32>
    hlo.return %2 : tensor<2x3x5x6x7xi32>
  }
  %s = hlo.kernel <sort> (%y) {reuse = array<i64: 0>} : (tensor<4x2x8xf32>) -> tensor<4x2x8xf32> {
  ^bb0(%0: tensor<4x2x8xf32>):
    %1 = hlo.sort %0 {dimension = 2 : i64, to_apply = @less} : (tensor<4x2x8xf32>) -> tensor<4x2x8xf32>
    hlo.return %1 : tensor<4x2x8xf32>
  }
  return %r, %s : tensor<2x3x5x6x7xi32>, tensor<4x2x8xf32>
}
hlo.computation @less(%a: tensor<f32>, %b: tensor<f32>) -> tensor<i1> {
  %0 = hlo.compare %a, %b {direction = #hlo.direction<LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  hlo.return %0 : tensor<i1>
}

// -----

// Two results share one loop nest: dimensions that stay separate in one do so in the other.
// CHECK-LABEL: func.func @results
// CHECK: hlo.return %{{.*}}, %{{.*}} : tensor<6x20xf32>, tensor<6x20xf32>
func.func @results(%x: tensor<6x4x5xf32>, %y: tensor<6xf32>) -> (tensor<6x4x5xf32>, tensor<6x4x5xf32>) {
  %r:2 = hlo.kernel <loop> (%x, %y) {reuse = array<i64: -1, -1>} : (tensor<6x4x5xf32>, tensor<6xf32>) -> (tensor<6x4x5xf32>, tensor<6x4x5xf32>) {
  ^bb0(%0: tensor<6x4x5xf32>, %1: tensor<6xf32>):
    %2 = hlo.broadcast %1 {dimensions = array<i64: 0>} : (tensor<6xf32>) -> tensor<6x4x5xf32>
    %3 = hlo.negate %0 : (tensor<6x4x5xf32>) -> tensor<6x4x5xf32>
    hlo.return %2, %3 : tensor<6x4x5xf32>, tensor<6x4x5xf32>
  }
  return %r#0, %r#1 : tensor<6x4x5xf32>, tensor<6x4x5xf32>
}

// -----

// A broadcast adds a dimension of size one between two of its operand's: the operand's two stay separate as well if the
// added one stays separate from the one before it.
// CHECK-LABEL: func.func @one_between
// CHECK: ^bb0(%[[X:.*]]: tensor<{{.*}}>, %[[Y:.*]]: tensor<2x[[ROW:.*]]xf32>):
// CHECK: hlo.broadcast %[[Y]] {{.*}} : (tensor<2x[[ROW]]xf32>)
func.func @one_between(%x: tensor<1x3x8x2x5xf32>, %y: tensor<2x3x8xf32>) -> tensor<1x3x8x2x5xf32> {
  %r = hlo.kernel <loop> (%x, %y) {reuse = array<i64: -1>} : (tensor<1x3x8x2x5xf32>, tensor<2x3x8xf32>) -> tensor<1x3x8x2x5xf32> {
  ^bb0(%0: tensor<1x3x8x2x5xf32>, %1: tensor<2x3x8xf32>):
    %2 = hlo.transpose %0 {dimensions = array<i64: 3, 0, 1, 2, 4>} : (tensor<1x3x8x2x5xf32>) -> tensor<2x1x3x8x5xf32>
    %3 = hlo.broadcast %1 {dimensions = array<i64: 0, 2, 3>} : (tensor<2x3x8xf32>) -> tensor<2x1x3x8x5xf32>
    %4 = hlo.divide %2, %3 : (tensor<2x1x3x8x5xf32>, tensor<2x1x3x8x5xf32>) -> tensor<2x1x3x8x5xf32>
    %5 = hlo.transpose %4 {dimensions = array<i64: 1, 2, 3, 0, 4>} : (tensor<2x1x3x8x5xf32>) -> tensor<1x3x8x2x5xf32>
    hlo.return %5 : tensor<1x3x8x2x5xf32>
  }
  return %r : tensor<1x3x8x2x5xf32>
}

// -----

// Dimensions of a gather's indices that are adjacent in its result are joined in both.
// CHECK-LABEL: func.func @gather
// CHECK: hlo.gather {{.*}}index_vector_dim = 1{{.*}} : (tensor<256xi8>, tensor<24x1xi32>) -> tensor<24xi8>
func.func @gather(%a: tensor<256xi8>, %b: tensor<6x4x1xi32>) -> tensor<6x4xi8> {
  %r = hlo.kernel <loop> (%a, %b) {reuse = array<i64: -1>} : (tensor<256xi8>, tensor<6x4x1xi32>) -> tensor<6x4xi8> {
  ^bb0(%0: tensor<256xi8>, %1: tensor<6x4x1xi32>):
    %2 = hlo.gather %0, %1 {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 2 : i64, slice_sizes = array<i64: 1>, indices_are_sorted = false} : (tensor<256xi8>, tensor<6x4x1xi32>) -> tensor<6x4xi8>
    hlo.return %2 : tensor<6x4xi8>
  }
  return %r : tensor<6x4xi8>
}

// -----

// The dimensions of slices stay as they are in the operand.
// CHECK-LABEL: func.func @gather_of_slices
// CHECK: hlo.gather {{.*}}index_vector_dim = 1 : i64, offset_dims = array<i64: 0, 2, 3>{{.*}} : (tensor<9x7x2x3xf32>, tensor<24xi32>) -> tensor<7x24x2x3xf32>
func.func @gather_of_slices(%a: tensor<9x7x2x3xf32>, %b: tensor<6x4xi32>) -> tensor<7x6x4x2x3xf32> {
  %r = hlo.kernel <loop> (%a, %b) {reuse = array<i64: -1>} : (tensor<9x7x2x3xf32>, tensor<6x4xi32>) -> tensor<7x6x4x2x3xf32> {
  ^bb0(%0: tensor<9x7x2x3xf32>, %1: tensor<6x4xi32>):
    %2 = hlo.gather %0, %1 {offset_dims = array<i64: 0, 3, 4>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 2 : i64, slice_sizes = array<i64: 1, 7, 2, 3>, indices_are_sorted = false} : (tensor<9x7x2x3xf32>, tensor<6x4xi32>) -> tensor<7x6x4x2x3xf32>
    hlo.return %2 : tensor<7x6x4x2x3xf32>
  }
  return %r : tensor<7x6x4x2x3xf32>
}

// -----

// A batching dimension is not joined with others.
// CHECK-LABEL: func.func @gather_in_batches
// CHECK: hlo.gather {{.*}}index_vector_dim = 2{{.*}}start_indices_batching_dims = array<i64: 0>{{.*}} : (tensor<6x50xf32>, tensor<6x20x1xi32>) -> tensor<6x20xf32>
func.func @gather_in_batches(%a: tensor<6x50xf32>, %b: tensor<6x4x5x1xi32>) -> tensor<6x4x5xf32> {
  %r = hlo.kernel <loop> (%a, %b) {reuse = array<i64: -1>} : (tensor<6x50xf32>, tensor<6x4x5x1xi32>) -> tensor<6x4x5xf32> {
  ^bb0(%0: tensor<6x50xf32>, %1: tensor<6x4x5x1xi32>):
    %2 = hlo.gather %0, %1 {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 1>, operand_batching_dims = array<i64: 0>, start_indices_batching_dims = array<i64: 0>, start_index_map = array<i64: 1>, index_vector_dim = 3 : i64, slice_sizes = array<i64: 1, 1>, indices_are_sorted = false} : (tensor<6x50xf32>, tensor<6x4x5x1xi32>) -> tensor<6x4x5xf32>
    hlo.return %2 : tensor<6x4x5xf32>
  }
  return %r : tensor<6x4x5xf32>
}

// -----

// A dimension of one element does not part others.
// CHECK-LABEL: func.func @units_of_transpose
// CHECK: hlo.kernel <loop>
// CHECK: hlo.transpose {{.*}} : (tensor<30x8xf32>) -> tensor<8x30xf32>
func.func @units_of_transpose(%a: tensor<1x30x8xf32>) -> tensor<8x30x1xf32> {
  %r = hlo.kernel <loop> (%a) {reuse = array<i64: -1>} : (tensor<1x30x8xf32>) -> tensor<8x30x1xf32> {
  ^bb0(%0: tensor<1x30x8xf32>):
    %1 = hlo.transpose %0 {dimensions = array<i64: 2, 1, 0>} : (tensor<1x30x8xf32>) -> tensor<8x30x1xf32>
    hlo.return %1 : tensor<8x30x1xf32>
  }
  return %r : tensor<8x30x1xf32>
}
