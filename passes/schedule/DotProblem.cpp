// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/DotProblem.h"
#include "compiler/hlo/Movement.h"
#include "compiler/target/VectorAccess.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/kernels/FuseIndexMaps.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// The most columns, and the least rows and depth, with which operands are exchanged so that lanes
/// lie along the depth.
static constexpr int64_t kFewColumns = 4, kManyRows = 9, kLongDepth = 64;

Value getLarger(Value value) {
  if (auto slice = value.getDefiningOp<hlo::DynamicSliceOp>())
    return slice.getOperand();
  auto reshape = value.getDefiningOp<hlo::ReshapeOp>();
  return reshape && hlo::isUnitReshape(reshape) ? reshape.getOperand() : Value();
}

BlockArgument findWhole(Value value) {
  while (value && !isa<BlockArgument>(value))
    value = getLarger(value);
  return dyn_cast_if_present<BlockArgument>(value);
}

Value getSource(Value value) {
  if (Value larger = getLarger(value))
    return larger;
  Operation *op = value.getDefiningOp();
  if (!op || !(op->hasTrait<hlo::Elementwise>() || isa<hlo::ReshapeOp>(op)))
    return {};
  for (Value operand : op->getOperands()) {
    bool isRepeated =
        isa_and_nonnull<hlo::BroadcastOp, hlo::IotaOp, hlo::ConstantOp>(operand.getDefiningOp());
    if (!isRepeated && fuse::elementsOf(operand.getType()) == fuse::elementsOf(value.getType()))
      return operand;
  }
  return {};
}

BlockArgument findOrigin(Value value) {
  while (value && !isa<BlockArgument>(value))
    value = getSource(value);
  return dyn_cast_if_present<BlockArgument>(value);
}

int64_t getRun(Value value) {
  int64_t run = fuse::kView;
  for (; value && !isa<BlockArgument>(value); value = getSource(value))
    if (auto reshape = value.getDefiningOp<hlo::ReshapeOp>())
      run = std::min(run, fuse::getRun(reshape));
  return run;
}

Type getAccumulatorType(Type result) {
  auto narrow = dyn_cast<FloatType>(result);
  return narrow && narrow.getWidth() < 32 ? Float32Type::get(result.getContext()) : result;
}

/// The dimensions below `rank` that are in neither list.
static SmallVector<int64_t> getRest(int64_t rank, ArrayRef<int64_t> x, ArrayRef<int64_t> y) {
  return llvm::filter_to_vector(llvm::seq<int64_t>(rank), [&](int64_t d) {
    return !llvm::is_contained(x, d) && !llvm::is_contained(y, d);
  });
}

/// The sizes of `dimensions`, and their product.
static int64_t getSizes(RankedTensorType type, ArrayRef<int64_t> dimensions,
                        SmallVectorImpl<int64_t> &sizes) {
  int64_t product = 1;
  for (int64_t d : dimensions) {
    sizes.push_back(type.getDimSize(d));
    product *= type.getDimSize(d);
  }
  return product;
}

/// The only user of `value` behind reshapes that add or drop dimensions of size one; null if there
/// are several. Sets `value` to what that operation uses.
static Operation *getOnlyUser(Value &value) {
  while (value.hasOneUse()) {
    Operation *user = *value.user_begin();
    if (!isa<hlo::ReshapeOp>(user) || skipUnitReshapes(user->getResult(0)) == user->getResult(0))
      return user;
    value = user->getResult(0);
  }
  return nullptr;
}

/// The input whose memory the only result of a kernel overwrites; -1 if there is none.
static int64_t getReuse(Operation *kernel) {
  ArrayRef<int64_t> reuse;
  if (auto op = dyn_cast<hlo::KernelOp>(kernel))
    reuse = op.getReuse();
  else if (auto function = dyn_cast<hlo::KernelFunctionOp>(kernel))
    reuse = function.getReuse();
  return reuse.size() == 1 ? reuse[0] : -1;
}

/// The rows in which a mask selects the results of `dot`, if the memory keeps its old contents
/// everywhere else.
static MaskedRange findLiveResults(hlo::DotOp dot) {
  Value product = dot.getResult();
  auto select = dyn_cast_or_null<hlo::SelectOp>(getOnlyUser(product));
  if (!select || select.getOnTrue() != product)
    return {};
  Value written = select, before = skipUnitReshapes(select.getOnFalse());
  Operation *user = getOnlyUser(written);
  bool isThere = false;
  if (auto update = dyn_cast_or_null<hlo::DynamicUpdateSliceOp>(user)) {
    auto slice = before.getDefiningOp<hlo::DynamicSliceOp>();
    isThere = update.getUpdate() == written && slice && slice.getOperand() == update.getOperand() &&
              slice.getStartIndices() == update.getStartIndices() &&
              slice.getType() == update.getUpdate().getType();
  } else if (auto argument = dyn_cast<BlockArgument>(before)) {
    isThere = isa_and_nonnull<hlo::ReturnOp>(user) &&
              getReuse(dot->getParentOp()) == int64_t(argument.getArgNumber());
  }
  if (!isThere)
    return {};
  return inShape(findMaskedRange(select.getPred()),
                 cast<RankedTensorType>(select.getType()).getShape(),
                 cast<RankedTensorType>(dot.getType()).getShape());
}

