// RUN: hlo-opt --simplify --split-input-file %s | FileCheck %s

// -0 is the identity element of float addition, 0 is not: -0 + 0 is 0.
// CHECK-LABEL: func.func @zeros
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi32>)
// CHECK: %[[S:.*]] = hlo.add %[[X]],
// CHECK: return %[[S]], %[[X]], %[[X]], %[[I]]
func.func @zeros(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
  %zero = hlo.constant(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
  %minus = hlo.constant(dense<-0.0> : tensor<4xf32>) : tensor<4xf32>
  %none = hlo.constant(dense<0> : tensor<4xi32>) : tensor<4xi32>
  %0 = hlo.add %x, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = hlo.add %minus, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = hlo.subtract %x, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = hlo.add %i, %none : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>
}

// -----

// Only powers of two have exact inverses.
// CHECK-LABEL: func.func @quotients
// CHECK-DAG: %[[E:.*]] = hlo.constant(dense<1.250000e-01> : tensor<f32>)
// CHECK-DAG: %[[B:.*]] = hlo.broadcast %[[E]]
// CHECK: hlo.multiply %arg0, %[[B]]
// CHECK: hlo.divide %arg0,
// CHECK: hlo.shift_right_logical %arg1
// CHECK: hlo.and %arg1
func.func @quotients(%x: tensor<4xf32>, %u: tensor<4xui32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xui32>, tensor<4xui32>) {
  %eight = hlo.constant(dense<8.0> : tensor<4xf32>) : tensor<4xf32>
  %three = hlo.constant(dense<3.0> : tensor<4xf32>) : tensor<4xf32>
  %sixteen = hlo.constant(dense<16> : tensor<4xui32>) : tensor<4xui32>
  %0 = hlo.divide %x, %eight : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = hlo.divide %x, %three : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = hlo.divide %u, %sixteen : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  %3 = hlo.remainder %u, %sixteen : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xui32>, tensor<4xui32>
}

// -----

// x^2 is x*x; x^0.5 is sqrt(x) but for -inf.
// CHECK-LABEL: func.func @powers
// CHECK: %[[Q:.*]] = hlo.multiply %arg0, %arg0
// CHECK: hlo.sqrt
// CHECK: hlo.select
// CHECK-NOT: hlo.power
// CHECK: return %[[Q]]
func.func @powers(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %two = hlo.constant(dense<2.0> : tensor<4xf32>) : tensor<4xf32>
  %half = hlo.constant(dense<0.5> : tensor<4xf32>) : tensor<4xf32>
  %0 = hlo.power %x, %two : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = hlo.power %x, %half : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A conversion can be left out only if it keeps every value.
// CHECK-LABEL: func.func @conversions
// CHECK-SAME: (%[[B:.*]]: tensor<4xbf16>, %[[X:.*]]: tensor<4xf32>)
// CHECK: %[[N:.*]] = hlo.convert %[[X]] : (tensor<4xf32>) -> tensor<4xbf16>
// CHECK: %[[W:.*]] = hlo.convert %[[N]] : (tensor<4xbf16>) -> tensor<4xf32>
// CHECK: return %[[B]], %[[W]]
func.func @conversions(%b: tensor<4xbf16>, %x: tensor<4xf32>) -> (tensor<4xbf16>, tensor<4xf32>) {
  %0 = hlo.convert %b : (tensor<4xbf16>) -> tensor<4xf32>
  %1 = hlo.convert %0 : (tensor<4xf32>) -> tensor<4xbf16>
  %2 = hlo.convert %x : (tensor<4xf32>) -> tensor<4xbf16>
  %3 = hlo.convert %2 : (tensor<4xbf16>) -> tensor<4xf32>
  return %1, %3 : tensor<4xbf16>, tensor<4xf32>
}

// -----

// By way of a float an integer saturates, where it would wrap if it were converted at once; but not if it fits.
// CHECK-LABEL: func.func @saturating
// CHECK: %[[F:.*]] = hlo.convert %arg0 : (tensor<4xi8>) -> tensor<4xf32>
// CHECK: %[[U:.*]] = hlo.convert %[[F]] : (tensor<4xf32>) -> tensor<4xui8>
// CHECK: %[[W:.*]] = hlo.convert %arg0 : (tensor<4xi8>) -> tensor<4xi16>
// CHECK: %[[N:.*]] = hlo.convert %arg0 : (tensor<4xi8>) -> tensor<4xi4>
// CHECK: return %[[U]], %[[W]], %[[N]]
func.func @saturating(%x: tensor<4xi8>) -> (tensor<4xui8>, tensor<4xi16>, tensor<4xi4>) {
  %0 = hlo.convert %x : (tensor<4xi8>) -> tensor<4xf32>
  %1 = hlo.convert %0 : (tensor<4xf32>) -> tensor<4xui8>
  %2 = hlo.convert %0 : (tensor<4xf32>) -> tensor<4xi16>
  %3 = hlo.convert %x : (tensor<4xi8>) -> tensor<4xi32>
  %4 = hlo.convert %3 : (tensor<4xi32>) -> tensor<4xi4>
  return %1, %2, %4 : tensor<4xui8>, tensor<4xi16>, tensor<4xi4>
}

// -----

// Choices that are known, and a pred that went through a number.
// CHECK-LABEL: func.func @choices
// CHECK-SAME: (%[[P:.*]]: tensor<4xi1>, %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
// CHECK: %[[S:.*]] = hlo.select %[[P]], %[[Y]], %[[X]]
// CHECK: return %[[X]], %[[S]], %[[P]]
func.func @choices(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi1>) {
  %true = hlo.constant(dense<true> : tensor<4xi1>) : tensor<4xi1>
  %zero = hlo.constant(dense<0> : tensor<4xi32>) : tensor<4xi32>
  %0 = hlo.select %true, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = hlo.not %p : (tensor<4xi1>) -> tensor<4xi1>
  %2 = hlo.select %1, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = hlo.convert %p : (tensor<4xi1>) -> tensor<4xi32>
  %4 = hlo.compare %3, %zero {direction = #hlo.direction<NE>} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  return %0, %2, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xi1>
}
