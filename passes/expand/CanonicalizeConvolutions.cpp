// SPDX-License-Identifier: Apache-2.0
// Brings convolutions into the form `b01f_01io->b01f`, and turns those that are dots into dots
// (ConvolutionDot.h).
// Test: test/passes/expand/canonicalize-convolutions.mlir.
#include "compiler/hlo/HloDialect.h"
#include "compiler/target/TargetAttribute.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Build.h"
#include "passes/Passes.h"
#include "passes/expand/ConvolutionDot.h"
#include "passes/simplify/Match.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_CANONICALIZECONVOLUTIONS
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

using Sizes = SmallVector<int64_t>;

/// The lists of a window attribute, which are modified one by one.
struct Window {
  Sizes sizes, strides, low, high, base, dilations;

  explicit Window(WindowAttr attribute)
      : sizes(attribute.getSizes()), strides(attribute.getStrides()),
        low(attribute.getPaddingLow()), high(attribute.getPaddingHigh()),
        base(attribute.getBaseDilations()), dilations(attribute.getWindowDilations()) {}

  WindowAttr getAttr(MLIRContext *context) const {
    SmallVector<bool> reversals(sizes.size(), false);
    return WindowAttr::get(context, sizes, strides, low, high, base, dilations, reversals);
  }
};

/// True if the result or an operand has no elements.
bool isEmpty(ConvolutionOp op) {
  return llvm::any_of(ValueRange{op.getLhs(), op.getRhs(), op.getResult()},
                      [](Value array) { return arrayType(array).getNumElements() == 0; });
}

/// True if the convolution has the form of a filter's gradient: there are fewer positions than
/// taps, and the channels, which are images, are not minor in memory and at most half the taps of a
/// row.
bool hasImagesForChannels(ConvolutionOp op) {
  ConvDimensionsAttr dims = op.getDimLabels();
  RankedTensorType inputType = arrayType(op.getLhs()), resultType = arrayType(op);
  ArrayRef<int64_t> sizes = op.getWindow().getSizes();
  int64_t channels = inputType.getDimSize(dims.getInputFeature()), positions = 1;
  for (int64_t place : dims.getOutputSpatial())
    positions *= resultType.getDimSize(place);
  return op.getFeatureGroupCount() == 1 && op.getBatchGroupCount() == 1 && sizes.size() >= 2 &&
         channels > 1 && 2 * channels <= sizes.back() && positions < product(sizes) &&
         dims.getInputFeature() != inputType.getRank() - 1;
}

/// Makes the channels a dimension of the window, the last but one, and leaves one channel. Then the
/// rows of images stay contiguous.
ConvolutionOp makeChannelsPositions(ConvolutionOp op) {
  OpBuilder builder(op);
  Build build(builder, op.getLoc());
  ConvDimensionsAttr dims = op.getDimLabels();
  RankedTensorType resultType = arrayType(op);
  int64_t channels = arrayType(op.getLhs()).getDimSize(dims.getInputFeature()),
          at = op.getWindow().getSizes().size() - 1;
  auto addUnit = [&](RankedTensorType type) {
    Sizes shape(type.getShape());
    shape.push_back(1);
    return shape;
  };
  auto insert = [&](ArrayRef<int64_t> entries, int64_t entry) {
    Sizes longer(entries);
    longer.insert(longer.begin() + at, entry);
    return longer;
  };
  Window window(op.getWindow());
  SmallVector<bool> reversals(op.getWindow().getReversals());
  reversals.insert(reversals.begin() + at, false);
  auto windowAttribute =
      WindowAttr::get(op.getContext(), insert(window.sizes, channels), insert(window.strides, 1),
                      insert(window.low, 0), insert(window.high, 0), insert(window.base, 1),
                      insert(window.dilations, 1), reversals);
  int64_t rank = resultType.getRank();
  auto longerDims = ConvDimensionsAttr::get(
      op.getContext(), dims.getInputBatch(), rank,
      insert(dims.getInputSpatial(), dims.getInputFeature()), rank, dims.getKernelOutputFeature(),
      insert(dims.getKernelSpatial(), dims.getKernelInputFeature()), dims.getOutputBatch(),
      dims.getOutputFeature(), insert(dims.getOutputSpatial(), rank));
  auto longer = ConvolutionOp::create(
      builder, op.getLoc(), resultType.clone(addUnit(resultType)),
      build.reshape(op.getLhs(), addUnit(arrayType(op.getLhs()))),
      build.reshape(op.getRhs(), addUnit(arrayType(op.getRhs()))),
      /*sparsity_indices=*/ValueRange(), windowAttribute, longerDims, /*feature_group_count=*/1,
      /*batch_group_count=*/1, ConvolutionKindAttr(), op.getOperandPrecisionAttr(),
      op.getAlgorithmAttr(), /*sparsity_config=*/ArrayAttr());
  op.replaceAllUsesWith(build.reshape(longer, resultType.getShape()));
  op.erase();
  return longer;
}

class ConvolutionCanonicalizer {
public:
  explicit ConvolutionCanonicalizer(ConvolutionOp op)
      : op(op), builder(op), build(builder, op.getLoc()), window(op.getWindow()),
        spatial(window.sizes.size()), groups(op.getFeatureGroupCount()) {}

