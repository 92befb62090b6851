// SPDX-License-Identifier: Apache-2.0
// Fourier transforms: hlort_fft.
#include "codegen/calls/Calls.h"
#include "codegen/program/ElementNames.h"

using namespace mlir;

namespace hloc {

LogicalResult emitFft(RuntimeCallBuilder &call) {
  RuntimeCallSite &site = call.site;
  auto input = cast<MemRefType>(call.op.getInputs()[0].getType());
  auto kind = call.getParameter<hlo::FftTypeAttr>("fft_type");
  auto length = call.getParameter<DenseI64ArrayAttr>("fft_length");
  Type real = input.getElementType();
  if (auto complex = dyn_cast<ComplexType>(real))
    real = complex.getElementType();
  call.call("hlort_fft",
            {site.context, call.i32(int32_t(kind.getValue())),
             call.i32(getElementInfo(real).number), call.i32(input.getRank()),
             call.numbers(input.getShape()), call.i32(length.size()),
             call.numbers(length.asArrayRef()), site.inputs[0], site.outputs[0], site.status});
  return success();
}

} // namespace hloc
