// SPDX-License-Identifier: Apache-2.0
// Moves slices before the operations that produce what is sliced. If weights are stacked for a loop
// over layers, each iteration then reads its own weights in place, and nothing is copied before the
// loop. Test: test/passes/simplify/slice-producers.mlir.
#include "compiler/target/Cost.h"
#include "compiler/target/TargetAttribute.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Passes.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/kernels/FuseIndexMaps.h"
#include "passes/simplify/SliceWindow.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;

namespace hloc {
#define GEN_PASS_DEF_SLICEPRODUCERS
#include "passes/Passes.h.inc"
} // namespace hloc

namespace {

/// Assumed trip count of loops where it is known only at run time.
constexpr double kUnknownTrips = 16;
/// The most operations between an array and what is made of it, and between a slice and its dot.
constexpr unsigned kDeepestSlice = 8, kFarthestDot = 4;

/// How often `op` runs per run of `block`, which contains it, possibly in loops.
double countRuns(Operation *op, Block *block) {
  double runs = 1;
  for (; op->getBlock() != block; op = op->getParentOp()) {
    Operation *parent = op->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      std::optional<APInt> trips = loop.getStaticTripCount();
      runs *= trips ? double(trips->getLimitedValue()) : kUnknownTrips;
    } else if (isa<scf::WhileOp>(parent)) {
      runs *= kUnknownTrips;
    }
  }
  return runs;
}

double elementsOf(const SliceWindow &window) {
  double elements = 1;
  for (const SliceRange &range : window)
    elements *= double(range.size);
  return elements;
}

/// A slice of a producer's result.
struct Use {
  Operation *slice;
  double runs; ///< per run of the producer
  SliceWindow window;
  SmallVector<SliceWindow> operands; ///< windows of the producer's operands
};

class ProducerSlicer {
public:
  explicit ProducerSlicer(const Target &target)
      : costs(target), lineBytes(double(target.machine.l1.lineBytes)) {}

  std::optional<SmallVector<Use>> match(Operation *op) const;
  static void rewrite(Operation *op, const Use &use);

private:
  bool isProducer(Operation *op) const;
  bool isMadeOfArrays(Value value, unsigned depth = 0) const;
  bool feedsDots(Operation *op, unsigned depth = 0) const;
  double timeToRead(Value array, const SliceWindow &window) const;
  bool pays(Operation *op, ArrayRef<Use> uses) const;

  CostModel costs;
  double lineBytes;
};

/// True if other kernels can compute it when they load its operands.
bool ProducerSlicer::isProducer(Operation *op) const {
  return op && isa<HLODialect>(op->getDialect()) && op->getNumResults() == 1 && isPure(op) &&
         op->getNumOperands() > 0 && fuse::isPointwise(op) && !isa<GatherOp>(op) &&
         !costs.isExpensive(op);
}

/// True if `value` is in memory, or is computed from such arrays by producers alone.
bool ProducerSlicer::isMadeOfArrays(Value value, unsigned depth) const {
  Operation *op = value.getDefiningOp();
  if (!op || isa<ConstantOp>(op))
    return true;
  return depth < kDeepestSlice && isProducer(op) &&
         llvm::all_of(
             op->getOperands(), [&](Value operand) { return isMadeOfArrays(operand, depth + 1); });
}

/// True if all users of `op` are dots, possibly through producers: these read any orientation
/// equally fast.
bool ProducerSlicer::feedsDots(Operation *op, unsigned depth) const {
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    return isa<DotOp>(user) ||
           (depth < kFarthestDot && isProducer(user) && feedsDots(user, depth + 1));
  });
}

/// Time to read the cache lines of `window` of an array.
double ProducerSlicer::timeToRead(Value array, const SliceWindow &window) const {
  auto type = arrayType(array);
  double whole = fuse::bytesOf(type), run = 1;
  for (int64_t d = type.getRank() - 1; d >= 0; --d) {
    run *= window[d].stride == 1 ? double(window[d].size) : 1;
    if (!isWhole(window[d], type.getDimSize(d)))
      break;
  }
  double elements = elementsOf(window), runBytes = run * fuse::elementBytes(type);
  double touched = elements / run * std::max(runBytes, std::min(lineBytes, whole));
  return std::min(whole, touched) * costs.getStreamTime(whole);
}

