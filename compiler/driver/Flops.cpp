// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/Flops.h"
#include "codegen/emit/Memory.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hloc {

namespace {

RankedTensorType arrayOf(Value value) { return cast<RankedTensorType>(value.getType()); }

int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

/// Factor for one element: 0 for integers, 2 for complex numbers.
int64_t parts(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  return isa<ComplexType>(element) ? 2 : isa<FloatType>(element) ? 1 : 0;
}

/// Float operations of one application of a computation.
int64_t countComputation(FlatSymbolRefAttr name, ModuleOp program) {
  int64_t flops = 0;
  if (auto computation = program.lookupSymbol<hlo::ComputationOp>(name.getValue()))
    for (Operation &op : computation.getBody().front())
      if (op.hasTrait<hlo::Elementwise>())
        flops += parts(op.getResult(0));
  return flops;
}

int64_t countOperation(Operation *op, ModuleOp program) {
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([](hlo::DotOp dot) {
        int64_t depth = 1;
        for (int64_t dimension : dot.getLhsContractingDims())
          depth *= arrayOf(dot.getLhs()).getDimSize(dimension);
        return 2 * depth * arrayOf(dot).getNumElements() * parts(dot);
      })
      .Case([](hlo::ConvolutionOp convolution) {
        RankedTensorType filter = arrayOf(convolution.getRhs());
        int64_t features = filter.getDimSize(convolution.getDimLabels().getKernelOutputFeature());
        int64_t taps = features ? filter.getNumElements() / features : 0;
        return 2 * taps * arrayOf(convolution).getNumElements() * parts(convolution);
      })
      .Case([&](hlo::ReduceOp reduce) {
        return countComputation(reduce.getToApplyAttr(), program) *
               arrayOf(reduce.getInputs()[0]).getNumElements();
      })
      .Case([&](hlo::ReduceWindowOp reduce) {
        return countComputation(reduce.getToApplyAttr(), program) *
               product(reduce.getWindow().getSizes()) *
               arrayOf(reduce.getResults()[0]).getNumElements();
      })
      .Case([&](hlo::ScatterOp scatter) {
        return countComputation(scatter.getToApplyAttr(), program) *
               arrayOf(scatter.getInputs().back()).getNumElements();
      })
      .Case([&](hlo::ScanOp scan) {
        // The computation applies to slices across the scanned dimension.
        int64_t flops = 0;
        if (auto body = program.lookupSymbol<hlo::ComputationOp>(scan.getToApply()))
          for (Operation &inner : body.getBody().front())
            flops += countOperation(&inner, program);
        return flops * arrayOf(scan.getArrays()[0]).getDimSize(scan.getDimensions()[0]);
      })
      .Default([](Operation *other) -> int64_t {
        if (!other->hasTrait<hlo::Elementwise>() || other->getNumResults() != 1)
          return 0;
        return parts(other->getResult(0)) * arrayOf(other->getResult(0)).getNumElements();
      });
}

} // namespace

int64_t countFlops(hlo::KernelFunctionOp kernel, ModuleOp program) {
  int64_t flops = 0;
  for (Operation &op : kernel.getBody().front())
    flops += countOperation(&op, program);
  return flops;
}

Traffic countTraffic(hlo::KernelFunctionOp kernel) {
  Traffic traffic;
  Block &body = kernel.getBody().front();
  bool inPlace = kernel.getMustReuse();
  for (BlockArgument input : body.getArguments())
    if (!inPlace || !llvm::is_contained(kernel.getReuse(), int64_t(input.getArgNumber())))
      traffic.read += getByteSize(arrayOf(input));
  for (Value output : body.getTerminator()->getOperands()) {
    Operation *op = output.getDefiningOp();
    if (auto update = dyn_cast_or_null<hlo::DynamicUpdateSliceOp>(op); update && inPlace)
      traffic.written += getByteSize(arrayOf(update.getUpdate()));
    else if (auto scatter = dyn_cast_or_null<hlo::ScatterOp>(op); scatter && inPlace)
      traffic.written += getByteSize(arrayOf(scatter.getInputs().back()));
    else
      traffic.written += getByteSize(arrayOf(output));
  }
  return traffic;
}

} // namespace hloc
