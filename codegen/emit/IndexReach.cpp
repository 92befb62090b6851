// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/IndexReach.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace hloc {

/// The most lanes of a vector, which is a strip of sixteen registers of bytes: the last one of a
/// row may extend that far beyond the row.
static constexpr int64_t kMaxLanes = 16 * 64;

namespace {

/// A sum of magnitudes, or none once it overflows.
class Magnitude {
public:
  Magnitude &add(int64_t count, int64_t step = 1) {
    std::optional<int64_t> product =
        llvm::checkedMul(count, step == INT64_MIN ? INT64_MAX : std::abs(step));
    sum = sum && product ? llvm::checkedAdd(*sum, *product) : std::nullopt;
    return *this;
  }
  std::optional<int64_t> get() const { return sum; }

private:
  std::optional<int64_t> sum = 0;
};

class ReachFinder {
public:
  void visit(Operation *op) {
    for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults()))
      if (auto type = dyn_cast<RankedTensorType>(value.getType())) {
        include(Magnitude().add(type.getNumElements()));
        for (int64_t size : type.getShape())
          include(Magnitude().add(size));
      }
    TypeSwitch<Operation *>(op)
        .Case<hlo::SliceOp, hlo::PadOp, hlo::ReduceWindowOp, hlo::ConvolutionOp>(
            [&](auto same) { visitSteps(same); });
  }

  std::optional<int64_t> reach = 0;

private:
  void include(const Magnitude &magnitude) {
    std::optional<int64_t> other = magnitude.get();
    reach = reach && other ? std::optional(std::max(*reach, *other)) : std::nullopt;
  }

  void visitSteps(hlo::SliceOp op) {
    auto shape = cast<RankedTensorType>(op.getType()).getShape();
    for (auto [size, start, stride] : llvm::zip(shape, op.getStarts(), op.getStrides()))
      include(Magnitude().add(size, stride).add(kMaxLanes, stride).add(start));
  }

  void visitSteps(hlo::PadOp op) {
    auto inner = cast<RankedTensorType>(op.getOperand().getType()).getShape(),
         outer = cast<RankedTensorType>(op.getType()).getShape();
    for (size_t d = 0; d < outer.size(); ++d)
      include(Magnitude()
                  .add(outer[d])
                  .add(kMaxLanes)
                  .add(1, op.getLow()[d])
                  .add(inner[d], op.getInterior()[d])
                  .add(inner[d]));
  }

  void visitSteps(hlo::ReduceWindowOp op) {
    auto inner = cast<RankedTensorType>(op.getInputs()[0].getType()).getShape(),
         outer = cast<RankedTensorType>(op.getResult(0).getType()).getShape();
    for (size_t d = 0; d < outer.size(); ++d)
      visitWindow(op.getWindow(), d, inner[d], outer[d]);
  }

  void visitSteps(hlo::ConvolutionOp op) {
    auto inner = cast<RankedTensorType>(op.getLhs().getType()).getShape(),
         outer = cast<RankedTensorType>(op.getType()).getShape();
    hlo::ConvDimensionsAttr dims = op.getDimLabels();
    for (size_t d = 0; d < dims.getInputSpatial().size(); ++d)
      visitWindow(op.getWindow(), d, inner[dims.getInputSpatial()[d]],
                  outer[dims.getOutputSpatial()[d]]);
  }

  void visitWindow(hlo::WindowAttr window, size_t d, int64_t inner, int64_t outer) {
    include(Magnitude()
                .add(outer, window.getStrides()[d])
                .add(kMaxLanes, window.getStrides()[d])
                .add(window.getSizes()[d], window.getWindowDilations()[d])
                .add(inner, window.getBaseDilations()[d])
                .add(1, window.getBaseDilations()[d])
                .add(1, window.getPaddingLow()[d]));
  }
};

} // namespace

std::optional<int64_t> findIndexReach(hlo::KernelFunctionOp kernel) {
  ReachFinder finder;
  kernel.walk([&](Operation *op) { finder.visit(op); });
  return finder.reach;
}

} // namespace hloc
