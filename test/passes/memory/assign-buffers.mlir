// RUN: hlo-opt --fuse --order-kernels --assign-buffers --check-buffers --split-input-file %s | FileCheck %s

// The loop's state is updated in place, the row is written into the stacked buffer, and nothing is
// copied except the argument, which the program must not write.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: memref<64x64xf32>{{.*}}, %{{.*}}: memref<i32>{{.*}}, %[[Y:.*]]: memref<64x64xf32>, %[[Z:.*]]: memref<4x100xf32>, %{{.*}}: memref<0xi8>)
// CHECK: hlo.launch @{{.*}}() -> (%[[Z]])
// CHECK: memref.copy %[[X]], %[[Y]]
// CHECK: scf.for
// CHECK-NOT: memref.copy
// CHECK: hlo.launch @{{.*}}(%[[Y]]) -> (%[[Y]])
// CHECK: hlo.launch @update{{.*}}(%[[Y]], %[[Z]], {{.*}}) -> (%[[Z]])
// CHECK: return
// CHECK: hlo.kernel_function {{.*}} <update>
func.func @main(%x: tensor<64x64xf32>, %n: tensor<i32>) -> (tensor<64x64xf32>, tensor<4x100xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %half = hlo.constant (dense<0.5> : tensor<f32>) : tensor<f32>
  %zero = hlo.constant (dense<0.0> : tensor<f32>) : tensor<f32>
  %zi = hlo.constant (dense<0> : tensor<i32>) : tensor<i32>
  %h = hlo.broadcast %half {dimensions = array<i64>} : (tensor<f32>) -> tensor<64x64xf32>
  %buf = hlo.broadcast %zero {dimensions = array<i64>} : (tensor<f32>) -> tensor<4x100xf32>
  %r:2 = scf.for %k = %c0 to %c10 step %c1 iter_args(%a = %x, %b = %buf) -> (tensor<64x64xf32>, tensor<4x100xf32>) {
    %k32 = arith.index_cast %k : index to i32
    %i = tensor.from_elements %k32 : tensor<i32>
    %m = hlo.multiply %a, %h : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %e = hlo.exponential %m : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %row = hlo.slice %e {starts = array<i64: 0, 0>, limits = array<i64: 1, 64>, strides = array<i64: 1, 1>} : (tensor<64x64xf32>) -> tensor<1x64xf32>
    %p = hlo.pad %row, %zero {low = array<i64: 0, 0>, high = array<i64: 0, 36>, interior = array<i64: 0, 0>} : (tensor<1x64xf32>, tensor<f32>) -> tensor<1x100xf32>
    %u = hlo.dynamic_update_slice %b, %p, %i, %zi : (tensor<4x100xf32>, tensor<1x100xf32>, tensor<i32>, tensor<i32>) -> tensor<4x100xf32>
    scf.yield %e, %u : tensor<64x64xf32>, tensor<4x100xf32>
  }
  return %r#0, %r#1 : tensor<64x64xf32>, tensor<4x100xf32>
}

// -----

