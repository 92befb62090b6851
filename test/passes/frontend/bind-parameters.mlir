// RUN: hlo-opt --bind-parameters --split-input-file --verify-diagnostics %s | FileCheck %s

// The second of three parameters is replaced by a constant; aliases, donors and layouts are adapted.
// CHECK: module attributes {hlo.bound_parameters = [{from = "w.npz:w", name = "w", type = tensor<2x2xf32>}],
// CHECK-SAME: hlo.buffer_donor = [#hlo.alias<[] : 0[] "">],
// CHECK-SAME: hlo.entry_computation_layout = (tensor<2x2xf32>, tensor<2x2xf32, #hlo.layout<[0, 1]>>) -> tensor<2x2xf32>,
// CHECK-SAME: hlo.input_output_alias = [#hlo.alias<[] : 1[] "may-alias">]}
// CHECK: hlo.computation @main(%[[X:.*]]: tensor<2x2xf32>, %[[STATE:.*]]: tensor<2x2xf32> {hlo.sharding = "{replicated}"}) -> tensor<2x2xf32>
// CHECK-NEXT: %[[W:.*]] = hlo.constant(dense<{{.*}}1.000000e+00, 2.000000e+00{{.*}}> : tensor<2x2xf32>)
// CHECK-NEXT: hlo.add %[[X]], %[[W]]
#w = {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>, from = "w.npz:w"}
module attributes {hlo.buffer_donor = [#hlo.alias<[] : 0 [] "">], hlo.entry_computation_layout = (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32, #hlo.layout<[0, 1]>>) -> tensor<2x2xf32>, hlo.input_output_alias = [#hlo.alias<[] : 2 [] "may-alias">]} {
  hlo.computation @main(%x: tensor<2x2xf32>, %w: tensor<2x2xf32> {hlo.bound = [#w]} loc("w"), %state: tensor<2x2xf32> {hlo.sharding = "{replicated}"}) -> tensor<2x2xf32> attributes {entry} {
    %0 = hlo.add %x, %w : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    hlo.return %0 : tensor<2x2xf32>
  }
}

// -----

// Of a tuple the arrays that are not bound become parameters of their own.
// CHECK: hlo.bound_parameters = [{from = "b.npy", name = "t.1.0", type = tensor<3xf32>}]
// CHECK-SAME: hlo.input_output_alias = [#hlo.alias<[] : 1[] "must-alias">]
// CHECK: hlo.computation @main(%[[A:.*]]: tensor<2xf32>, %[[C:.*]]: tensor<4xf32>
// CHECK-DAG: %[[B:.*]] = hlo.constant(dense<1.000000e+00> : tensor<3xf32>)
// CHECK: %[[INNER:.*]] = hlo.tuple %[[B]], %[[C]]
// CHECK: %[[T:.*]] = hlo.tuple %[[A]], %[[INNER]]
// CHECK: hlo.get_tuple_element %[[T]]
!t = tuple<tensor<2xf32>, tuple<tensor<3xf32>, tensor<4xf32>>>
#b = {value = dense<1.0> : tensor<3xf32>, from = "b.npy"}
module attributes {hlo.input_output_alias = [#hlo.alias<[] : 0 [1, 1] "must-alias">]} {
  hlo.computation @main(%t: !t {hlo.bound = [unit, #b, unit]} loc("t")) -> tensor<4xf32> attributes {entry} {
    %0 = hlo.get_tuple_element %t {index = 1 : i64} : (!t) -> tuple<tensor<3xf32>, tensor<4xf32>>
    %1 = hlo.get_tuple_element %0 {index = 1 : i64} : (tuple<tensor<3xf32>, tensor<4xf32>>) -> tensor<4xf32>
    hlo.return %1 : tensor<4xf32>
  }
}

// -----

#w = {value = dense<1.0> : tensor<2xf32>, from = "w.npy"}
module attributes {hlo.input_output_alias = [#hlo.alias<[] : 0 [] "may-alias">]} {
  // expected-error @+1 {{the parameter's memory is given to the module (input_output_alias), so it cannot be bound}}
  hlo.computation @main(%w: tensor<2xf32> {hlo.bound = [#w]}) -> tensor<2xf32> attributes {entry} {
    hlo.return %w : tensor<2xf32>
  }
}

// -----

#w = {value = dense<1.0> : tensor<2xf32>, from = "w.npy"}
// expected-error @+1 {{expected a value of type 'tensor<3xf32>' but got 'tensor<2xf32>'}}
hlo.computation @main(%w: tensor<3xf32> {hlo.bound = [#w]}) -> tensor<3xf32> attributes {entry} {
  hlo.return %w : tensor<3xf32>
}

// -----

#w = {value = dense<1.0> : tensor<2xf32>, from = "w.npy"}
// expected-error @+1 {{whose size is known at run time cannot be bound}}
hlo.computation @main(%w: tensor<?xf32, #hlo.layout<[0] bounds = [2]>> {hlo.bound = [#w]}) -> tensor<?xf32, #hlo.layout<[0] bounds = [2]>> attributes {entry} {
  hlo.return %w : tensor<?xf32, #hlo.layout<[0] bounds = [2]>>
}
