// SPDX-License-Identifier: Apache-2.0
// The manual of the passes of this folder.

#ifndef HLOC_PASSES_BOUNDED_PASSES
#define HLOC_PASSES_BOUNDED_PASSES

include "mlir/Pass/PassBase.td"

//===- Sizes known at run time ---------------------------------------------===//

def ExpandBoundedSizes : Pass<"expand-bounded-sizes", "::mlir::ModuleOp"> {
  let summary = "Turn arrays of bounded dynamic size into arrays of the full bound and sizes";
  let description = [{
    A value with bounded dimensions becomes an array of the full bound, and for each of these
    dimensions an s32 scalar, its size; this includes values carried by loops and branches. Elements
    past the sizes ("invalid" elements) are undefined. They are masked only where they would be visible:

    - contracting and spatial dimensions of dots and convolutions: zero. A kernel whose window has a
      run-time size has no more windows than the bound allows; a kernel of floats is multiplied element
      by element, up to the size, since zero times infinity is not zero. Sparse operands become dense.
      Groups of features, or of the batch, of bounded size are moved to where groups of the bound begin;
    - transformed dimensions of `hlo.fft`: the transform has the run-time size (RFFT gives n / 2 + 1
      coefficients; IRFFT has a static length, and coefficients past the size are zero). It is computed
      with chirps, by convolutions through transforms of one static length;
    - `hlo.reduce`: the identity element; for reducers without one, a mark with each element says
      whether it is valid, and likewise for comparators of `hlo.sort`;
    - windows: the initial value; `hlo.topk`: the value that comes last; `hlo.pad`: the padding;
    - `hlo.concatenate`: each operand is written where the one before ends;
    - slices, gathers and scatters: indices are first clamped, or dropped, by the sizes;
    - `hlo.reshape`: elements move closer together, unless only the first of the dimensions that are
      merged or split has a run-time size;
    - a larger size given by `hlo.set_dimension_size`, and a static result type: zero;
    - elementwise operations on two different sizes: a size of 1 is broadcast;
    - collectives: arrays are sent together with their sizes. Along a dimension with a run-time size,
      members exchange their sizes and then parts padded to the bound, which are compacted. Conditions
      without which the collective is undefined become `hlo.require`. An all-reduce by a computation
      with loops becomes a gather and a loop over the members that skips invalid elements;
    - `hlo.scan` whose steps take or return arrays of bounded size: a loop;
    - custom calls: functions of the host get all sizes after the arrays, and return the same. Built-in
      functions get arrays of the actual sizes, which are compacted before the call and spread after it
      (`hlo.sized_arrays`);
    - `hlo.host_transfer` becomes `hlo.sized_transfer`.

    `hlo.get_dimension_size` becomes the size, and the custom calls `PadToStatic` and `SliceToDynamic`
    are expanded too. Sizes of bounded arguments and results of `@main` become additional s32 arguments
    and results after all others, with `hlo.size_of = array<i64: argument or result, dimension>`. Sizes
    of arguments are clamped to the bound. Operations without a rule are refused. Afterwards no type
    has a bound.

    ```mlir
    func.func @main(%x: tensor<?xf32, #hlo.layout<[0] bounds = [4]>>) -> tensor<f32> {
      %0 = hlo.reduce %x, %zero {dimensions = array<i64: 0>, to_apply = @add} : ...
    ```
    becomes
    ```mlir
    func.func @main(%x: tensor<4xf32>, %n: tensor<i32> {hlo.size_of = array<i64: 0, 0>}) -> tensor<f32> {
      ... // %size = %n within 0 and 4, %neutral = -0.0
      %place = hlo.iota {iota_dimension = 0} : () -> tensor<4xi32>
      %inside = hlo.compare %place, %sizes {direction = LT} : ...
      %masked = hlo.select %inside, %x, %neutral : ...
      %0 = hlo.reduce %masked, %zero {dimensions = array<i64: 0>, to_apply = @add} : ...
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::scf::SCFDialect"];
}

#endif // HLOC_PASSES_BOUNDED_PASSES