// Branches update what comes from outside them where it is, each for itself; and a loop begins with an
// array of any elements where its result will be.
// CHECK-LABEL: func.func @main
// CHECK-SAME: memref<i1>{{.*}}, %[[X:.*]]: memref<4x100xf32>, %{{.*}}: memref<0xi8>
// CHECK-NOT: memref.copy
// CHECK: hlo.runtime_call "empty"() -> (%[[X]])
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NEXT: hlo.launch @{{.*}} -> (%[[X]])
// CHECK-NEXT: else
// CHECK-NEXT: hlo.launch @{{.*}} -> (%[[X]])
// CHECK-NOT: memref.copy
// CHECK: return
func.func @main(%u: tensor<1x100xf32>, %v: tensor<1x100xf32>, %p: tensor<i1>) -> tensor<4x100xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zi = hlo.constant (dense<0> : tensor<i32>) : tensor<i32>
  %any = tensor.empty() : tensor<4x100xf32>
  %c = tensor.extract %p[] : tensor<i1>
  %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %any) -> (tensor<4x100xf32>) {
    %k32 = arith.index_cast %k : index to i32
    %i = tensor.from_elements %k32 : tensor<i32>
    %n = scf.if %c -> (tensor<4x100xf32>) {
      %d = hlo.dynamic_update_slice %a, %u, %i, %zi : (tensor<4x100xf32>, tensor<1x100xf32>, tensor<i32>, tensor<i32>) -> tensor<4x100xf32>
      scf.yield %d : tensor<4x100xf32>
    } else {
      %d = hlo.dynamic_update_slice %a, %v, %i, %zi : (tensor<4x100xf32>, tensor<1x100xf32>, tensor<i32>, tensor<i32>) -> tensor<4x100xf32>
      scf.yield %d : tensor<4x100xf32>
    }
    scf.yield %n : tensor<4x100xf32>
  }
  return %r : tensor<4x100xf32>
}

// -----

