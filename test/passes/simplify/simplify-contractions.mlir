// RUN: hlo-opt --simplify %s | FileCheck %s

hlo.computation private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = hlo.add %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  hlo.return %0 : tensor<f32>
}

// A dot reads transposed operands in their own order.
// CHECK-LABEL: func.func @transposed_operand
// CHECK-NEXT: hlo.dot %arg0, %arg1 {lhs_contracting_dims = array<i64: 0>, rhs_contracting_dims = array<i64: 0>}
func.func @transposed_operand(%a: tensor<5x3xf32>, %b: tensor<5x7xf32>) -> tensor<3x7xf32> {
  %0 = hlo.transpose %a {dimensions = array<i64: 1, 0>} : (tensor<5x3xf32>) -> tensor<3x5xf32>
  %1 = hlo.dot %0, %b {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
  return %1 : tensor<3x7xf32>
}

// A transposed result is the dot of exchanged operands.
// CHECK-LABEL: func.func @transposed_result
// CHECK-NEXT: hlo.dot %arg1, %arg0 {{.*}} -> tensor<7x3xf32>
func.func @transposed_result(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>) -> tensor<7x3xf32> {
  %0 = hlo.dot %a, %b {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
  %1 = hlo.transpose %0 {dimensions = array<i64: 1, 0>} : (tensor<3x7xf32>) -> tensor<7x3xf32>
  return %1 : tensor<7x3xf32>
}

// Rows of the left operand are the minor dimension: swapped, the dot writes rows that remain rows.
// CHECK-LABEL: func.func @transposed_batch
// CHECK-SAME: (%[[X:.*]]: tensor<2x16x32xf32>, %[[Y:.*]]: tensor<2x32x7xf32>)
// CHECK: %[[D:.*]] = hlo.dot %[[Y]], %[[X]] {{.*}} -> tensor<2x7x16xf32>
// CHECK: hlo.transpose %[[D]] {dimensions = array<i64: 1, 0, 2>}
func.func @transposed_batch(%x: tensor<2x16x32xf32>, %y: tensor<2x32x7xf32>) -> tensor<7x2x16xf32> {
  %0 = hlo.dot %x, %y {lhs_batch_dims = array<i64: 0>, rhs_batch_dims = array<i64: 0>, lhs_contracting_dims = array<i64: 2>, rhs_contracting_dims = array<i64: 1>} : (tensor<2x16x32xf32>, tensor<2x32x7xf32>) -> tensor<2x16x7xf32>
  %1 = hlo.transpose %0 {dimensions = array<i64: 2, 0, 1>} : (tensor<2x16x7xf32>) -> tensor<7x2x16xf32>
  return %1 : tensor<7x2x16xf32>
}

// Coordinates times a small matrix: no dot, so that it joins other kernels.
// CHECK-LABEL: func.func @small_matrix
// CHECK-NOT: hlo.dot
// CHECK-COUNT-2: hlo.multiply {{.*}} : (tensor<3x40x50xf32>, tensor<3x40x50xf32>) -> tensor<3x40x50xf32>
// CHECK: hlo.add
func.func @small_matrix(%m: tensor<3x2xf32>, %x: tensor<2x40x50xf32>) -> tensor<3x40x50xf32> {
  %0 = hlo.dot %m, %x {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 0>} : (tensor<3x2xf32>, tensor<2x40x50xf32>) -> tensor<3x40x50xf32>
  return %0 : tensor<3x40x50xf32>
}

// Coordinates that lie side by side stay a dot.
// CHECK-LABEL: func.func @side_by_side
// CHECK: hlo.dot
func.func @side_by_side(%m: tensor<3x2xf32>, %x: tensor<2000x2xf32>) -> tensor<3x2000xf32> {
  %0 = hlo.dot %m, %x {lhs_contracting_dims = array<i64: 1>, rhs_contracting_dims = array<i64: 1>} : (tensor<3x2xf32>, tensor<2000x2xf32>) -> tensor<3x2000xf32>
  return %0 : tensor<3x2000xf32>
}

// Reductions of transposed arrays, and of dimensions of one element.
// CHECK-LABEL: func.func @reductions
// CHECK: %[[R:.*]] = hlo.reduce %arg0, {{.*}}dimensions = array<i64: 0>
// CHECK: %[[S:.*]] = hlo.reshape %arg1
// CHECK: %[[T:.*]] = hlo.add {{.*}}, %[[S]]
// CHECK: return %[[R]], %[[T]]
func.func @reductions(%x: tensor<5x3xf32>, %y: tensor<3x1xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %zero = hlo.constant(dense<0.0> : tensor<f32>) : tensor<f32>
  %0 = hlo.transpose %x {dimensions = array<i64: 1, 0>} : (tensor<5x3xf32>) -> tensor<3x5xf32>
  %1 = hlo.reduce %0, %zero {dimensions = array<i64: 1>, to_apply = @sum} : (tensor<3x5xf32>, tensor<f32>) -> tensor<3xf32>
  %2 = hlo.reduce %y, %zero {dimensions = array<i64: 1>, to_apply = @sum} : (tensor<3x1xf32>, tensor<f32>) -> tensor<3xf32>
  return %1, %2 : tensor<3xf32>, tensor<3xf32>
}

hlo.computation private @most(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = hlo.maximum %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  hlo.return %0 : tensor<f32>
}

// What a broadcast repeats is not folded again and again: a sum is a product, an extreme one of them.
// CHECK-LABEL: func.func @repeated
// CHECK-SAME: (%[[X:.*]]: tensor<7xf32>, %[[S:.*]]: tensor<f32>)
// CHECK-DAG: %[[COPIES:.*]] = hlo.constant(dense<1.500000e+01>
// CHECK-DAG: %[[TOTAL:.*]] = hlo.reduce %[[X]], {{.*}}to_apply = @sum
// CHECK-DAG: hlo.multiply %[[TOTAL]], %[[COPIES]]
// CHECK-DAG: hlo.reduce %[[X]], %[[S]] {dimensions = array<i64: 0>, to_apply = @most}
// CHECK-NOT: hlo.reduce
func.func @repeated(%x: tensor<7xf32>, %s: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<7xf32>) {
  %zero = hlo.constant(dense<0.0> : tensor<f32>) : tensor<f32>
  %0 = hlo.broadcast %x {dimensions = array<i64: 1>} : (tensor<7xf32>) -> tensor<3x7x5xf32>
  %1 = hlo.reduce %0, %zero {dimensions = array<i64: 0, 1, 2>, to_apply = @sum} : (tensor<3x7x5xf32>, tensor<f32>) -> tensor<f32>
  %2 = hlo.reduce %0, %s {dimensions = array<i64: 0, 1, 2>, to_apply = @most} : (tensor<3x7x5xf32>, tensor<f32>) -> tensor<f32>
  %3 = hlo.reduce %0, %s {dimensions = array<i64: 0, 2>, to_apply = @most} : (tensor<3x7x5xf32>, tensor<f32>) -> tensor<7xf32>
  return %1, %2, %3 : tensor<f32>, tensor<f32>, tensor<7xf32>
}

// More than the type can count, and a sum that begins with something.
hlo.computation private @sum_bf16(%a: tensor<bf16>, %b: tensor<bf16>) -> tensor<bf16> {
  %0 = hlo.add %a, %b : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
  hlo.return %0 : tensor<bf16>
}
// CHECK-LABEL: func.func @counted
// CHECK-COUNT-2: hlo.reduce
func.func @counted(%x: tensor<bf16>, %s: tensor<f32>) -> (tensor<bf16>, tensor<f32>) {
  %zero = hlo.constant(dense<0.0> : tensor<bf16>) : tensor<bf16>
  %0 = hlo.broadcast %x {dimensions = array<i64>} : (tensor<bf16>) -> tensor<257xbf16>
  %1 = hlo.reduce %0, %zero {dimensions = array<i64: 0>, to_apply = @sum_bf16} : (tensor<257xbf16>, tensor<bf16>) -> tensor<bf16>
  %2 = hlo.broadcast %s {dimensions = array<i64>} : (tensor<f32>) -> tensor<4xf32>
  %3 = hlo.reduce %2, %s {dimensions = array<i64: 0>, to_apply = @sum} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %1, %3 : tensor<bf16>, tensor<f32>
}

// A reduction of a transpose in another shape reads the transpose's operand in order; but not if the reshape splits
// what is reduced.
// CHECK-LABEL: func.func @reshaped
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x5xf32>)
// CHECK: %[[KEPT:.*]] = hlo.reduce %[[X]], {{.*}}dimensions = array<i64: 0, 1>{{.*}} -> tensor<5xf32>
// CHECK: hlo.reduce %{{.*}} {dimensions = array<i64: 1>{{.*}} : (tensor<10x3xf32>
// CHECK: return %[[KEPT]]
func.func @reshaped(%x: tensor<2x3x5xf32>) -> (tensor<5xf32>, tensor<10xf32>) {
  %zero = hlo.constant(dense<0.0> : tensor<f32>) : tensor<f32>
  %0 = hlo.transpose %x {dimensions = array<i64: 2, 0, 1>} : (tensor<2x3x5xf32>) -> tensor<5x2x3xf32>
  %1 = hlo.reshape %0 : (tensor<5x2x3xf32>) -> tensor<5x6xf32>
  %2 = hlo.reduce %1, %zero {dimensions = array<i64: 1>, to_apply = @sum} : (tensor<5x6xf32>, tensor<f32>) -> tensor<5xf32>
  %3 = hlo.transpose %x {dimensions = array<i64: 1, 0, 2>} : (tensor<2x3x5xf32>) -> tensor<3x2x5xf32>
  %4 = hlo.reshape %3 : (tensor<3x2x5xf32>) -> tensor<10x3xf32>
  %5 = hlo.reduce %4, %zero {dimensions = array<i64: 1>, to_apply = @sum} : (tensor<10x3xf32>, tensor<f32>) -> tensor<10xf32>
  return %2, %5 : tensor<5xf32>, tensor<10xf32>
}

// stack([a, b, c]).max(0) combines the arrays; a sum of narrow floats rounds at its end only.
// CHECK-LABEL: func.func @reduce_of_stack
// CHECK-NOT: hlo.reduce
// CHECK: [[LAST:%.*]] = hlo.maximum {{%.*}}, %arg2
// CHECK: [[ALL:%.*]] = hlo.maximum %arg0, [[LAST]]
// CHECK: hlo.reduce {{.*}} : (tensor<3x4xbf16>,
func.func @reduce_of_stack(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %d: tensor<1x4xbf16>) -> (tensor<4xf32>, tensor<4xbf16>) {
  %least = hlo.constant(dense<0xFF800000> : tensor<f32>) : tensor<f32>
  %zero = hlo.constant(dense<0.0> : tensor<bf16>) : tensor<bf16>
  %0 = hlo.reshape %a : (tensor<4xf32>) -> tensor<1x4xf32>
  %1 = hlo.reshape %b : (tensor<4xf32>) -> tensor<1x4xf32>
  %2 = hlo.reshape %c : (tensor<4xf32>) -> tensor<1x4xf32>
  %3 = hlo.concatenate %0, %1, %2 {dimension = 0 : i64} : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<3x4xf32>
  %4 = hlo.reduce %3, %least {dimensions = array<i64: 0>, to_apply = @most} : (tensor<3x4xf32>, tensor<f32>) -> tensor<4xf32>
  %5 = hlo.concatenate %d, %d, %d {dimension = 0 : i64} : (tensor<1x4xbf16>, tensor<1x4xbf16>, tensor<1x4xbf16>) -> tensor<3x4xbf16>
  %6 = hlo.reduce %5, %zero {dimensions = array<i64: 0>, to_apply = @sum_bf16} : (tensor<3x4xbf16>, tensor<bf16>) -> tensor<4xbf16>
  return %4, %6 : tensor<4xf32>, tensor<4xbf16>
}

// Both axes of an upsampled image's gradient are reduced at once, across the reshape between them; not if the reshape
// mixes dimensions around one that is reduced, and not if rows are reduced.
// CHECK-LABEL: func.func @reduce_of_reduce
// CHECK: [[PAIRS:%.*]] = hlo.reshape %arg0 : (tensor<6x6x5xf32>) -> tensor<3x2x3x2x5xf32>
// CHECK: [[BOTH:%.*]] = hlo.reduce [[PAIRS]], {{.*}}dimensions = array<i64: 1, 3>, to_apply = @sum{{.*}} -> tensor<3x3x5xf32>
// CHECK: hlo.reduce %arg1, {{.*}}dimensions = array<i64: 1>
// CHECK: hlo.reduce {{.*}} : (tensor<2x6xf32>,
// CHECK: hlo.reduce %arg1, {{.*}}dimensions = array<i64: 2>
// CHECK: hlo.reduce {{.*}} : (tensor<4x2xf32>,
// CHECK: return [[BOTH]],
func.func @reduce_of_reduce(%x: tensor<6x6x5xf32>, %y: tensor<4x2x3xf32>) -> (tensor<3x3x5xf32>, tensor<6xf32>, tensor<4xf32>) {
  %zero = hlo.constant(dense<0.0> : tensor<f32>) : tensor<f32>
  %0 = hlo.reshape %x : (tensor<6x6x5xf32>) -> tensor<6x3x2x5xf32>
  %1 = hlo.reduce %0, %zero {dimensions = array<i64: 2>, to_apply = @sum} : (tensor<6x3x2x5xf32>, tensor<f32>) -> tensor<6x3x5xf32>
  %2 = hlo.reshape %1 : (tensor<6x3x5xf32>) -> tensor<3x2x3x5xf32>
  %3 = hlo.reduce %2, %zero {dimensions = array<i64: 1>, to_apply = @sum} : (tensor<3x2x3x5xf32>, tensor<f32>) -> tensor<3x3x5xf32>
  %4 = hlo.reduce %y, %zero {dimensions = array<i64: 1>, to_apply = @sum} : (tensor<4x2x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  %5 = hlo.reshape %4 : (tensor<4x3xf32>) -> tensor<2x6xf32>
  %6 = hlo.reduce %5, %zero {dimensions = array<i64: 0>, to_apply = @sum} : (tensor<2x6xf32>, tensor<f32>) -> tensor<6xf32>
  %7 = hlo.reduce %y, %zero {dimensions = array<i64: 2>, to_apply = @sum} : (tensor<4x2x3xf32>, tensor<f32>) -> tensor<4x2xf32>
  %8 = hlo.reduce %7, %zero {dimensions = array<i64: 1>, to_apply = @sum} : (tensor<4x2xf32>, tensor<f32>) -> tensor<4xf32>
  return %3, %6, %8 : tensor<3x3x5xf32>, tensor<6xf32>, tensor<4xf32>
}

// A sum of bf16 rounds after each reduction, and one that begins with a value adds it for each: both stay as they are.
// An extreme may begin with a value twice.
// CHECK-LABEL: func.func @sums_that_stay
// CHECK: hlo.reduce %arg0, {{.*}}to_apply = @sum_bf16{{.*}} -> tensor<4x5xbf16>
// CHECK: hlo.reduce {{.*}}to_apply = @sum_bf16
// CHECK: hlo.reduce %arg1, {{.*}}to_apply = @sum} {{.*}} -> tensor<4x5xf32>
// CHECK: hlo.reduce {{.*}}to_apply = @sum}
// CHECK: hlo.reduce %arg1, {{.*}}dimensions = array<i64: 0, 1>, to_apply = @most
func.func @sums_that_stay(%x: tensor<4x2x5xbf16>, %y: tensor<4x2x5xf32>) -> (tensor<5xbf16>, tensor<5xf32>, tensor<5xf32>) {
  %zero = hlo.constant(dense<0.0> : tensor<bf16>) : tensor<bf16>
  %one = hlo.constant(dense<1.0> : tensor<f32>) : tensor<f32>
  %0 = hlo.reduce %x, %zero {dimensions = array<i64: 1>, to_apply = @sum_bf16} : (tensor<4x2x5xbf16>, tensor<bf16>) -> tensor<4x5xbf16>
  %1 = hlo.reduce %0, %zero {dimensions = array<i64: 0>, to_apply = @sum_bf16} : (tensor<4x5xbf16>, tensor<bf16>) -> tensor<5xbf16>
  %2 = hlo.reduce %y, %one {dimensions = array<i64: 1>, to_apply = @sum} : (tensor<4x2x5xf32>, tensor<f32>) -> tensor<4x5xf32>
  %3 = hlo.reduce %2, %one {dimensions = array<i64: 0>, to_apply = @sum} : (tensor<4x5xf32>, tensor<f32>) -> tensor<5xf32>
  %4 = hlo.reduce %y, %one {dimensions = array<i64: 1>, to_apply = @most} : (tensor<4x2x5xf32>, tensor<f32>) -> tensor<4x5xf32>
  %5 = hlo.reduce %4, %one {dimensions = array<i64: 0>, to_apply = @most} : (tensor<4x5xf32>, tensor<f32>) -> tensor<5xf32>
  return %1, %3, %5 : tensor<5xbf16>, tensor<5xf32>, tensor<5xf32>
}