/// All uses of `op`; none if one of them is not a slice that can be moved before it.
std::optional<SmallVector<Use>> collectUses(Operation *op) {
  SmallVector<Use> uses;
  for (Operation *user : op->getUsers()) {
    std::optional<SliceWindow> window = getSliceWindow(user);
    if (!window || user->getOperand(0) != op->getResult(0))
      return std::nullopt;
    auto operands = getOperandWindows(op, *window);
    if (!operands)
      return std::nullopt;
    uses.push_back({user, countRuns(user, op->getBlock()), *window, *operands});
  }
  return uses;
}

/// True if moving the slices before `op` takes less time: compares computing, writing and reading
/// everything once with computing all slices in all iterations.
bool ProducerSlicer::pays(Operation *op, ArrayRef<Use> uses) const {
  Value result = op->getResult(0);
  if (isa<ReshapeOp>(op)) // free on either side, but may block other slices
    return isProducer(op->getOperand(0).getDefiningOp());
  double bytes = fuse::bytesOf(result.getType()), compute = costs.getElementTime(op);
  double before = costs.getLaunchTime() + compute * fuse::elementsOf(result.getType()) +
                  bytes * costs.getStreamTime(bytes);
  for (Value operand : op->getOperands())
    before += timeToRead(operand, getWholeWindow(arrayType(operand)));
  auto transpose = dyn_cast<TransposeOp>(op);
  bool movesMinor =
      transpose && transpose.getDimensions().back() != arrayType(result).getRank() - 1;
  double after = 0;
  for (const Use &use : uses) {
    before += use.runs * timeToRead(result, use.window);
    double perElement =
        compute + (movesMinor && !feedsDots(use.slice) ? costs.getStridedTime() : 0);
    double once = perElement * elementsOf(use.window);
    for (auto [operand, window] : llvm::zip(op->getOperands(), use.operands))
      once += timeToRead(operand, window);
    after += use.runs * once;
  }
  return after <= before;
}

/// The uses of `op` if its slices should be moved before it; else none.
std::optional<SmallVector<Use>> ProducerSlicer::match(Operation *op) const {
  if (!isProducer(op) || op->use_empty())
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || type.getNumElements() == 0)
    return std::nullopt;
  auto uses = collectUses(op);
  // An operand that is computed anyway can compute this too when it is stored.
  if (!uses || (!fuse::isMovement(op) && !isMadeOfArrays(op->getResult(0))))
    return std::nullopt;
  bool isInLoop = llvm::any_of(*uses, [](const Use &use) { return use.runs > 1; });
  double elements = 0;
  for (const Use &use : *uses)
    elements += elementsOf(use.window);
  // Within one block fusion does the same with more knowledge, except if several kernels take
  // parts.
  if (!isInLoop && (uses->size() < 2 || elements > double(type.getNumElements()) ||
                    !isMadeOfArrays(op->getResult(0))))
    return std::nullopt;
  return pays(op, *uses) ? uses : std::nullopt;
}

void ProducerSlicer::rewrite(Operation *op, const Use &use) {
  OpBuilder builder(use.slice);
  Build build(builder, op->getLoc());
  SmallVector<Value> operands;
  for (auto [operand, window] : llvm::zip(op->getOperands(), use.operands))
    operands.push_back(takeWindow(build, operand, window));
  Value value = makeWindow(build, op, operands, use.window);
  use.slice->getResult(0).replaceAllUsesWith(value);
  use.slice->erase();
}

struct SliceProducers : hloc::impl::SliceProducersBase<SliceProducers> {
  void runOnOperation() override {
    FailureOr<Target> target = getMainTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    ProducerSlicer slicer(*target);
    SmallVector<Operation *> operations;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) { operations.push_back(op); });
    // Users before their operands, so that slices pass whole chains; a slice is a producer too.
    DenseSet<Operation *> erased;
    for (Operation *op : llvm::reverse(operations)) {
      if (erased.contains(op))
        continue;
      std::optional<SmallVector<Use>> uses = slicer.match(op);
      if (!uses)
        continue;
      for (const Use &use : *uses) {
        ProducerSlicer::rewrite(op, use);
        erased.insert(use.slice);
      }
      op->erase();
      ++moved;
    }
  }
};

} // namespace
