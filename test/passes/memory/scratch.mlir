// RUN: hlo-opt --assign-buffers --check-buffers %s | FileCheck %s

// Scratch memory is in the arena while its kernel runs: both sorts share it, and the large array
// in between uses the memory of the first one's.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[ARENA:[^:]*]]: memref<400000xi8>)
// CHECK-SAME: hlo.arena_buffers = [array<i64: 0, 320000, 2, 4>, array<i64: 0, 320000, 4, 7>, array<i64: 320000, 80000, 6, 9>, array<i64: 0, 320000, 8, 10>]
// CHECK-SAME: hlo.arena_names = ["scratch of one", "", "", "scratch of two"]
// CHECK: %[[FIRST:.*]] = memref.view %[[ARENA]]{{.*}} to memref<40000xi64>
// CHECK: %[[BETWEEN:.*]] = memref.view %[[ARENA]]{{.*}} to memref<80000xf32>
// CHECK: %[[SECOND:.*]] = memref.view %[[ARENA]]{{.*}} to memref<40000xi64>
// CHECK: hlo.launch @one({{.*}}) -> ({{.*}}) scratch(%[[FIRST]] : memref<40000xi64>)
// CHECK-NEXT: hlo.launch {{.*}} -> (%[[BETWEEN]]) {hlo.reads
// CHECK-NEXT: hlo.launch {{.*}} -> ({{[^ ]*}}) {hlo.reads
// CHECK-NEXT: hlo.launch @one({{.*}}) -> ({{.*}}) scratch(%[[SECOND]] : memref<40000xi64>)
hlo.computation @less(%a: tensor<f32>, %b: tensor<f32>) -> tensor<i1> {
  %r = hlo.compare %a, %b {direction = #hlo.direction<LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  hlo.return %r : tensor<i1>
}
func.func @main(%x: tensor<20000xf32>) -> tensor<20000xf32> {
  %0 = hlo.kernel <sort> (%x) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"sort.merge" block = [64] lanes = 8 units = 1 scratch = 320000>]} : (tensor<20000xf32>) -> tensor<20000xf32> {
  ^bb0(%a: tensor<20000xf32>):
    %s = hlo.sort %a {dimension = 0 : i64, to_apply = @less} : (tensor<20000xf32>) -> tensor<20000xf32>
    hlo.return %s : tensor<20000xf32>
  } loc("one")
  %1 = hlo.kernel <loop> (%0) {reuse = array<i64: -1>} : (tensor<20000xf32>) -> tensor<80000xf32> {
  ^bb0(%a: tensor<20000xf32>):
    %s = hlo.concatenate %a, %a, %a, %a {dimension = 0 : i64} : (tensor<20000xf32>, tensor<20000xf32>, tensor<20000xf32>, tensor<20000xf32>) -> tensor<80000xf32>
    hlo.return %s : tensor<80000xf32>
  }
  %2 = hlo.kernel <loop> (%1) {reuse = array<i64: -1>} : (tensor<80000xf32>) -> tensor<20000xf32> {
  ^bb0(%a: tensor<80000xf32>):
    %s = hlo.slice %a {starts = array<i64: 7>, limits = array<i64: 20007>, strides = array<i64: 1>} : (tensor<80000xf32>) -> tensor<20000xf32>
    hlo.return %s : tensor<20000xf32>
  }
  %3 = hlo.kernel <sort> (%2) {reuse = array<i64: -1>, schedules = [#hlo.schedule<"sort.merge" block = [64] lanes = 8 units = 1 scratch = 320000>]} : (tensor<20000xf32>) -> tensor<20000xf32> {
  ^bb0(%a: tensor<20000xf32>):
    %s = hlo.sort %a {dimension = 0 : i64, to_apply = @less} : (tensor<20000xf32>) -> tensor<20000xf32>
    hlo.return %s : tensor<20000xf32>
  } loc("two")
  return %3 : tensor<20000xf32>
}
