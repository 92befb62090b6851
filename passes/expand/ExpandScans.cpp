// SPDX-License-Identifier: Apache-2.0
// Scans that are not kernels become loops that slice their inputs and write slices of results.
// Test: test/passes/expand/expand-scans.mlir.
#include "mlir/IR/Matchers.h"
#include "passes/Build.h"
#include "passes/Computations.h"
#include "passes/expand/Expansions.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace {

/// The shape of slices without `dimension`.
SmallVector<int64_t> withoutDimension(ArrayRef<int64_t> shape, int64_t dimension) {
  SmallVector<int64_t> rest(shape);
  rest.erase(rest.begin() + dimension);
  return rest;
}

/// True if `computation` is elementwise on slices of `shape`.
bool isElementwise(ComputationOp computation, ArrayRef<int64_t> shape) {
  auto fits = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && (type.getRank() == 0 || type.getShape() == shape);
  };
  return llvm::all_of(computation.getBody().front().without_terminator(), [&](Operation &op) {
    if (auto broadcast = dyn_cast<BroadcastOp>(op))
      return fits(broadcast) && arrayType(broadcast.getOperand()).getRank() == 0;
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      auto value = dyn_cast<DenseElementsAttr>(constant.getValue());
      return fits(constant) && value && value.isSplat();
    }
    return (op.hasTrait<Elementwise>() || isa<CopyOp>(op)) &&
           llvm::all_of(op.getOperands(), fits) && llvm::all_of(op.getResults(), fits);
  });
}

/// True if the scan can be a kernel: its slices have one shape, and it is elementwise on them.
bool isKernel(ScanOp op, ComputationOp computation) {
  int64_t dimension = op.getDimensions()[0], carries = op.getNumCarries();
  ValueRange inputs = op.getArrays().drop_back(carries);
  if (inputs.empty())
    return false;
  ArrayRef<int64_t> shape = arrayType(inputs[0]).getShape();
  SmallVector<int64_t> slice = withoutDimension(shape, dimension);
  auto isWhole = [&](Value value) { return arrayType(value).getShape() == shape; };
  auto isSlice = [&](Value value) { return arrayType(value).getShape() == ArrayRef(slice); };
  return llvm::all_of(inputs, isWhole) &&
         llvm::all_of(op->getResults().drop_back(carries), isWhole) &&
         llvm::all_of(op.getArrays().take_back(carries), isSlice) &&
         isElementwise(computation, slice);
}

struct ExpandScan : OpRewritePattern<ScanOp> {
  using OpRewritePattern::OpRewritePattern;

  /// Start indices of slice `position` along `dimension`.
  static SmallVector<Value> getStarts(Build build, Value position, int64_t rank,
                                      int64_t dimension) {
    SmallVector<Value> starts(rank, build.index(0));
    starts[dimension] = position;
    return starts;
  }

