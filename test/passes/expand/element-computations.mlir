// RUN: hlo-opt --expand-operations --split-input-file %s 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

// Computations without loops and arrays are left to kernels.
// CHECK-LABEL: func.func @lanes
// CHECK-NOT: scf.
// CHECK: hlo.reduce
hlo.computation private @twice(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = hlo.reshape %b : (tensor<f32>) -> tensor<1xf32>
  %1 = hlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
  %2 = hlo.add %a, %1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  hlo.return %2 : tensor<f32>
}
func.func @lanes(%x: tensor<5x9xf32>, %init: tensor<f32>) -> tensor<5xf32> {
  %0 = hlo.reduce %x, %init {dimensions = array<i64: 1>, to_apply = @twice} : (tensor<5x9xf32>, tensor<f32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// All results together: the inner loop goes on until it has ended for each, and those for which it has keep what they
// have.
// REMARK-DAG: remark: a loop of 9 steps, because of 'while' in its computation
// CHECK-LABEL: func.func @together
// CHECK: scf.for {{.*}} iter_args(%[[ALL:.*]] = %{{.*}}) -> (tensor<5xi32>)
// CHECK:   hlo.dynamic_slice {{.*}} -> tensor<1x5xi32>
// CHECK:   scf.while ({{.*}}) : (tensor<5xi32>, tensor<5xi32>, tensor<5xi1>)
// CHECK:     %[[ON:.*]] = hlo.and %[[ACTIVE:.*]], %{{.*}} : (tensor<5xi1>, tensor<5xi1>)
// CHECK:     %[[ANY:.*]] = hlo.reduce %[[ON]]
// CHECK:     %[[GO:.*]] = tensor.extract %[[ANY]][]
// CHECK:     scf.condition(%[[GO]]) %{{.*}}, %{{.*}}, %[[ON]]
// CHECK:   ^bb0(%[[A:.*]]: tensor<5xi32>, %[[B:.*]]: tensor<5xi32>, %[[ON:.*]]: tensor<5xi1>)
// CHECK:     %[[REST:.*]] = hlo.remainder %[[A]], %[[B]] : (tensor<5xi32>, tensor<5xi32>)
// CHECK:     hlo.select %[[ON]], %[[REST]], %[[B]]
// Of a single result nothing has to be kept.
// REMARK-DAG: remark: a loop of 45 steps, because of 'while' in its computation
// CHECK-LABEL: func.func @single
// CHECK: scf.while ({{.*}}) : (tensor<i32>, tensor<i32>)
// CHECK-NOT: hlo.reduce
// CHECK: return
hlo.computation private @gcd(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
  %0:2 = scf.while (%c = %a, %d = %b) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>) {
    %zero = hlo.constant(dense<0> : tensor<i32>) : tensor<i32>
    %1 = hlo.compare %d, %zero {direction = #hlo.direction<NE>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = tensor.extract %1[] : tensor<i1>
    scf.condition(%2) %c, %d : tensor<i32>, tensor<i32>
  } do {
  ^bb0(%c: tensor<i32>, %d: tensor<i32>):
    %1 = hlo.remainder %c, %d : (tensor<i32>, tensor<i32>) -> tensor<i32>
    scf.yield %d, %1 : tensor<i32>, tensor<i32>
  }
  hlo.return %0#0 : tensor<i32>
}
func.func @together(%x: tensor<5x9xi32>, %init: tensor<i32>) -> tensor<5xi32> {
  %0 = hlo.reduce %x, %init {dimensions = array<i64: 1>, to_apply = @gcd} : (tensor<5x9xi32>, tensor<i32>) -> tensor<5xi32>
  return %0 : tensor<5xi32>
}
func.func @single(%x: tensor<5x9xi32>, %init: tensor<i32>) -> tensor<i32> {
  %0 = hlo.reduce %x, %init {dimensions = array<i64: 0, 1>, to_apply = @gcd} : (tensor<5x9xi32>, tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

// A loop that turns equally often for all needs no masks; a table is read at many places at once.
// CHECK-LABEL: func.func @equally
// CHECK-NOT: scf.for
// CHECK: scf.while ({{.*}}) : (tensor<i32>, tensor<8xi32>) -> (tensor<i32>, tensor<8xi32>)
// CHECK: scf.condition(%{{.*}}) %{{.*}}, %{{.*}} : tensor<i32>, tensor<8xi32>
// CHECK: hlo.gather {{.*}} -> tensor<8x1xi32>
// CHECK-NOT: hlo.select
// CHECK: return
hlo.computation private @look(%a: tensor<i32>) -> tensor<i32> {
  %zero = hlo.constant(dense<0> : tensor<i32>) : tensor<i32>
  %table = hlo.constant(dense<[3, 1, 2, 0]> : tensor<4xi32>) : tensor<4xi32>
  %0:2 = scf.while (%i = %zero, %c = %a) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>) {
    %three = hlo.constant(dense<3> : tensor<i32>) : tensor<i32>
    %1 = hlo.compare %i, %three {direction = #hlo.direction<LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = tensor.extract %1[] : tensor<i1>
    scf.condition(%2) %i, %c : tensor<i32>, tensor<i32>
  } do {
  ^bb0(%i: tensor<i32>, %c: tensor<i32>):
    %one = hlo.constant(dense<1> : tensor<i32>) : tensor<i32>
    %1 = hlo.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %2 = hlo.dynamic_slice %table, %c {dynamic_slice_sizes = array<i64: 1>} : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
    %3 = hlo.reshape %2 : (tensor<1xi32>) -> tensor<i32>
    scf.yield %1, %3 : tensor<i32>, tensor<i32>
  }
  hlo.return %0#1 : tensor<i32>
}
func.func @equally(%x: tensor<2x4xi32>) -> tensor<2x4xi32> {
  %0 = hlo.map %x {dimensions = array<i64: 0, 1>, to_apply = @look} : (tensor<2x4xi32>) -> tensor<2x4xi32>
  return %0 : tensor<2x4xi32>
}

// -----

// What has no form for many elements is done for one after the other.
// REMARK: remark: a loop of 8 steps, because of 'rng' in its computation
// CHECK-LABEL: func.func @one_by_one
// CHECK: scf.for
// CHECK:   hlo.dynamic_slice {{.*}} -> tensor<1xf32>
// CHECK:   hlo.dynamic_update_slice
hlo.computation private @noise(%a: tensor<f32>) -> tensor<f32> {
  %zero = hlo.constant(dense<0.0> : tensor<f32>) : tensor<f32>
  %0 = hlo.rng %zero, %a {distribution = #hlo.distribution<rng_uniform>} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  hlo.return %0 : tensor<f32>
}
func.func @one_by_one(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = hlo.map %x {dimensions = array<i64: 0, 1>, to_apply = @noise} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// So are many elements with large arrays of their own, which memory need not hold side by side.
// CHECK-LABEL: func.func @large
// CHECK: scf.for
// CHECK-NOT: tensor<3000x2000x
// CHECK: hlo.dynamic_update_slice
hlo.computation private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = hlo.add %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  hlo.return %0 : tensor<f32>
}
hlo.computation private @powers(%a: tensor<f32>) -> tensor<f32> {
  %zero = hlo.constant(dense<0.0> : tensor<f32>) : tensor<f32>
  %0 = hlo.iota {iota_dimension = 0 : i64} : () -> tensor<2000xf32>
  %1 = hlo.broadcast %a {dimensions = array<i64>} : (tensor<f32>) -> tensor<2000xf32>
  %2 = hlo.power %1, %0 : (tensor<2000xf32>, tensor<2000xf32>) -> tensor<2000xf32>
  %3 = hlo.reduce %2, %zero {dimensions = array<i64: 0>, to_apply = @sum} : (tensor<2000xf32>, tensor<f32>) -> tensor<f32>
  hlo.return %3 : tensor<f32>
}
func.func @large(%x: tensor<3000xf32>) -> tensor<3000xf32> {
  %0 = hlo.map %x {dimensions = array<i64: 0>, to_apply = @powers} : (tensor<3000xf32>) -> tensor<3000xf32>
  return %0 : tensor<3000xf32>
}

// -----

// A network of 4 * 5 / 2 stages sorts positions of 9 elements.
// REMARK: remark: a loop of 10 steps, because of 'concatenate' in its computation
// CHECK-LABEL: func.func @sort
// CHECK-NOT: hlo.sort
// CHECK: scf.for {{.*}} -> (tensor<3x16xi32>, tensor<i32>, tensor<i32>)
// CHECK: hlo.gather {{.*}} -> tensor<3x9xf32>
hlo.computation private @max(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = hlo.maximum %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  hlo.return %0 : tensor<f32>
}
hlo.computation private @greater(%a: tensor<f32>, %b: tensor<f32>) -> tensor<i1> {
  %0 = hlo.reshape %a : (tensor<f32>) -> tensor<1xf32>
  %1 = hlo.reshape %b : (tensor<f32>) -> tensor<1xf32>
  %2 = hlo.concatenate %0, %1 {dimension = 0 : i64} : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  %3 = hlo.reduce %2, %a {dimensions = array<i64: 0>, to_apply = @max} : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  %4 = hlo.compare %3, %b {direction = #hlo.direction<GT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  hlo.return %4 : tensor<i1>
}
func.func @sort(%x: tensor<3x9xf32>) -> tensor<3x9xf32> {
  %0 = hlo.sort %x {dimension = 1 : i64, is_stable = false, to_apply = @greater} : (tensor<3x9xf32>) -> tensor<3x9xf32>
  return %0 : tensor<3x9xf32>
}