  void rewrite() {
    ConvDimensionsAttr dimensions = op.getDimLabels();
    RankedTensorType resultType = arrayType(op);
    Sizes lhsOrder{dimensions.getInputBatch()}, rhsOrder(dimensions.getKernelSpatial());
    Sizes resultOrder{dimensions.getOutputBatch()};
    llvm::append_range(lhsOrder, dimensions.getInputSpatial());
    lhsOrder.push_back(dimensions.getInputFeature());
    rhsOrder.append({dimensions.getKernelInputFeature(), dimensions.getKernelOutputFeature()});
    llvm::append_range(resultOrder, dimensions.getOutputSpatial());
    resultOrder.push_back(dimensions.getOutputFeature());

    lhs = build.transpose(op.getLhs(), lhsOrder);
    rhs = build.transpose(op.getRhs(), rhsOrder);
    for (int64_t dimension : resultOrder)
      shape.push_back(resultType.getDimSize(dimension));
    Value result;
    if (isEmpty(op)) {
      result = build.zero(resultType.clone(shape));
    } else {
      reverseKernel();
      groupFeaturesInsteadOfBatches();
      cropInput();
      result = makeConvolution();
    }
    if (result == op)
      return;
    result = build.transpose(result, invertPermutation(resultOrder));
    op.replaceAllUsesWith(result);
    op.erase();
  }

private:
  void reverseKernel() {
    Sizes reversed;
    for (auto [dimension, isReversed] : llvm::enumerate(op.getWindow().getReversals()))
      if (isReversed && window.sizes[dimension] != 1)
        reversed.push_back(dimension);
    rhs = build.reverse(rhs, reversed);
  }

  /// Turns group g of the batch and of the output features into group g of the features.
  void groupFeaturesInsteadOfBatches() {
    int64_t batches = op.getBatchGroupCount();
    if (batches == 1)
      return;
    Sizes split(arrayType(lhs).getShape());
    int64_t features = split.back();
    split.front() /= batches;
    split.insert(split.begin(), batches); // group, batch, spatial..., feature
    Sizes order = iotaVector(split.size());
    order.erase(order.begin());
    order.insert(order.end() - 1, 0); // batch, spatial..., group, feature
    Sizes merged(split.begin() + 1, split.end());
    merged.back() = batches * features;
    lhs = build.reshape(build.transpose(build.reshape(lhs, split), order), merged);
    groups = batches;
  }

  /// Replaces negative padding by cropping before the convolution.
  void cropInput() {
    auto isNegative = [](int64_t padding) { return padding < 0; };
    if (llvm::none_of(window.low, isNegative) && llvm::none_of(window.high, isNegative))
      return;
    Sizes low(spatial + 2, 0), high(low), interior(low);
    for (int64_t i = 0; i < spatial; ++i) {
      bool crops = window.low[i] < 0 || window.high[i] < 0;
      int64_t left = arrayType(lhs).getDimSize(1 + i) + std::min<int64_t>(window.low[i], 0) +
                     std::min<int64_t>(window.high[i], 0);
      // What is cropped is the dilated input, or more than the input, that is, padding of the other
      // side.
      if (crops && (window.base[i] != 1 || left < 0)) {
        low[1 + i] = window.low[i];
        high[1 + i] = window.high[i];
        interior[1 + i] = window.base[i] - 1;
        window.low[i] = window.high[i] = 0;
        window.base[i] = 1;
      } else if (crops) {
        low[1 + i] = std::min<int64_t>(window.low[i], 0);
        high[1 + i] = std::min<int64_t>(window.high[i], 0);
        window.low[i] -= low[1 + i];
        window.high[i] -= high[1 + i];
      }
    }
    lhs = build.pad(lhs, build.scalar(arrayType(lhs).getElementType(), 0.0), low, high, interior);
  }

  Value makeConvolution() {
    Sizes input, kernel;
    for (int64_t i = 0; i < spatial; ++i) {
      input.push_back(1 + i);
      kernel.push_back(i);
    }
    auto dimensions = ConvDimensionsAttr::get(builder.getContext(), 0, spatial + 1, input, spatial,
                                              spatial + 1, kernel, 0, spatial + 1, input);
    WindowAttr attribute = window.getAttr(builder.getContext());
    if (lhs == op.getLhs() && rhs == op.getRhs() && dimensions == op.getDimLabels() &&
        attribute == op.getWindow() && op.getBatchGroupCount() == 1)
      return op;
    return ConvolutionOp::create(builder, op.getLoc(), arrayType(op).clone(shape), lhs, rhs,
                                 /*sparsity_indices=*/ValueRange(), attribute, dimensions, groups,
                                 /*batch_group_count=*/1, ConvolutionKindAttr(),
                                 op.getOperandPrecisionAttr(), op.getAlgorithmAttr(),
                                 /*sparsity_config=*/ArrayAttr());
  }

  ConvolutionOp op;
  OpBuilder builder;
  Build build;
  Window window;
  int64_t spatial, groups;
  Value lhs, rhs;
  Sizes shape; // of the result: batch, spatial..., feature
};

struct CanonicalizeConvolutions
    : hloc::impl::CanonicalizeConvolutionsBase<CanonicalizeConvolutions> {
  void runOnOperation() override {
    FailureOr<Target> target = getMainTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    SmallVector<ConvolutionOp> convolutions;
    getOperation().walk([&](ConvolutionOp op) { convolutions.push_back(op); });
    for (ConvolutionOp op : convolutions) {
      ConvolutionDot dot(op);
      if (!isEmpty(op) && dot.isPossible() && dot.isWorthwhile(*target)) {
        op.replaceAllUsesWith(dot.build());
        op.erase();
      } else {
        bool isGradient = !isEmpty(op) && hasImagesForChannels(op);
        ConvolutionCanonicalizer(isGradient ? makeChannelsPositions(op) : op).rewrite();
      }
    }
  }
};

} // namespace