// A while loop of scalars: local variables only. Equal kernels are one function.
// CHECK-LABEL: func.func @main
// CHECK: memref.alloca
// CHECK: scf.while
// CHECK: memref.load
// CHECK: scf.condition
// CHECK-NOT: memref.copy
// CHECK: scf.yield
func.func @main(%limit: tensor<i32>) -> tensor<i32> {
  %zero = hlo.constant (dense<0> : tensor<i32>) : tensor<i32>
  %one = hlo.constant (dense<1> : tensor<i32>) : tensor<i32>
  %r = scf.while (%i = %zero) : (tensor<i32>) -> tensor<i32> {
    %less = hlo.compare %i, %limit {direction = #hlo.direction<LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %p = tensor.extract %less[] : tensor<i1>
    scf.condition(%p) %i : tensor<i32>
  } do {
  ^bb0(%i: tensor<i32>):
    %next = hlo.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    scf.yield %next : tensor<i32>
  }
  return %r : tensor<i32>
}

// -----

// The values swap: one of them moves out of the way.
// CHECK-LABEL: func.func @main
// CHECK: scf.for
// CHECK-COUNT-3: memref.copy
// CHECK-NOT: memref.copy
// CHECK: return
func.func @main(%x: tensor<1000xf32>, %y: tensor<1000xf32>, %n: tensor<i32>) -> (tensor<1000xf32>, tensor<1000xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %a0 = hlo.negate %x : (tensor<1000xf32>) -> tensor<1000xf32>
  %b0 = hlo.abs %y : (tensor<1000xf32>) -> tensor<1000xf32>
  %r:2 = scf.for %k = %c0 to %c10 step %c1 iter_args(%a = %a0, %b = %b0) -> (tensor<1000xf32>, tensor<1000xf32>) {
    scf.yield %b, %a : tensor<1000xf32>, tensor<1000xf32>
  }
  return %r#0, %r#1 : tensor<1000xf32>, tensor<1000xf32>
}

// -----

// Memory is used again as soon as its value is dead, that of results before they are written: the
// real temporary lies in the result, the complex one in the arena.
// CHECK-LABEL: func.func @main
// CHECK-SAME: hlo.arena_bound = 4032{{.*}}hlo.arena_bytes = 4032{{.*}}hlo.bytes_in_results = 4000
// CHECK: %[[BYTES:.*]] = builtin.unrealized_conversion_cast %arg1 : memref<1000xf32> to memref<4000xi8>
// CHECK: %[[A:.*]] = memref.view %[[BYTES]][%{{.*}}][] : memref<4000xi8> to memref<1000xf32>
// CHECK: hlo.launch {{.*}}(%arg0) -> (%[[A]])
func.func @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %a = hlo.reverse %x {dimensions = array<i64: 0>} : (tensor<1000xf32>) -> tensor<1000xf32>
  %s0 = "hlo.fft"(%a) {fft_type = #hlo.fft_type<RFFT>, fft_length = array<i64: 1000>} : (tensor<1000xf32>) -> tensor<501xcomplex<f32>>
  %b = "hlo.fft"(%s0) {fft_type = #hlo.fft_type<IRFFT>, fft_length = array<i64: 1000>} : (tensor<501xcomplex<f32>>) -> tensor<1000xf32>
  return %b : tensor<1000xf32>
}

// -----

// A result that may share an argument's memory but has another shape.
// CHECK-LABEL: func.func @main
// CHECK: %[[R:.*]] = memref.reinterpret_cast %arg1 {{.*}} : memref<4x2xf32> to memref<8xf32>
// CHECK: memref.copy %arg0, %[[R]] {hlo.unless_same}
module attributes {hlo.aliases = [array<i64: 0, 0>]} {
func.func @main(%x: tensor<8xf32>) -> tensor<4x2xf32> {
  %0 = hlo.negate %x : (tensor<8xf32>) -> tensor<8xf32>
  %1 = hlo.reshape %0 : (tensor<8xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}
}

// -----

// Small state of a loop is a local variable, copied to the result at the end; large state lies in
// the result all the time.
// CHECK-LABEL: func.func @main
// CHECK-DAG: %[[STATE:.*]] = memref.alloca() : memref<4xf32>
// CHECK: scf.for
// CHECK-DAG: hlo.launch {{.*}}(%[[STATE]]) -> (%[[STATE]])
// CHECK-DAG: hlo.launch {{.*}}(%arg3) -> (%arg3)
// CHECK-NOT: memref.copy
// CHECK: }
// CHECK: memref.copy %[[STATE]], %arg2
// CHECK-NOT: memref.copy
func.func @main(%x: tensor<4xf32>, %y: tensor<1000xf32>) -> (tensor<4xf32>, tensor<1000xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %r:2 = scf.for %k = %c0 to %c10 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xf32>, tensor<1000xf32>) {
    %0 = hlo.negate %a : (tensor<4xf32>) -> tensor<4xf32>
    %1 = hlo.abs %b : (tensor<1000xf32>) -> tensor<1000xf32>
    scf.yield %0, %1 : tensor<4xf32>, tensor<1000xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<1000xf32>
}

// -----

// No temporary of floats lies in a result of bytes, which the host may have put at any address, nor in
// one that holds an argument that is still read.
// CHECK-LABEL: func.func @main
// CHECK-SAME: hlo.arena_bytes = 8064{{.*}}hlo.bytes_in_results = 0
module attributes {hlo.aliases = [array<i64: 1, 0>]} {
func.func @main(%x: tensor<1000xf32>) -> (tensor<9000xi8>, tensor<1000xf32>) {
  %a = hlo.reverse %x {dimensions = array<i64: 0>} : (tensor<1000xf32>) -> tensor<1000xf32>
  %s = "hlo.fft"(%a) {fft_type = #hlo.fft_type<RFFT>, fft_length = array<i64: 1000>} : (tensor<1000xf32>) -> tensor<501xcomplex<f32>>
  %b = "hlo.fft"(%s) {fft_type = #hlo.fft_type<IRFFT>, fft_length = array<i64: 1000>} : (tensor<501xcomplex<f32>>) -> tensor<1000xf32>
  %n = hlo.convert %b : (tensor<1000xf32>) -> tensor<1000xi8>
  %z = hlo.constant (dense<0> : tensor<i8>) : tensor<i8>
  %p = hlo.pad %n, %z {low = array<i64: 0>, high = array<i64: 8000>, interior = array<i64: 0>} : (tensor<1000xi8>, tensor<i8>) -> tensor<9000xi8>
  %r = hlo.add %x, %b : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32>
  return %p, %r : tensor<9000xi8>, tensor<1000xf32>
}
}
