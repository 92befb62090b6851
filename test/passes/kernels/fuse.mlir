// RUN: hlo-opt --fuse --split-input-file %s | FileCheck %s

hlo.computation @add(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = hlo.add %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  hlo.return %0 : tensor<f32>
}
hlo.computation @max(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = hlo.maximum %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  hlo.return %0 : tensor<f32>
}

// Softmax of rows is one kernel, and the result may lie in x.
// CHECK-LABEL: func.func @softmax
// CHECK-COUNT-1: hlo.kernel <reduce> (%{{.*}}) {reuse = array<i64: 0>}
// CHECK: hlo.reduce
// CHECK: hlo.exponential
// CHECK: hlo.reduce
// CHECK: hlo.divide
// CHECK-NOT: hlo.kernel
func.func @softmax(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %zero = hlo.constant (dense<0.0> : tensor<f32>) : tensor<f32>
  %low = hlo.constant (dense<0xFF800000> : tensor<f32>) : tensor<f32>
  %m = hlo.reduce %x, %low {dimensions = array<i64: 1>, to_apply = @max} : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
  %mb = hlo.broadcast %m {dimensions = array<i64: 0>} : (tensor<8xf32>) -> tensor<8x16xf32>
  %s = hlo.subtract %x, %mb : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %e = hlo.exponential %s : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %t = hlo.reduce %e, %zero {dimensions = array<i64: 1>, to_apply = @add} : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
  %tb = hlo.broadcast %t {dimensions = array<i64: 0>} : (tensor<8xf32>) -> tensor<8x16xf32>
  %r = hlo.divide %e, %tb : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// Layer norm: two dependent reductions, row values with unit dimensions, scale by column.
// CHECK-LABEL: func.func @layer_norm
// CHECK-COUNT-1: hlo.kernel <reduce>
// CHECK-NOT: hlo.kernel
func.func @layer_norm(%x: tensor<8x16xf32>, %scale: tensor<16xf32>) -> tensor<8x16xf32> {
  %zero = hlo.constant (dense<0.0> : tensor<f32>) : tensor<f32>
  %n = hlo.constant (dense<6.25e-2> : tensor<8x1xf32>) : tensor<8x1xf32>
  %sum = hlo.reduce %x, %zero {dimensions = array<i64: 1>, to_apply = @add} : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
  %sum1 = hlo.reshape %sum : (tensor<8xf32>) -> tensor<8x1xf32>
  %mean = hlo.multiply %sum1, %n : (tensor<8x1xf32>, tensor<8x1xf32>) -> tensor<8x1xf32>
  %mean0 = hlo.reshape %mean : (tensor<8x1xf32>) -> tensor<8xf32>
  %meanb = hlo.broadcast %mean0 {dimensions = array<i64: 0>} : (tensor<8xf32>) -> tensor<8x16xf32>
  %d = hlo.subtract %x, %meanb : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %dd = hlo.multiply %d, %d : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %v = hlo.reduce %dd, %zero {dimensions = array<i64: 1>, to_apply = @add} : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
  %rs = hlo.rsqrt %v : (tensor<8xf32>) -> tensor<8xf32>
  %rb = hlo.broadcast %rs {dimensions = array<i64: 0>} : (tensor<8xf32>) -> tensor<8x16xf32>
  %y = hlo.multiply %d, %rb : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %sb = hlo.broadcast %scale {dimensions = array<i64: 1>} : (tensor<16xf32>) -> tensor<8x16xf32>
  %z = hlo.multiply %y, %sb : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %z : tensor<8x16xf32>
}

// A reduction of a row too long for the cache does not wait for its users.
// CHECK-LABEL: func.func @long_row
// CHECK: hlo.kernel <reduce>
// CHECK: hlo.kernel <loop>
func.func @long_row(%x: tensor<1000000xf32>) -> tensor<1000000xf32> {
  %low = hlo.constant (dense<0xFF800000> : tensor<f32>) : tensor<f32>
  %m = hlo.reduce %x, %low {dimensions = array<i64: 0>, to_apply = @max} : (tensor<1000000xf32>, tensor<f32>) -> tensor<f32>
  %mb = hlo.broadcast %m {dimensions = array<i64>} : (tensor<f32>) -> tensor<1000000xf32>
  %s = hlo.subtract %x, %mb : (tensor<1000000xf32>, tensor<1000000xf32>) -> tensor<1000000xf32>
  return %s : tensor<1000000xf32>
}

// Two reductions of one array are one pass.
// CHECK-LABEL: func.func @siblings
// CHECK-COUNT-1: hlo.kernel <reduce>
// CHECK-NOT: hlo.kernel
func.func @siblings(%x: tensor<512x512xf32>) -> (tensor<512xf32>, tensor<512xf32>) {
  %zero = hlo.constant (dense<0.0> : tensor<f32>) : tensor<f32>
  %a = hlo.reduce %x, %zero {dimensions = array<i64: 1>, to_apply = @add} : (tensor<512x512xf32>, tensor<f32>) -> tensor<512xf32>
  %xx = hlo.multiply %x, %x : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %b = hlo.reduce %xx, %zero {dimensions = array<i64: 1>, to_apply = @add} : (tensor<512x512xf32>, tensor<f32>) -> tensor<512xf32>
  return %a, %b : tensor<512xf32>, tensor<512xf32>
}

// -----

// A dot takes bias and activation with it, and reads its operand through the transpose.
// CHECK-LABEL: func.func @mlp
// CHECK: hlo.kernel <dot>
// CHECK: hlo.transpose
// CHECK: hlo.dot
// CHECK: hlo.tanh
// CHECK: hlo.kernel <dot>
// CHECK: hlo.dot
// CHECK-NOT: hlo.kernel
func.func @mlp(%x: tensor<64x128xf32>, %w: tensor<256x128xf32>, %b: tensor<256xf32>, %v: tensor<256x32xf32>) -> tensor<64x32xf32> {
  %wt = hlo.transpose %w {dimensions = array<i64: 1, 0>} : (tensor<256x128xf32>) -> tensor<128x256xf32>
  %d = hlo.dot %x, %wt {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<64x128xf32>, tensor<128x256xf32>) -> tensor<64x256xf32>
  %bb = hlo.broadcast %b {dimensions = array<i64: 1>} : (tensor<256xf32>) -> tensor<64x256xf32>
  %s = hlo.add %d, %bb : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  %t = hlo.tanh %s : (tensor<64x256xf32>) -> tensor<64x256xf32>
  %g = hlo.multiply %s, %t : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  %r = hlo.dot %g, %v {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<64x256xf32>, tensor<256x32xf32>) -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}

// What an expensive value is needed for at many places is computed once.
// CHECK-LABEL: func.func @no_recomputation
// CHECK: hlo.kernel <loop>
// CHECK: hlo.power
// CHECK: hlo.kernel <loop>
// CHECK: hlo.broadcast
func.func @no_recomputation(%x: tensor<512xf32>, %y: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %p = hlo.power %x, %x : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
  %b = hlo.broadcast %p {dimensions = array<i64: 1>} : (tensor<512xf32>) -> tensor<512x512xf32>
  %s = hlo.add %y, %b : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %s : tensor<512x512xf32>
}

// A reshape at the border of a kernel is no work: it stays outside.
// CHECK-LABEL: func.func @outer_reshape
// CHECK: %[[VIEW:.*]] = hlo.reshape %arg0
// CHECK: hlo.kernel <loop> (%[[VIEW]])
// CHECK-NOT: hlo.reshape
func.func @outer_reshape(%x: tensor<4x8xf32>) -> tensor<32xf32> {
  %r = hlo.reshape %x : (tensor<4x8xf32>) -> tensor<32xf32>
  %n = hlo.negate %r : (tensor<32xf32>) -> tensor<32xf32>
  return %n : tensor<32xf32>
}

// The update is computed where it is written; reading other places of the buffer comes before.
// CHECK-LABEL: func.func @update
// CHECK: hlo.kernel <update> {{.*}} {must_reuse, reuse = array<i64: 0>}
// CHECK-NEXT: ^bb0
// CHECK-NEXT: hlo.dynamic_slice
// CHECK-NEXT: hlo.add
// CHECK-NEXT: hlo.dynamic_update_slice
// CHECK-NOT: hlo.kernel
func.func @update(%x: tensor<1000xf32>, %u: tensor<10xf32>, %i: tensor<i32>) -> tensor<1000xf32> {
  %s = hlo.dynamic_slice %x, %i {dynamic_slice_sizes = array<i64: 10>} : (tensor<1000xf32>, tensor<i32>) -> tensor<10xf32>
  %a = hlo.add %s, %u : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
  %r = hlo.dynamic_update_slice %x, %a, %i : (tensor<1000xf32>, tensor<10xf32>, tensor<i32>) -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

// -----

// A product is written into its slice, whatever dimensions of one the slice has; scans leave such rows.
// CHECK-LABEL: func.func @product_into_slice
// CHECK: hlo.kernel <dot> {{.*}} {must_reuse, reuse = array<i64: 3>}
// CHECK: hlo.dot
// CHECK-NEXT: hlo.add
// CHECK-NEXT: hlo.reshape
// CHECK-NEXT: hlo.dynamic_update_slice
// CHECK-NOT: hlo.kernel
func.func @product_into_slice(%x: tensor<9x16x32xf32>, %a: tensor<16x64xf32>, %b: tensor<64x32xf32>, %c: tensor<16x32xf32>, %i: tensor<i32>) -> tensor<9x16x32xf32> {
  %z = hlo.constant (dense<0> : tensor<i32>) : tensor<i32>
  %d = hlo.dot %a, %b {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<16x64xf32>, tensor<64x32xf32>) -> tensor<16x32xf32>
  %s = hlo.add %d, %c : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
  %v = hlo.reshape %s : (tensor<16x32xf32>) -> tensor<1x16x32xf32>
  %r = hlo.dynamic_update_slice %x, %v, %i, %z, %z : (tensor<9x16x32xf32>, tensor<1x16x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<9x16x32xf32>
  return %r : tensor<9x16x32xf32>
}

// -----

// What else a product is read for, and where it reads or moves the array that is updated, it is apart.
// CHECK-LABEL: func.func @products_beside_updates
// CHECK-DAG: hlo.kernel <dot> {{.*}} -> tensor<16x16xf32>
// CHECK-DAG: hlo.kernel <dot> {{.*}} -> tensor<16x16xf32>
// CHECK-DAG: hlo.kernel <dot> {{.*}} -> tensor<16x16xf32>
// CHECK-DAG: hlo.kernel <update>
// CHECK-DAG: hlo.kernel <update>
// CHECK-DAG: hlo.kernel <update>
func.func @products_beside_updates(%x: tensor<64x16xf32>, %y: tensor<64x16xf32>, %m: tensor<16x64xf32>, %a: tensor<16x16xf32>, %i: tensor<i32>) -> (tensor<64x16xf32>, tensor<64x16xf32>, tensor<64x16xf32>, tensor<16x16xf32>) {
  %z = hlo.constant (dense<0> : tensor<i32>) : tensor<i32>
  %own = hlo.dot %m, %x {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<16x64xf32>, tensor<64x16xf32>) -> tensor<16x16xf32>
  %r0 = hlo.dynamic_update_slice %x, %own, %i, %z : (tensor<64x16xf32>, tensor<16x16xf32>, tensor<i32>, tensor<i32>) -> tensor<64x16xf32>
  %also = hlo.dot %a, %a {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %r1 = hlo.dynamic_update_slice %y, %also, %i, %z : (tensor<64x16xf32>, tensor<16x16xf32>, tensor<i32>, tensor<i32>) -> tensor<64x16xf32>
  %turned = hlo.dot %a, %a {lhs_contracting_dims = array<i64: 0>, rhs_contracting_dims = array<i64: 1>} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %t = hlo.transpose %turned {dimensions = array<i64: 1, 0>} : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %r2 = hlo.dynamic_update_slice %r1, %t, %z, %z : (tensor<64x16xf32>, tensor<16x16xf32>, tensor<i32>, tensor<i32>) -> tensor<64x16xf32>
  return %r0, %r1, %r2, %also : tensor<64x16xf32>, tensor<64x16xf32>, tensor<64x16xf32>, tensor<16x16xf32>
}

// -----

// What only its own kernel reads is not written: a rolled array is neither free nor needed elsewhere.
// CHECK-LABEL: func.func @rolled
// CHECK: hlo.kernel <loop> {{.*}} -> tensor<256x256xui8>
// CHECK-NOT: hlo.kernel
func.func @rolled(%x: tensor<256x256xui8>) -> tensor<256x256xui8> {
  %0 = hlo.slice %x {starts = array<i64: 0, 255>, limits = array<i64: 256, 256>, strides = array<i64: 1, 1>} : (tensor<256x256xui8>) -> tensor<256x1xui8>
  %1 = hlo.slice %x {starts = array<i64: 0, 0>, limits = array<i64: 256, 255>, strides = array<i64: 1, 1>} : (tensor<256x256xui8>) -> tensor<256x255xui8>
  %2 = hlo.concatenate %0, %1 {dimension = 1 : i64} : (tensor<256x1xui8>, tensor<256x255xui8>) -> tensor<256x256xui8>
  %3 = hlo.add %x, %2 : (tensor<256x256xui8>, tensor<256x256xui8>) -> tensor<256x256xui8>
  return %3 : tensor<256x256xui8>
}

// -----

// A scatter into what it reads as indices and updates: the array that it updates is another operand.
// CHECK-LABEL: func.func @scatter_itself
// CHECK: %[[V:.*]] = hlo.reshape %arg0
// CHECK: hlo.kernel <scatter> (%[[V]], %arg0) {must_reuse, reuse = array<i64: 0>}
hlo.computation @sum(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
  %0 = hlo.add %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i32>
  hlo.return %0 : tensor<i32>
}
func.func @scatter_itself(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = hlo.scatter %x, %x, %x {update_window_dims = array<i64>, inserted_window_dims = array<i64: 0>, input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64, to_apply = @sum, indices_are_sorted = false, unique_indices = false} : (tensor<8xi32>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

hlo.computation @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = hlo.add %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  hlo.return %0 : tensor<f32>
}

// Rows of one array are added to rows of another without an array of them in between.
// CHECK-LABEL: func.func @gather_scatter
// CHECK: hlo.kernel <loop>
// CHECK: hlo.kernel <scatter>
// CHECK: hlo.gather
// CHECK: hlo.scatter
// CHECK-NOT: hlo.kernel
func.func @gather_scatter(%x: tensor<4096x64xf32>, %from: tensor<32768x1xi32>, %to: tensor<32768x1xi32>) -> tensor<4096x64xf32> {
  %zero = hlo.constant (dense<0.0> : tensor<f32>) : tensor<f32>
  %empty = hlo.broadcast %zero {dimensions = array<i64>} : (tensor<f32>) -> tensor<4096x64xf32>
  %rows = hlo.gather %x, %from {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 64>, indices_are_sorted = false} : (tensor<4096x64xf32>, tensor<32768x1xi32>) -> tensor<32768x64xf32>
  %0 = hlo.scatter %empty, %to, %rows {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64, to_apply = @sum, indices_are_sorted = false, unique_indices = false} : (tensor<4096x64xf32>, tensor<32768x1xi32>, tensor<32768x64xf32>) -> tensor<4096x64xf32>
  return %0 : tensor<4096x64xf32>
}

// -----

// A loop reads the column, not the array of it that stands before the loop.
// CHECK-LABEL: func.func @broadcast_before_loop
// CHECK-NOT: hlo.kernel
// CHECK: scf.for
// CHECK: hlo.kernel <loop> (%arg1, %{{.*}})
// CHECK: hlo.broadcast {{.*}} : (tensor<64xf32>) -> tensor<64x64xf32>
func.func @broadcast_before_loop(%x: tensor<64x64xf32>, %column: tensor<64xf32>) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %b = hlo.broadcast %column {dimensions = array<i64: 0>} : (tensor<64xf32>) -> tensor<64x64xf32>
  %r = scf.for %k = %c0 to %c10 step %c1 iter_args(%a = %x) -> (tensor<64x64xf32>) {
    %m = hlo.multiply %a, %b : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %m : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// -----

hlo.computation @later(%a: tensor<f32>, %i: tensor<i32>, %b: tensor<f32>, %j: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
  %gt = hlo.compare %a, %b {direction = #hlo.direction<GT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %v = hlo.select %gt, %a, %b : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %k = hlo.select %gt, %i, %j : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
  hlo.return %v, %k : tensor<f32>, tensor<i32>
}

// Only the places of the maxima are wanted: their values are not written.
// CHECK-LABEL: func.func @argmax
// CHECK: hlo.kernel <reduce> (%arg0) {{.*}} : (tensor<8x16xf32>) -> tensor<8xi32>
// CHECK: %[[R:.*]]:2 = hlo.reduce
// CHECK: hlo.return %[[R]]#1 : tensor<8xi32>
func.func @argmax(%x: tensor<8x16xf32>) -> tensor<8xi32> {
  %low = hlo.constant (dense<0xFF800000> : tensor<f32>) : tensor<f32>
  %zero = hlo.constant (dense<0> : tensor<i32>) : tensor<i32>
  %i = hlo.iota {iota_dimension = 1 : i64} : () -> tensor<8x16xi32>
  %v, %k = hlo.reduce %x, %i, %low, %zero {dimensions = array<i64: 1>, to_apply = @later} : (tensor<8x16xf32>, tensor<8x16xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
  return %k : tensor<8xi32>
}

// -----

// Coordinates side by side: what they share is computed once for all of them, in one kernel.
// CHECK-LABEL: func.func @side_by_side
// CHECK-COUNT-1: hlo.kernel <loop>
// CHECK: hlo.exponential
// CHECK: hlo.sine
// CHECK: hlo.concatenate
// CHECK-NOT: hlo.kernel
func.func @side_by_side(%x: tensor<4096xf32>) -> tensor<4096x3xf32> {
  %e = hlo.exponential %x : (tensor<4096xf32>) -> tensor<4096xf32>
  %s = hlo.sine %e : (tensor<4096xf32>) -> tensor<4096xf32>
  %a = hlo.add %s, %x : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
  %b = hlo.subtract %s, %e : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
  %c = hlo.multiply %s, %e : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
  %0 = hlo.reshape %a : (tensor<4096xf32>) -> tensor<4096x1xf32>
  %1 = hlo.reshape %b : (tensor<4096xf32>) -> tensor<4096x1xf32>
  %2 = hlo.reshape %c : (tensor<4096xf32>) -> tensor<4096x1xf32>
  %r = hlo.concatenate %0, %1, %2 {dimension = 1 : i64} : (tensor<4096x1xf32>, tensor<4096x1xf32>, tensor<4096x1xf32>) -> tensor<4096x3xf32>
  return %r : tensor<4096x3xf32>
}

// A mask of pixels, computed once for all colours of one, is not worth a pass over memory.
// CHECK-LABEL: func.func @mask
// CHECK: hlo.and
// CHECK-NOT: hlo.return
// CHECK: hlo.select
func.func @mask(%x: tensor<512x512x3xf32>, %a: tensor<512x512xi32>, %b: tensor<512x512xi32>) -> tensor<512x512x3xf32> {
  %zero = hlo.constant (dense<0.0> : tensor<512x512x3xf32>) : tensor<512x512x3xf32>
  %low = hlo.constant (dense<0> : tensor<512x512xi32>) : tensor<512x512xi32>
  %0 = hlo.compare %a, %low {direction = #hlo.direction<GE>} : (tensor<512x512xi32>, tensor<512x512xi32>) -> tensor<512x512xi1>
  %1 = hlo.compare %b, %low {direction = #hlo.direction<GE>} : (tensor<512x512xi32>, tensor<512x512xi32>) -> tensor<512x512xi1>
  %2 = hlo.and %0, %1 : (tensor<512x512xi1>, tensor<512x512xi1>) -> tensor<512x512xi1>
  %3 = hlo.broadcast %2 {dimensions = array<i64: 0, 1>} : (tensor<512x512xi1>) -> tensor<512x512x3xi1>
  %4 = hlo.select %3, %x, %zero : (tensor<512x512x3xi1>, tensor<512x512x3xf32>, tensor<512x512x3xf32>) -> tensor<512x512x3xf32>
  return %4 : tensor<512x512x3xf32>
}

// -----

// A reshape that joins dimensions keeps an operand in the product's kernel where whole vectors lie in the minor one.
// CHECK-LABEL: func.func @joined_blocks
// CHECK-COUNT-1: hlo.kernel <dot>
// CHECK: hlo.multiply
// CHECK: hlo.reshape
// CHECK: hlo.dot
// CHECK-NOT: hlo.kernel
func.func @joined_blocks(%x: tensor<1x128xf32>, %w: tensor<64x4x32xf32>, %s: tensor<64x4xf32>) -> tensor<1x64xf32> {
  %b = hlo.broadcast %s {dimensions = array<i64: 0, 1>} : (tensor<64x4xf32>) -> tensor<64x4x32xf32>
  %m = hlo.multiply %w, %b : (tensor<64x4x32xf32>, tensor<64x4x32xf32>) -> tensor<64x4x32xf32>
  %r = hlo.reshape %m : (tensor<64x4x32xf32>) -> tensor<64x128xf32>
  %d = hlo.dot %x, %r {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 1>} : (tensor<1x128xf32>, tensor<64x128xf32>) -> tensor<1x64xf32>
  return %d : tensor<1x64xf32>
}

// CHECK-LABEL: func.func @joined_threes
// CHECK: hlo.kernel <loop>
// CHECK: hlo.multiply
// CHECK: hlo.kernel <dot>
func.func @joined_threes(%x: tensor<1x192xf32>, %w: tensor<64x64x3xf32>, %s: tensor<64x64xf32>) -> tensor<1x64xf32> {
  %b = hlo.broadcast %s {dimensions = array<i64: 0, 1>} : (tensor<64x64xf32>) -> tensor<64x64x3xf32>
  %m = hlo.multiply %w, %b : (tensor<64x64x3xf32>, tensor<64x64x3xf32>) -> tensor<64x64x3xf32>
  %r = hlo.reshape %m : (tensor<64x64x3xf32>) -> tensor<64x192xf32>
  %d = hlo.dot %x, %r {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 1>} : (tensor<1x192xf32>, tensor<64x192xf32>) -> tensor<1x64xf32>
  return %d : tensor<1x64xf32>
}

// -----

hlo.computation @less(%a: tensor<f32>, %b: tensor<f32>) -> tensor<i1> {
  %0 = hlo.compare %a, %b {direction = #hlo.direction<LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  hlo.return %0 : tensor<i1>
}

// If two operands have memory that the result could use, it uses that of the one that nothing reads afterwards.
// CHECK-LABEL: func.func @reuse_last
// CHECK: %[[A:.*]] = hlo.kernel <sort> (%arg0)
// CHECK: %[[B:.*]] = hlo.kernel <sort> (%arg1)
// CHECK: hlo.kernel <loop> (%[[A]], %[[B]]) {reuse = array<i64: 1>}
func.func @reuse_last(%x: tensor<512xf32>, %y: tensor<512xf32>) -> (tensor<512xf32>, tensor<512xf32>) {
  %a = hlo.sort %x {dimension = 0 : i64, to_apply = @less} : (tensor<512xf32>) -> tensor<512xf32>
  %b = hlo.sort %y {dimension = 0 : i64, to_apply = @less} : (tensor<512xf32>) -> tensor<512xf32>
  %c = hlo.divide %a, %b : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
  return %a, %c : tensor<512xf32>, tensor<512xf32>
}

// -----

// Two loops begin with the same zeros: each gets its own, so that no buffer stays live for the second.
// CHECK-LABEL: func.func @zeros
// CHECK: %[[FIRST:.*]] = hlo.kernel <loop> ()
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[FIRST]])
// CHECK: %[[SECOND:.*]] = hlo.kernel <loop> ()
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[SECOND]])
func.func @zeros(%x: tensor<512xf32>) -> tensor<512xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = hlo.constant (dense<0.0> : tensor<f32>) : tensor<f32>
  %zeros = hlo.broadcast %zero {dimensions = array<i64>} : (tensor<f32>) -> tensor<512xf32>
  %a = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zeros) -> (tensor<512xf32>) {
    %n = hlo.add %s, %x : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    scf.yield %n : tensor<512xf32>
  }
  %b = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zeros) -> (tensor<512xf32>) {
    %n = hlo.subtract %s, %a : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    scf.yield %n : tensor<512xf32>
  }
  return %b : tensor<512xf32>
}

// -----

// Two arrays are not computed in one kernel only because they share values that depend on indices alone.
// CHECK-LABEL: func.func @indices
// CHECK: hlo.kernel <loop> (%arg0) {{.*}} -> tensor<65536xf32>
// CHECK: hlo.kernel <loop> (%arg1) {{.*}} -> tensor<65536xf32>
func.func @indices(%a: tensor<f32>, %b: tensor<f32>) -> (tensor<65536xf32>, tensor<65536xf32>) {
  %i = hlo.iota {iota_dimension = 0 : i64} : () -> tensor<65536xi32>
  %f = hlo.convert %i : (tensor<65536xi32>) -> tensor<65536xf32>
  %as = hlo.broadcast %a {dimensions = array<i64>} : (tensor<f32>) -> tensor<65536xf32>
  %bs = hlo.broadcast %b {dimensions = array<i64>} : (tensor<f32>) -> tensor<65536xf32>
  %x = hlo.add %f, %as : (tensor<65536xf32>, tensor<65536xf32>) -> tensor<65536xf32>
  %y = hlo.add %f, %bs : (tensor<65536xf32>, tensor<65536xf32>) -> tensor<65536xf32>
  return %x, %y : tensor<65536xf32>, tensor<65536xf32>
}
