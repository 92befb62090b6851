// RUN: hlo-opt --expand-operations --split-input-file %s | FileCheck %s

// Independent elements: a kernel executes the scan step by step.
// CHECK-LABEL: func.func @elementwise
// CHECK-NOT: scf.for
// CHECK: hlo.scan
hlo.computation @step(%x: tensor<8xf32>, %c: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = hlo.add %x, %c : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  hlo.return %0, %0 : tensor<8xf32>, tensor<8xf32>
}
func.func @elementwise(%x: tensor<5x8xf32>, %c: tensor<8xf32>) -> (tensor<5x8xf32>, tensor<8xf32>) {
  %0:2 = hlo.scan %x, %c {dimensions = array<i64: 0>, num_carries = 1 : i64, is_reverse = false, to_apply = @step} : (tensor<5x8xf32>, tensor<8xf32>) -> (tensor<5x8xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<5x8xf32>, tensor<8xf32>
}

// -----

// A body that is said to be associative, and one that is.
// CHECK-LABEL: func.func @promised
// CHECK: hlo.scan {{.*}}is_associative = false{{.*}}to_apply = @decay
// CHECK: hlo.scan {{.*}}is_associative = true{{.*}}to_apply = @sum
hlo.computation @decay(%x: tensor<f32>, %c: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %a = hlo.abs %x : (tensor<f32>) -> tensor<f32>
  %p = hlo.multiply %a, %c : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %0 = hlo.add %p, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
  hlo.return %0, %0 : tensor<f32>, tensor<f32>
}
hlo.computation @sum(%x: tensor<f32>, %c: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = hlo.add %x, %c : (tensor<f32>, tensor<f32>) -> tensor<f32>
  hlo.return %0, %0 : tensor<f32>, tensor<f32>
}
func.func @promised(%x: tensor<128xf32>, %c: tensor<f32>) -> (tensor<128xf32>, tensor<128xf32>) {
  %0:2 = hlo.scan %x, %c {dimensions = array<i64: 0>, num_carries = 1 : i64, is_associative = true, to_apply = @decay} : (tensor<128xf32>, tensor<f32>) -> (tensor<128xf32>, tensor<f32>)
  %1:2 = hlo.scan %x, %c {dimensions = array<i64: 0>, num_carries = 1 : i64, is_associative = true, to_apply = @sum} : (tensor<128xf32>, tensor<f32>) -> (tensor<128xf32>, tensor<f32>)
  return %0#0, %1#0 : tensor<128xf32>, tensor<128xf32>
}

// -----

// The logarithm of a sum of exponentials, as JAX writes it, associates but for rounding; a difference in its place
// does not.
// CHECK-LABEL: func.func @logarithms
// CHECK: hlo.scan {{.*}}is_associative = true{{.*}}to_apply = @logaddexp
// CHECK: hlo.scan {{.*}}is_associative = false{{.*}}to_apply = @lookalike
hlo.computation @logaddexp(%x: tensor<f32>, %c: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %d = hlo.subtract %c, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %n = hlo.compare %d, %d {direction = #hlo.direction<NE>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %s = hlo.add %c, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %m = hlo.maximum %c, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %a = hlo.abs %d : (tensor<f32>) -> tensor<f32>
  %b = hlo.negate %a : (tensor<f32>) -> tensor<f32>
  %e = hlo.exponential %b : (tensor<f32>) -> tensor<f32>
  %l = hlo.log_plus_one %e : (tensor<f32>) -> tensor<f32>
  %t = hlo.add %m, %l : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %0 = hlo.select %n, %s, %t : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  hlo.return %0, %0 : tensor<f32>, tensor<f32>
}
hlo.computation @lookalike(%x: tensor<f32>, %c: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %d = hlo.subtract %c, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %n = hlo.compare %d, %d {direction = #hlo.direction<NE>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %s = hlo.subtract %c, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %m = hlo.maximum %c, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %a = hlo.abs %d : (tensor<f32>) -> tensor<f32>
  %b = hlo.negate %a : (tensor<f32>) -> tensor<f32>
  %e = hlo.exponential %b : (tensor<f32>) -> tensor<f32>
  %l = hlo.log_plus_one %e : (tensor<f32>) -> tensor<f32>
  %t = hlo.add %m, %l : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %0 = hlo.select %n, %s, %t : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  hlo.return %0, %0 : tensor<f32>, tensor<f32>
}
func.func @logarithms(%x: tensor<128xf32>, %c: tensor<f32>) -> (tensor<128xf32>, tensor<128xf32>) {
  %0:2 = hlo.scan %x, %c {dimensions = array<i64: 0>, num_carries = 1 : i64, is_associative = true, to_apply = @logaddexp} : (tensor<128xf32>, tensor<f32>) -> (tensor<128xf32>, tensor<f32>)
  %1:2 = hlo.scan %x, %c {dimensions = array<i64: 0>, num_carries = 1 : i64, is_associative = true, to_apply = @lookalike} : (tensor<128xf32>, tensor<f32>) -> (tensor<128xf32>, tensor<f32>)
  return %0#0, %1#0 : tensor<128xf32>, tensor<128xf32>
}

// -----

// Slices whose elements meet: a loop over slices, from the last one.
// CHECK-LABEL: func.func @reversing
// CHECK-SAME: (%[[X:.*]]: tensor<8x5xf32>, %[[C:.*]]: tensor<8xf32>)
// CHECK-DAG: %[[ZERO:.*]] = hlo.broadcast {{.*}} -> tensor<8x5xf32>
// CHECK-DAG: %[[LAST:.*]] = arith.constant 4 : index
// CHECK: %[[R:.*]]:2 = scf.for %[[K:.*]] = {{.*}} iter_args(%[[CARRY:.*]] = %[[C]], %[[OUT:.*]] = %[[ZERO]])
// CHECK:   arith.subi %[[LAST]], %[[K]]
// CHECK:   %[[SLICE:.*]] = hlo.dynamic_slice %[[X]]
// CHECK:   %[[ROW:.*]] = hlo.reshape %[[SLICE]] : (tensor<8x1xf32>) -> tensor<8xf32>
// CHECK:   %[[REV:.*]] = hlo.reverse %[[ROW]]
// CHECK:   %[[SUM:.*]] = hlo.add %[[REV]], %[[CARRY]]
// CHECK:   %[[NEXT:.*]] = hlo.dynamic_update_slice %[[OUT]]
// CHECK:   scf.yield %[[SUM]], %[[NEXT]]
// CHECK: return %[[R]]#1, %[[R]]#0
hlo.computation @turn(%x: tensor<8xf32>, %c: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %r = hlo.reverse %x {dimensions = array<i64: 0>} : (tensor<8xf32>) -> tensor<8xf32>
  %0 = hlo.add %r, %c : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  hlo.return %0, %0 : tensor<8xf32>, tensor<8xf32>
}
func.func @reversing(%x: tensor<8x5xf32>, %c: tensor<8xf32>) -> (tensor<8x5xf32>, tensor<8xf32>) {
  %0:2 = hlo.scan %x, %c {dimensions = array<i64: 1>, num_carries = 1 : i64, is_reverse = true, to_apply = @turn} : (tensor<8x5xf32>, tensor<8xf32>) -> (tensor<8x5xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<8x5xf32>, tensor<8xf32>
}

// -----

// A carry of another shape than the slices.
// CHECK-LABEL: func.func @scalar_carry
// CHECK: scf.for {{.*}} -> (tensor<f32>, tensor<5x8xf32>)
// CHECK: hlo.broadcast
hlo.computation @spread(%x: tensor<8xf32>, %c: tensor<f32>) -> (tensor<8xf32>, tensor<f32>) {
  %b = hlo.broadcast %c {dimensions = array<i64>} : (tensor<f32>) -> tensor<8xf32>
  %0 = hlo.add %x, %b : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  hlo.return %0, %c : tensor<8xf32>, tensor<f32>
}
func.func @scalar_carry(%x: tensor<5x8xf32>, %c: tensor<f32>) -> (tensor<5x8xf32>, tensor<f32>) {
  %0:2 = hlo.scan %x, %c {dimensions = array<i64: 0>, num_carries = 1 : i64, is_reverse = false, to_apply = @spread} : (tensor<5x8xf32>, tensor<f32>) -> (tensor<5x8xf32>, tensor<f32>)
  return %0#0, %0#1 : tensor<5x8xf32>, tensor<f32>
}

// -----

// No steps: what it starts with.
// CHECK-LABEL: func.func @nothing
// CHECK-NOT: scf.for
// CHECK: return %{{.*}}, %arg1
hlo.computation @spread(%x: tensor<8xf32>, %c: tensor<f32>) -> (tensor<8xf32>, tensor<f32>) {
  %b = hlo.broadcast %c {dimensions = array<i64>} : (tensor<f32>) -> tensor<8xf32>
  hlo.return %b, %c : tensor<8xf32>, tensor<f32>
}
func.func @nothing(%x: tensor<0x8xf32>, %c: tensor<f32>) -> (tensor<0x8xf32>, tensor<f32>) {
  %0:2 = hlo.scan %x, %c {dimensions = array<i64: 0>, num_carries = 1 : i64, is_reverse = false, to_apply = @spread} : (tensor<0x8xf32>, tensor<f32>) -> (tensor<0x8xf32>, tensor<f32>)
  return %0#0, %0#1 : tensor<0x8xf32>, tensor<f32>
}
