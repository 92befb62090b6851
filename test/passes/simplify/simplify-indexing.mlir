// RUN: hlo-opt --simplify %s | FileCheck %s

hlo.computation private @replace(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  hlo.return %b : tensor<f32>
}

hlo.computation private @add(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %sum = hlo.add %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  hlo.return %sum : tensor<f32>
}

// Constant indices are clamped at compile time.
// CHECK-LABEL: func.func @constant_index
// CHECK-NEXT: hlo.slice %arg0 {limits = array<i64: 8>, starts = array<i64: 6>
func.func @constant_index(%x: tensor<8xf32>) -> tensor<2xf32> {
  %i = hlo.constant(dense<100> : tensor<i32>) : tensor<i32>
  %0 = hlo.dynamic_slice %x, %i {dynamic_slice_sizes = array<i64: 2>} : (tensor<8xf32>, tensor<i32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// x[i]: a gather of one row.
// CHECK-LABEL: func.func @one_row
// CHECK-NOT: hlo.gather
// CHECK: hlo.dynamic_slice %arg0, {{.*}}dynamic_slice_sizes = array<i64: 1, 3>
func.func @one_row(%x: tensor<8x3xf32>, %i: tensor<1xi32>) -> tensor<3xf32> {
  %0 = hlo.gather %x, %i {offset_dims = array<i64: 0>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 0 : i64, slice_sizes = array<i64: 1, 3>} : (tensor<8x3xf32>, tensor<1xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// x.at[2].set(y): a scatter of one window in range; out of range it is left alone.
// CHECK-LABEL: func.func @one_update
// CHECK: hlo.dynamic_update_slice
// CHECK: hlo.scatter
func.func @one_update(%x: tensor<8xf32>, %y: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %i = hlo.constant(dense<2> : tensor<1xi32>) : tensor<1xi32>
  %far = hlo.constant(dense<9> : tensor<1xi32>) : tensor<1xi32>
  %0 = hlo.scatter %x, %i, %y {update_window_dims = array<i64>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 0 : i64, to_apply = @replace} : (tensor<8xf32>, tensor<1xi32>, tensor<f32>) -> tensor<8xf32>
  %1 = hlo.scatter %x, %far, %y {update_window_dims = array<i64>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 0 : i64, to_apply = @replace} : (tensor<8xf32>, tensor<1xi32>, tensor<f32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// x.at[1:-1].add(y) reads, adds and updates the window.
// CHECK-LABEL: func.func @add_to_window
// CHECK: [[OLD:%.*]] = hlo.slice %arg0 {limits = array<i64: 7>, starts = array<i64: 1>, strides = array<i64: 1>}
// CHECK: [[NEW:%.*]] = hlo.add [[OLD]], %arg1
// CHECK: hlo.dynamic_update_slice %arg0, [[NEW]],
// CHECK: hlo.scatter
func.func @add_to_window(%x: tensor<8xf32>, %y: tensor<6xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %i = hlo.constant(dense<1> : tensor<1xi32>) : tensor<1xi32>
  %far = hlo.constant(dense<3> : tensor<1xi32>) : tensor<1xi32>
  %0 = hlo.scatter %x, %i, %y {update_window_dims = array<i64: 0>, inserted_window_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 0 : i64, to_apply = @add} : (tensor<8xf32>, tensor<1xi32>, tensor<6xf32>) -> tensor<8xf32>
  %1 = hlo.scatter %x, %far, %y {update_window_dims = array<i64: 0>, inserted_window_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 0 : i64, to_apply = @add} : (tensor<8xf32>, tensor<1xi32>, tensor<6xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