DotProblem::DotProblem(hlo::DotOp dot)
    : dot(dot), result(dot.getResult()), lhs(dot.getLhs()), rhs(dot.getRhs()),
      lhsBatch(dot.getLhsBatchDims()), rhsBatch(dot.getRhsBatchDims()),
      lhsDepth(dot.getLhsContractingDims()), rhsDepth(dot.getRhsContractingDims()),
      resultType(cast<RankedTensorType>(dot.getResult().getType())) {
  auto typeOf = [](Value value) { return cast<RankedTensorType>(value.getType()); };
  auto isMinor = [](ArrayRef<int64_t> dimensions, RankedTensorType type) {
    return !dimensions.empty() && dimensions.back() == type.getRank() - 1;
  };
  lhsRows = getRest(typeOf(lhs).getRank(), lhsBatch, lhsDepth);
  rhsColumns = getRest(typeOf(rhs).getRank(), rhsBatch, rhsDepth);
  batches = getSizes(typeOf(lhs), lhsBatch, batchSizes);
  rows = getSizes(typeOf(lhs), lhsRows, rowSizes);
  columns = getSizes(typeOf(rhs), rhsColumns, columnSizes);
  depth = getSizes(typeOf(lhs), lhsDepth, depthSizes);
  bool fewColumns = columns <= kFewColumns && rows >= kManyRows && depth >= kLongDepth &&
                    isMinor(lhsDepth, typeOf(lhs));
  swapped = rows > columns && (columns == 1 || fewColumns);
  if (swapped) {
    std::swap(lhs, rhs);
    std::swap(lhsBatch, rhsBatch);
    std::swap(lhsDepth, rhsDepth);
    std::swap(lhsRows, rhsColumns);
    std::swap(rowSizes, columnSizes);
    std::swap(rows, columns);
    depthSizes.clear();
    getSizes(typeOf(lhs), lhsDepth, depthSizes);
  }
  lhsType = typeOf(lhs);
  rhsType = typeOf(rhs);
  element = getAccumulatorType(resultType.getElementType());
  depthIsMinorOfRhs = isMinor(rhsDepth, rhsType);
  int64_t minor = rhsType.getRank() - 1;
  columnsInterleaveDepth = columns > 1 && columns <= kMostInterleaved &&
                           rhsColumns == ArrayRef<int64_t>{minor} && !rhsDepth.empty() &&
                           rhsDepth.back() == minor - 1;
  lhsIsTransposed = rows > 1 && depth > 1 && isMinor(lhsRows, lhsType);
  bool plain = element.isF32() || element.isF64();
  lhsInPlace = plain && isa<BlockArgument>(lhs) && lhsType.getElementType() == element;
  rhsWhole = findWhole(rhs);
  liveRows = findLiveResults(dot);
  if (swapped || lhsRows.size() != 1 || liveRows.dimension != int64_t(lhsBatch.size()))
    liveRows = {}; // in the result, rows follow the batches
  liveDepth = findNonZero(lhs);
  MaskedRange right = findNonZero(rhs);
  bool areAlike = liveDepth.begin == right.begin && liveDepth.end == right.end;
  if (!areAlike || lhsDepth.size() != 1 || liveDepth.dimension != lhsDepth[0] ||
      right.dimension != rhsDepth[0])
    liveDepth = {};
  rhsIsPlain = rhsWhole && rhsType.getElementType() == element;
}

bool DotProblem::factorIsBf16() const {
  return lhsType.getElementType().isBF16() && rhsType.getElementType().isBF16();
}

int64_t DotProblem::getPartBits() const {
  Type part = isa<ComplexType>(element) ? cast<ComplexType>(element).getElementType() : element;
  return std::max<int64_t>(part.getIntOrFloatBitWidth(), 8);
}

int64_t DotProblem::getElementBytes() const {
  return getPartBits() / 8 * (isa<ComplexType>(element) ? 2 : 1);
}

SmallVector<int64_t> getPackedLeftSizes(const DotProblem &dot, int64_t rows, int64_t depth,
                                        int64_t tileRows, int64_t lineBytes) {
  int64_t width = llvm::PowerOf2Ceil(tileRows);
  int64_t apart = llvm::divideCeil(lineBytes, width * dot.getElementBytes());
  return {int64_t(llvm::divideCeil(rows, tileRows)), depth + apart, width};
}

double DotProblem::getRhsBytes() const { return fuse::bytesOf(rhsType) / batches; }

double DotProblem::getRhsWholeBytes() const {
  return rhsWhole && rhsWhole != rhs ? fuse::bytesOf(rhsWhole.getType()) : getRhsBytes();
}

} // namespace hloc
