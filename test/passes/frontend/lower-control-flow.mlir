// RUN: hlo-opt --lower-control-flow --split-input-file %s | FileCheck %s

// Tuples in the interface are flattened, named by path; aliases refer to leaves.
// CHECK: module attributes {hlo.aliases = [array<i64: 1, 2>]}
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[A:.*]]: tensor<f32> {hlo.name = "x"}, %[[B:.*]]: tensor<2x3xi32> {hlo.layout = #hlo.layout<[0, 1]>, hlo.name = "w.0"}, %[[C:.*]]: tensor<5xf32> {hlo.name = "w.1"})
// CHECK-SAME: -> (tensor<f32> {hlo.name = "neg"}, tensor<5xf32> {hlo.name = "w.1"})
// CHECK: %[[N:.*]] = hlo.negate %[[A]] : (tensor<f32>) -> tensor<f32>
// CHECK: return %[[N]], %[[C]]
#m = #hlo.layout<[0, 1]>
module attributes {hlo.input_output_alias = [#hlo.alias<[1] : 1 [1] "may-alias">]} {
  hlo.computation @entry(%x: tensor<f32> loc("x"), %w: tuple<tensor<2x3xi32, #m>, tensor<5xf32>> loc("w")) -> tuple<tensor<f32>, tensor<5xf32>> attributes {entry} {
    %0 = hlo.negate %x : (tensor<f32>) -> tensor<f32> loc("neg")
    %1 = hlo.get_tuple_element %w {index = 1 : i64} : (tuple<tensor<2x3xi32, #m>, tensor<5xf32>>) -> tensor<5xf32> loc("w.1")
    %2 = hlo.tuple %0, %1 : (tensor<f32>, tensor<5xf32>) -> tuple<tensor<f32>, tensor<5xf32>>
    hlo.return %2 : tuple<tensor<f32>, tensor<5xf32>>
  }
}

// -----

// A loop; the value that its body does not change is taken from outside.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[I:.*]]: tensor<i32> {{.*}}, %[[STEP:.*]]: tensor<4xf32> {{.*}}, %[[X:.*]]: tensor<4xf32> {{.*}})
// CHECK: %[[R:.*]]:2 = scf.while (%[[BI:.*]] = %[[I]], %[[BX:.*]] = %[[X]])
// CHECK:   %[[L:.*]] = hlo.compare %[[BI]]
// CHECK:   %[[P:.*]] = tensor.extract %[[L]][] : tensor<i1>
// CHECK:   scf.condition(%[[P]]) %[[BI]], %[[BX]]
// CHECK: ^bb0(%[[AI:.*]]: tensor<i32>, %[[AX:.*]]: tensor<4xf32>):
// CHECK:   %[[NX:.*]] = hlo.add %[[AX]], %[[STEP]]
// CHECK:   scf.yield %{{.*}}, %[[NX]]
// CHECK: return %[[R]]#1, %[[STEP]]
!state = tuple<tensor<i32>, tensor<4xf32>, tensor<4xf32>>
hlo.computation @less(%s: !state) -> tensor<i1> {
  %0 = hlo.get_tuple_element %s {index = 0 : i64} : (!state) -> tensor<i32>
  %1 = hlo.constant(dense<10> : tensor<i32>) : tensor<i32>
  %2 = hlo.compare %0, %1 {direction = #hlo.direction<LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
  hlo.return %2 : tensor<i1>
}
hlo.computation @next(%s: !state) -> !state {
  %0 = hlo.get_tuple_element %s {index = 0 : i64} : (!state) -> tensor<i32>
  %1 = hlo.get_tuple_element %s {index = 1 : i64} : (!state) -> tensor<4xf32>
  %2 = hlo.get_tuple_element %s {index = 2 : i64} : (!state) -> tensor<4xf32>
  %3 = hlo.constant(dense<1> : tensor<i32>) : tensor<i32>
  %4 = hlo.add %0, %3 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %5 = hlo.add %2, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = hlo.tuple %4, %1, %5 : (tensor<i32>, tensor<4xf32>, tensor<4xf32>) -> !state
  hlo.return %6 : !state
}
hlo.computation @main(%i: tensor<i32>, %step: tensor<4xf32>, %x: tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>> attributes {entry} {
  %0 = hlo.tuple %i, %step, %x : (tensor<i32>, tensor<4xf32>, tensor<4xf32>) -> !state
  %1 = hlo.while %0 {condition = @less, body = @next} : (!state) -> !state
  %2 = hlo.get_tuple_element %1 {index = 2 : i64} : (!state) -> tensor<4xf32>
  %3 = hlo.get_tuple_element %1 {index = 1 : i64} : (!state) -> tensor<4xf32>
  %4 = hlo.tuple %2, %3 : (tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  hlo.return %4 : tuple<tensor<4xf32>, tensor<4xf32>>
}

// -----

// Branches take their operands from outside; an index out of range selects the last one.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[I:.*]]: tensor<i32> {{.*}}, %[[P:.*]]: tensor<i1> {{.*}}, %[[X:.*]]: tensor<4xf32> {{.*}})
// CHECK: %[[E:.*]] = tensor.extract %[[I]][]
// CHECK: %[[INDEX:.*]] = arith.index_castui %[[E]] : i32 to index
// CHECK: %[[S:.*]] = scf.index_switch %[[INDEX]] -> tensor<4xf32>
// CHECK: case 0 {
// CHECK:   scf.yield %[[X]]
// CHECK: default {
// CHECK:   %[[N:.*]] = hlo.negate %[[X]]
// CHECK:   scf.yield %[[N]]
// CHECK: %[[C:.*]] = tensor.extract %[[P]][]
// CHECK: scf.if %[[C]] -> (tensor<4xf32>) {
// CHECK:   scf.yield %[[S]]
// CHECK: } else {
// CHECK:   hlo.negate %[[S]]
hlo.computation @same(%x: tensor<4xf32>) -> tensor<4xf32> {
  hlo.return %x : tensor<4xf32>
}
hlo.computation @minus(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = hlo.negate %x : (tensor<4xf32>) -> tensor<4xf32>
  hlo.return %0 : tensor<4xf32>
}
hlo.computation @main(%i: tensor<i32>, %p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> attributes {entry} {
  %0 = hlo.conditional %i, %x, %x {branch_computations = [@same, @minus]} : (tensor<i32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = hlo.conditional %p, %0, %0 {branch_computations = [@same, @minus]} : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  hlo.return %1 : tensor<4xf32>
}

// -----

// Variadic operations and their computations give arrays instead of a tuple.
// CHECK-LABEL: hlo.computation private @both
// CHECK: hlo.return %{{.*}}, %{{.*}} : tensor<f32>, tensor<i32>
// CHECK-LABEL: func.func @main
// CHECK: %[[R:.*]]:2 = hlo.reduce {{.*}} -> (tensor<f32>, tensor<i32>)
// CHECK: return %[[R]]#1
hlo.computation @both(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>) -> tuple<tensor<f32>, tensor<i32>> {
  %0 = hlo.add %a, %c : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = hlo.add %b, %d : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %2 = hlo.tuple %0, %1 : (tensor<f32>, tensor<i32>) -> tuple<tensor<f32>, tensor<i32>>
  hlo.return %2 : tuple<tensor<f32>, tensor<i32>>
}
hlo.computation @main(%x: tensor<4xf32>, %y: tensor<4xi32>, %a: tensor<f32>, %b: tensor<i32>) -> tensor<i32> attributes {entry} {
  %0 = hlo.reduce %x, %y, %a, %b {dimensions = array<i64: 0>, to_apply = @both} : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> tuple<tensor<f32>, tensor<i32>>
  %1 = hlo.get_tuple_element %0 {index = 1 : i64} : (tuple<tensor<f32>, tensor<i32>>) -> tensor<i32>
  hlo.return %1 : tensor<i32>
}

// -----

// bitcast reads memory in the layouts written.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>
// CHECK: %[[T:.*]] = hlo.transpose %[[X]] {dimensions = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
// CHECK: %[[R:.*]] = hlo.reshape %[[T]] : (tensor<3x2xf32>) -> tensor<6xf32>
// CHECK: return %[[R]]
#t = #hlo.layout<[0, 1]>
hlo.computation @main(%x: tensor<2x3xf32>) -> tensor<6xf32> attributes {entry} {
  %0 = hlo.copy %x : (tensor<2x3xf32>) -> tensor<2x3xf32, #t>
  %1 = hlo.bitcast %0 : (tensor<2x3xf32, #t>) -> tensor<6xf32>
  hlo.return %1 : tensor<6xf32>
}

// -----

// Tokens order nothing more: a call of the host loses its token, and the layout that was given for it.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>
// CHECK: hlo.custom_call %[[X]] {
// CHECK-SAME: operand_layout_constraints = [tensor<2x3xf32, #hlo.layout<[0, 1]>>]
!seen = tuple<!hlo.token, tensor<2x3xf32>>
hlo.computation @main(%t: !hlo.token, %x: tensor<2x3xf32>) -> !seen attributes {entry} {
  %0 = hlo.custom_call %t, %x {custom_call_target = "observe", operand_layout_constraints = [!hlo.token, tensor<2x3xf32, #hlo.layout<[0, 1]>>]} : (!hlo.token, tensor<2x3xf32>) -> !seen
  hlo.return %0 : !seen
}
