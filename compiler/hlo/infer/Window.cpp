// SPDX-License-Identifier: Apache-2.0
// Windows, and the operations that move them over an array.
#include "compiler/hlo/infer/Rules.h"
#include "compiler/hlo/infer/Signatures.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"
#include <array>

using namespace mlir;

namespace hloc::hlo {

/// `size` elements with `dilation - 1` holes between them; nothing on overflow.
static std::optional<int64_t> dilate(int64_t size, int64_t dilation) {
  if (size == 0)
    return 0;
  return llvm::checkedMulAdd<int64_t>(size - 1, dilation, 1);
}

FailureOr<SmallVector<int64_t>> inferWindowed(const Rule &rule, Sizes base, WindowAttr window) {
  size_t rank = base.size();
  // C1: one entry per dimension.
  if (failed(expectCount(rule, window.getSizes().size(), rank, "window dimensions")))
    return failure();
  SmallVector<int64_t> sizes;
  for (size_t d = 0; d < rank; ++d) {
    auto get = [d](ArrayRef<int64_t> list, int64_t missing) {
      return d < list.size() ? list[d] : missing;
    };
    int64_t size = window.getSizes()[d], stride = get(window.getStrides(), 1);
    int64_t low = get(window.getPaddingLow(), 0), high = get(window.getPaddingHigh(), 0);
    int64_t baseDilation = get(window.getBaseDilations(), 1);
    int64_t windowDilation = get(window.getWindowDilations(), 1);
    for (auto [value, name] : {std::pair(size, "size"),
                               {stride, "stride"},
                               {baseDilation, "lhs_dilate"},
                               {windowDilation, "rhs_dilate"}})
      if (value < 1) // C2
        return rule.fail(Error::Window) << "expected window " << name << " of dimension " << d
                                        << " to be at least 1 but got " << value;
    if (base[d] == kUnbounded) {
      sizes.push_back(kUnbounded);
      continue;
    }
    std::optional<int64_t> padded = dilate(base[d], baseDilation);
    padded = padded ? addPadding(*padded, low, high) : padded;
    std::optional<int64_t> extent = dilate(size, windowDilation);
    if (!padded || !extent) // C3
      return rule.fail(Error::TooLarge) << "the window of dimension " << d << " is too large";
    if (*padded < 0) // C4
      return rule.fail(Error::Window) << "expected the padding of dimension " << d
                                      << " to leave at least 0 elements but it leaves " << *padded;
    sizes.push_back(*padded == 0 || *extent > *padded ? 0 : (*padded - *extent) / stride + 1);
  }
  return sizes;
}

/// The array that results from windows over `array`.
static FailureOr<Shape> inferWindowed(const Rule &rule, RankedTensorType array, WindowAttr window,
                                      Type element) {
  Shape base(array);
  auto sizes = inferWindowed(rule, base.sizes, window);
  if (failed(sizes))
    return failure();
  base.element = element;
  base.sizes.assign(sizes->begin(), sizes->end());
  return base;
}

FailureOr<Type> infer(ReduceWindowOp::Adaptor op, const Rule &rule) {
  auto parts = expectReducible(rule, op.getArrays().getTypes());
  if (failed(parts))
    return failure();
  auto elements = expectReducer(rule, op.getToApplyAttr(), parts->getInputElements(),
                                parts->getInitialElements());
  if (failed(elements))
    return failure();
  SmallVector<Type> results;
  for (Type element : elements->types) {
    auto shape = inferWindowed(rule, parts->inputs.front(), op.getWindow(), element);
    if (failed(shape))
      return failure();
    results.push_back(shape->getType());
  }
  return elements->pack(results);
}

FailureOr<Type> infer(SelectAndScatterOp::Adaptor op, const Rule &rule) {
  auto operand = expectArray(rule, op.getOperand().getType(), "the operand");
  auto source = expectArray(rule, op.getSource().getType(), "source");
  if (failed(operand) || failed(source) ||
      failed(expectScalar(rule, op.getInit().getType(), "init")))
    return failure();
  auto windowed = inferWindowed(rule, *operand, op.getWindow(), operand->getElementType());
  if (failed(windowed))
    return failure();
  if (failed(
          expectSameElement(rule, operand->getElementType(), source->getElementType(), "source")))
    return failure();
  if (!sizesAgree(getBounds(*source), windowed->sizes)) // C5
    return rule.fail(Error::ShapesDiffer)
           << "expected source to have one element a window, " << toText(Type(windowed->getType()))
           << ", but got " << toText(Type(*source));
  Type element = operand->getElementType();
  if (failed(expectComparator(rule, op.getSelectAttr(), {element, element})) ||
      failed(expectReducer(rule, op.getScatterAttr(), {source->getElementType()},
                           {getElementTypeOrSelf(op.getInit())})))
    return failure();
  return Type(*operand);
}

//===- Convolution ---------------------------------------------------------===//

/// C6: the numbers name each dimension of an array once.
static LogicalResult expectLabels(const Rule &rule, int64_t first, int64_t second, Sizes spatial,
                                  StringRef what) {
  SmallVector<int64_t> all = {first, second};
  all.append(spatial.begin(), spatial.end());
  SmallVector<bool> seen(all.size());
  for (int64_t number : all) {
    if (number < 0 || number >= int64_t(all.size()) || seen[number])
      return rule.fail(Error::Convolution)
             << "expected dim_labels to name each dimension of " << what << " once";
    seen[number] = true;
  }
  return success();
}

/// C14 to C16: sparse operands represent more input features than they contain. Sets `features` of
/// lhs and of rhs to those of the dense arrays.
static LogicalResult applySparsity(const Rule &rule, ConvolutionOp::Adaptor op,
                                   std::array<int64_t, 2> &features) {
  ConvDimensionsAttr labels = op.getDimLabels();
  int64_t dimensions[] = {labels.getInputFeature(), labels.getKernelInputFeature()};
  SmallVector<bool> named(op.getSparsityIndices().size());
  std::array<bool, 2> seen{};
  if (ArrayAttr config = op.getSparsityConfigAttr())
    for (auto sparsity : config.getAsRange<SparsityAttr>()) {
      int64_t number = sparsity.getNumber(), kept = sparsity.getNonZeros(),
              block = sparsity.getBlockSize();
      StringRef what = number ? "rhs" : "lhs";
      if (number < 0 || number > 1 || seen[number]) // C14
        return rule.fail(Error::Convolution)
               << "expected sparsity_config of lhs and rhs, each once";
      seen[number] = true;
      if (sparsity.getDimension() != dimensions[number])
        return rule.fail(Error::Convolution)
               << "expected " << what << " to be sparse along its input features, dimension "
               << dimensions[number] << ", but got " << sparsity.getDimension();
      if (kept < 1 || kept > block)
        return rule.fail(Error::Convolution)
               << "expected " << what << " to have at least 1 element of a block and no more than "
               << "the block has, " << block << ", but got " << kept;
      int64_t &size = features[number];
      int64_t stored, dense;
      if (size == kUnbounded ||
          llvm::MulOverflow(kept, std::max<int64_t>(sparsity.getStride(), 1), stored) ||
          size % stored != 0 || llvm::MulOverflow(size / kept, block, dense)) // C15
        return rule.fail(Error::Convolution)
               << "expected the input features of " << what << " to make whole blocks but got "
               << toText(Sizes{size});
      size = dense;
      int64_t place = sparsity.getIndices() - 2;
      if (sparsity.getIndices() == -1)
        continue;
      if (place < 0 || place >= int64_t(named.size()) || named[place]) // C16
        return rule.fail(Error::Convolution)
               << "expected idx of " << what << " to name an operand of its own after lhs and rhs "
               << "but got " << sparsity.getIndices();
      named[place] = true;
      auto values = cast<RankedTensorType>((number ? op.getRhs() : op.getLhs()).getType());
      auto indices = expectArray(rule, op.getSparsityIndices()[place].getType(), "indices");
      if (failed(indices))
        return failure();
      if (!isInteger(indices->getElementType()) || !shapesAgree(*indices, values))
        return rule.fail(Error::Convolution) << "expected integers, one for each element of "
                                             << what << ", but got " << toText(Type(*indices));
    }
  if (!llvm::all_of(named, [](bool is) { return is; }))
    return rule.fail(Error::Convolution)
           << "expected sparsity_config to name all operands after lhs and rhs";
  return success();
}

FailureOr<Type> infer(ConvolutionOp::Adaptor op, const Rule &rule) {
  auto lhs = expectArray(rule, op.getLhs().getType(), "lhs");
  auto rhs = expectArray(rule, op.getRhs().getType(), "rhs");
  if (failed(lhs) || failed(rhs))
    return failure();
  ConvDimensionsAttr labels = op.getDimLabels();
  int64_t spatial = labels.getInputSpatial().size();
  int64_t featureGroups = op.getFeatureGroupCount(), batchGroups = op.getBatchGroupCount();

  // C5: the same number of spatial dimensions everywhere.
  if (failed(expectCount(rule, labels.getKernelSpatial().size(), spatial,
                         "kernel spatial dimensions")) ||
      failed(expectCount(rule, labels.getOutputSpatial().size(), spatial,
                         "output spatial dimensions")) ||
      failed(expectRank(rule, *lhs, spatial + 2, "lhs")) ||
      failed(expectRank(rule, *rhs, spatial + 2, "rhs")) ||
      failed(expectLabels(rule, labels.getInputBatch(), labels.getInputFeature(),
                          labels.getInputSpatial(), "lhs")) ||
      failed(expectLabels(rule, labels.getKernelInputFeature(), labels.getKernelOutputFeature(),
                          labels.getKernelSpatial(), "rhs")) ||
      failed(expectLabels(rule, labels.getOutputBatch(), labels.getOutputFeature(),
                          labels.getOutputSpatial(), "the result")))
    return failure();

  // C7: group counts.
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  if (failed(expectRange(rule, featureGroups, 1, kMax, "feature_group_count")) ||
      failed(expectRange(rule, batchGroups, 1, kMax, "batch_group_count")))
    return failure();
  if (featureGroups > 1 && batchGroups > 1)
    return rule.fail(Error::Convolution)
           << "expected feature_group_count or batch_group_count to be 1 but got " << featureGroups
           << " and " << batchGroups;

  Shape input(*lhs), kernel(*rhs);
  int64_t batch = input.sizes[labels.getInputBatch()];
  std::array<int64_t, 2> inputFeatures{input.sizes[labels.getInputFeature()],
                                       kernel.sizes[labels.getKernelInputFeature()]};
  if (failed(applySparsity(rule, op, inputFeatures)))
    return failure();
  auto [features, kernelFeatures] = inputFeatures;
  int64_t outputs = kernel.sizes[labels.getKernelOutputFeature()];
  auto divides = [](int64_t count, int64_t size) {
    return size == kUnbounded || size % count == 0;
  };
  if (!divides(featureGroups, features) ||
      !sizesAgree(features == kUnbounded ? features : features / featureGroups,
                  kernelFeatures)) // C8
    return rule.fail(Error::Convolution)
           << "expected lhs to have feature_group_count times the input features of rhs but got "
           << toText(Sizes{features}) << " and " << featureGroups << " times "
           << toText(Sizes{kernelFeatures});
  if (!divides(featureGroups, outputs)) // C9
    return rule.fail(Error::Convolution) << "expected feature_group_count " << featureGroups
                                         << " to divide the output features, " << outputs;
  if (!divides(batchGroups, batch)) // C10
    return rule.fail(Error::Convolution) << "expected batch_group_count " << batchGroups
                                         << " to divide the input batch, " << batch;
  if (!divides(batchGroups, outputs)) // C11
    return rule.fail(Error::Convolution) << "expected batch_group_count " << batchGroups
                                         << " to divide the output features, " << outputs;

  // C12: the window has the size of the kernel.
  SmallVector<int64_t> base, kernelSizes;
  for (int64_t d = 0; d < spatial; ++d) {
    base.push_back(input.sizes[labels.getInputSpatial()[d]]);
    kernelSizes.push_back(kernel.sizes[labels.getKernelSpatial()[d]]);
  }
  if (failed(expectCount(rule, op.getWindow().getSizes().size(), spatial, "window dimensions")))
    return failure();
  if (!sizesAgree(kernelSizes, op.getWindow().getSizes()))
    return rule.fail(Error::Convolution)
           << "expected a window of the kernel's size " << toText(Sizes(kernelSizes)) << " but got "
           << toText(Sizes(op.getWindow().getSizes()));
  auto windowed = inferWindowed(rule, base, op.getWindow());
  if (failed(windowed))
    return failure();
  if (kernel.dynamic[labels.getKernelOutputFeature()] && outputs != kUnbounded) // C13
    return rule.fail(Error::Dynamic) << "expected the output features of rhs to be static";

  Shape result(inferProduct(rule, *lhs, *rhs), SmallVector<int64_t>(spatial + 2, 0));
  auto set = [&](int64_t d, int64_t size, bool isDynamic) {
    result.sizes[d] = size;
    result.dynamic[d] = isDynamic || size == kUnbounded;
  };
  set(labels.getOutputBatch(), batch == kUnbounded ? batch : batch / batchGroups,
      input.dynamic[labels.getInputBatch()]);
  set(labels.getOutputFeature(), outputs, false);
  for (int64_t d = 0; d < spatial; ++d)
    set(labels.getOutputSpatial()[d], (*windowed)[d],
        input.dynamic[labels.getInputSpatial()[d]] || kernel.dynamic[labels.getKernelSpatial()[d]]);
  return Type(result.getType());
}

} // namespace hloc::hlo
