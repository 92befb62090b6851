// SPDX-License-Identifier: Apache-2.0
// The manual of the passes of this folder.

#ifndef HLOC_PASSES_BOUNDED_PASSES
#define HLOC_PASSES_BOUNDED_PASSES

include "mlir/Pass/PassBase.td"

//===- Sizes known at run time ---------------------------------------------===//

def ExpandBoundedSizes : Pass<"expand-bounded-sizes", "::mlir::ModuleOp"> {
  let summary = "Turn arrays of bounded dynamic size into arrays of the bound and sizes";
  let description = [{
    A value with bounded dimensions becomes an array of the full bound and an s32 scalar, its size,
    for each of them, through loops and branches too. Elements past the sizes hold anything; they are
    hidden only where they would be seen:

    - contracted dimensions of dots and convolutions, and spatial ones: zero. A kernel whose window
      has a size has no more windows than the bound's; of floats its elements are multiplied one
      after the other, as many as there are, since zero times infinity is no zero. Sparse operands
      become dense here; groups of features, or of the batch, of
      bounded size are moved to where groups of the bound begin;
    - transformed dimensions of `hlo.fft`, where the size is what is transformed (of RFFT it gives
      n / 2 + 1 coefficients; IRFFT has a static length, and coefficients past the size are zero):
      chirps of the size and convolutions by transforms of one static length;
    - `hlo.reduce`: the element that changes nothing; reducers that have none get a mark beside each
      element that says whether it counts, as do comparators of `hlo.sort`;
    - windows: the initial value; `hlo.topk`: what comes last; `hlo.pad`: the padding;
    - `hlo.concatenate`: each operand is written where the one before ends, over what is past it;
    - indices of slices, gathers and scatters are clamped or dropped by sizes first;
    - `hlo.reshape` moves elements closer together unless only the first of the dimensions that it
      merges or splits has a size;
    - a greater size given by `hlo.set_dimension_size`, and a static result type: zero;
    - elementwise operations on two different sizes: one of 1 repeats;
    - collectives: sizes go with arrays that participants send each other. Along a dimension that has
      sizes, members tell each other theirs and exchange arrays of full parts, which then move closer
      together. What has to hold of sizes for the collective to mean anything is an `hlo.require`;
      An all-reduce by a computation that has loops becomes a gathering and a loop over the members,
      which passes over what lies past the sizes;
    - steps of `hlo.scan` that take or give arrays of bounded size: a loop;
    - functions of the host in custom calls get all sizes after the arrays, and give the same; those
      that are built in get arrays of the sizes, whose elements are moved together before the call
      and to their places after it (`hlo.sized_arrays`);
    - `hlo.host_transfer` becomes `hlo.sized_transfer`.

    `hlo.get_dimension_size` becomes the size; the custom calls `PadToStatic` and `SliceToDynamic`
    end here too. Sizes of bounded arguments and results of `@main` become s32 arguments and results
    after all others, which carry `hlo.size_of = array<i64: argument or result, dimension>`. Those of
    arguments are clamped to the bound. Operations without a rule are refused; afterwards no type has
    a bound.

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