  LogicalResult matchAndRewrite(ScanOp op, PatternRewriter &rewriter) const override {
    ComputationOp computation = lookupComputation(op, op.getToApplyAttr());
    if (!computation)
      return rewriter.notifyMatchFailure(op, "no computation");
    if (isKernel(op, computation))
      return rewriter.notifyMatchFailure(op, "a kernel steps through it");
    Build build(rewriter, op.getLoc());
    int64_t dimension = op.getDimensions()[0], carries = op.getNumCarries();
    int64_t outputs = int64_t(op->getNumResults()) - carries;
    ValueRange inputs = op.getArrays().drop_back(carries);
    if (inputs.empty() && outputs == 0)
      return rewriter.notifyMatchFailure(op, "nothing says how many steps there are");
    int64_t steps = arrayType(inputs.empty() ? op->getResult(0) : inputs[0]).getDimSize(dimension);

    // The state: carries, then outputs.
    SmallVector<Value> inits(op.getArrays().take_back(carries));
    for (Value output : op->getResults().take_front(outputs))
      inits.push_back(build.zero(arrayType(output)));
    SmallVector<Value> final(inits);
    if (steps > 0)
      final = build.countedLoop(
          steps, op.getIsReverse(), inits, [&](Build inner, Value position, ValueRange state) {
            SmallVector<Value> arguments;
            for (Value input : inputs) {
              SmallVector<int64_t> sizes(arrayType(input).getShape());
              sizes[dimension] = 1;
              Value slice = inner.dynamicSlice(
                  input, getStarts(inner, position, sizes.size(), dimension), sizes);
              arguments.push_back(inner.reshape(slice, withoutDimension(sizes, dimension)));
            }
            llvm::append_range(arguments, state.take_front(carries));
            SmallVector<Value> results = inlineComputation(inner.builder, computation, arguments);
            SmallVector<Value> next(results.begin() + outputs, results.end());
            for (auto [whole, part] : llvm::zip(state.drop_front(carries), results)) {
              SmallVector<int64_t> sizes(arrayType(whole).getShape());
              sizes[dimension] = 1;
              next.push_back(
                  inner.dynamicUpdateSlice(whole, inner.reshape(part, sizes),
                                           getStarts(inner, position, sizes.size(), dimension)));
            }
            return next;
          });
    std::rotate(final.begin(), final.begin() + carries, final.end());
    rewriter.replaceOp(op, final);
    return success();
  }
};

} // namespace

/// True if a value is log(e^x + e^y) in JAX's form: x + y where x - y is NaN, which gives NaN, else
/// max(x, y) + log1p(e^-|x - y|).
static bool isLogOfSum(Value value, Value x, Value y) {
  using matchers::m_Any;
  Value isNan, sum, greater, difference;
  if (!matchPattern(
          value, m_Op<SelectOp>(m_Any(&isNan), m_Any(&sum),
                                m_Op<AddOp>(m_Any(&greater),
                                            m_Op<LogPlusOneOp>(m_Op<ExponentialOp>(m_Op<NegateOp>(
                                                m_Op<AbsOp>(m_Any(&difference)))))))))
    return false;
  auto isOf = [&](Operation *op) {
    return op && ((op->getOperand(0) == x && op->getOperand(1) == y) ||
                  (op->getOperand(0) == y && op->getOperand(1) == x));
  };
  auto compare = isNan.getDefiningOp<CompareOp>();
  return compare && compare.getLhs() == difference && compare.getRhs() == difference &&
         compare.getDirection() == Direction::NE && isOf(sum.getDefiningOp<AddOp>()) &&
         isOf(greater.getDefiningOp<MaximumOp>()) && isOf(difference.getDefiningOp<SubtractOp>());
}

bool hloc::isAssociativeScanBody(ComputationOp computation) {
  Block &block = computation.getBody().front();
  Operation &fold = block.front(), *end = block.getTerminator();
  Value result = end->getNumOperands() ? end->getOperand(0) : Value();
  if (block.getNumArguments() == 2 && end->getNumOperands() == 2 && end->getOperand(1) == result &&
      isLogOfSum(result, block.getArgument(0), block.getArgument(1)))
    return true;
  return isa<AddOp, MultiplyOp, MaximumOp, MinimumOp, AndOp, OrOp, XorOp>(fold) &&
         fold.getNextNode() == end &&
         llvm::all_of(end->getOperands(), [&](Value value) { return value == fold.getResult(0); });
}

void hloc::dropAssociativityHints(Operation *root) {
  root->walk([](ScanOp op) {
    ComputationOp computation = lookupComputation(op, op.getToApplyAttr());
    if (op.getIsAssociative().value_or(false) && computation && !isAssociativeScanBody(computation))
      op.setIsAssociative(false);
  });
}

void hloc::populateScanExpansions(RewritePatternSet &patterns) {
  patterns.add<ExpandScan>(patterns.getContext());
}
