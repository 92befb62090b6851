// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/KernelWork.h"
#include "compiler/hlo/ElementType.h"
#include "compiler/target/Access.h"
#include "compiler/target/VectorAccess.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/Build.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/schedule/Streams.h"
#include "passes/schedule/UpdateProblem.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hloc {

/// The most indices of a value that are told apart; requests at any more are counted as at one of
/// these.
static constexpr size_t kMaxIndices = 32;
/// The largest stride for which whole vectors are loaded and deinterleaved.
static constexpr int64_t kInterleaved = 4;
/// The index of the kernel's own loops.
static constexpr int64_t kLoopIndex = 0;

/// The last dimension of more than one element; -1 if there is none.
static int64_t getMinor(RankedTensorType type) {
  for (int64_t d = type.getRank() - 1; d >= 0; --d)
    if (type.getDimSize(d) != 1)
      return d;
  return -1;
}

static Requests operator*(const Requests &x, double factor) {
  return {x.rows * factor, x.uniform * factor, x.strided * factor, x.apart * factor,
          x.jumps * factor};
}

/// The same requests, for elements that are a fixed stride apart.
static Requests atDistances(const Requests &x) {
  return {0, x.uniform, x.strided + x.rows, x.apart, x.jumps};
}

static Requests anywhere(const Requests &x) {
  double apart = x.apart + x.strided + x.rows;
  return {0, x.uniform, 0, apart, apart};
}

/// Requests that jump after every `length` elements.
static Requests inRowsOf(Requests x, double length) {
  x.jumps = (x.rows + x.strided + x.apart) / length;
  return x;
}

/// One request for every `length` elements of a row.
static Requests oncePer(const Requests &x, double length) {
  return {0, x.uniform + (x.rows + x.strided + x.apart) / length, 0, 0, x.jumps / length};
}

/// Requests for adjacent elements along dimension `d` of `array`, which is not its minor one.
/// If rows are short, whole vectors are loaded, and taken apart in registers.
static Requests acrossRows(const Requests &x, Value array, int64_t d) {
  int64_t distance = 1;
  for (int64_t size : arrayType(array).getShape().drop_front(d + 1))
    distance *= size;
  if (distance <= kMostInterleaved)
    return x * double(distance);
  return double(distance) * fuse::elementBytes(array.getType()) < kPageBytes ? atDistances(x)
                                                                             : anywhere(x);
}

static Requests once() { return {0, 1, 0, 0}; }
static Requests allOf(Value value) { return {fuse::elementsOf(value), 0, 0, 0}; }

/// True for operations that a kernel's loops are built around; their time is counted by their
/// strategies.
static bool isRoot(Operation &op) {
  return isa<hlo::DotOp, hlo::ConvolutionOp, hlo::ReduceOp, hlo::ReduceWindowOp, hlo::ScanOp,
             hlo::SortOp, hlo::TopkOp, hlo::ScatterOp>(op);
}

/// True if `op` is an update that writes only the slice.
bool KernelWork::isUpdateInPlace(Operation &op) const {
  return &op == findUpdateInPlace(problem.kind, problem.body).getOperation();
}

KernelWork::KernelWork(const KernelProblem &problem, LaneOrder order, double filled)
    : problem(problem), order(order), filled(filled) {
  int64_t widest = 8;
  for (Operation &op : problem.body)
    for (Type type : op.getResultTypes())
      if (!isa<hlo::ConstantOp>(op))
        widest = std::max(widest, getComputedBits(getElementTypeOrSelf(type)));
  lanes = std::max(1.0, double(problem.target.vectorBytes * 8) / double(widest));
  for (Value result : problem.body.getTerminator()->getOperands()) {
    ask(result, kLoopIndex, allOf(result));
    ArrayRef<int64_t> shape = arrayType(result).getShape();
    bool isShort = shape.size() > 1 && double(shape.back()) < lanes &&
                   double(shape[shape.size() - 2]) >= lanes;
    hasFewMinor = order == LaneOrder::FewMinor || (order == LaneOrder::BySize && isShort);
  }
  for (auto reduce : problem.body.getOps<hlo::ReduceOp>()) {
    RankedTensorType type = arrayType(reduce.getInputs()[0]);
    crossesFew |= type.getRank() > 1 && double(type.getShape().back()) < lanes &&
                  !llvm::is_contained(reduce.getDimensions(), type.getRank() - 1);
  }
  for (Operation &op : llvm::reverse(problem.body))
    visit(op);
}

void KernelWork::ask(Value value, int64_t index, const Requests &requests) {
  AtIndex &at = asked[value];
  if (!at.contains(index) && at.size() >= kMaxIndices)
    index = at.begin()->first;
  else if (at.contains(index) && at[index].getTotal() >= requests.getTotal())
    return;
  at[index] = requests;
}

Requests KernelWork::getRequests(Value value) const {
  Requests sum;
  auto found = asked.find(value);
  if (found == asked.end())
    return sum;
  for (const auto &[index, requests] : found->second) {
    sum.rows += requests.rows;
    sum.uniform += requests.uniform;
    sum.strided += requests.strided;
    sum.apart += requests.apart;
    sum.jumps += requests.jumps;
  }
  return sum;
}

/// Passes the requests for `op` on to its operands.
void KernelWork::visit(Operation &op) {
  if (isRoot(op)) {
    // The kernel's loops read each element of an array once; of a window's input, as often as
    // windows contain it.
    int64_t index = nextIndex++;
    double times = 1;
    if (auto reduce = dyn_cast<hlo::ReduceWindowOp>(op)) {
      times = fuse::elementsOf(reduce.getResult(0)) /
              std::max(1.0, fuse::elementsOf(reduce.getInputs()[0]));
      for (int64_t size : reduce.getWindow().getSizes())
        times *= double(size);
    }
    // Only the updated positions of a scatter's operands are touched, which its strategies count.
    auto scatter = dyn_cast<hlo::ScatterOp>(op);
    for (Value operand : op.getOperands().drop_front(scatter ? scatter.getCount() : 0))
      ask(operand, index, allOf(operand) * times);
    return;
  }
  if (op.getNumResults() != 1)
    return;
  auto found = asked.find(op.getResult(0));
  if (found == asked.end())
    return;
  SmallVector<std::pair<int64_t, Requests>> all(found->second.begin(), found->second.end());
  for (auto &[index, requests] : all)
    pass(op, index, requests);
}

int64_t KernelWork::derive(int64_t index, Operation &op, unsigned operand) {
  auto key = std::tuple(index, op.getAttrDictionary().getAsOpaquePointer(),
                        op.getOperand(operand).getType().getAsOpaquePointer(), operand);
  auto [found, isNew] = derived.try_emplace(key, nextIndex);
  nextIndex += isNew;
  return found->second;
}

void KernelWork::pass(Operation &op, int64_t index, const Requests &requests) {
  double elements = std::max(1.0, fuse::elementsOf(op.getResult(0)));
  llvm::TypeSwitch<Operation *>(&op)
      .Case([&](hlo::BroadcastOp broadcast) { passBroadcast(broadcast, index, requests); })
      .Case([&](hlo::TransposeOp transpose) {
        ask(transpose.getOperand(), derive(index, op, 0),
            keepsRows(transpose) ? requests : atDistances(requests));
      })
      .Case([&](hlo::SliceOp slice) { passSlice(slice, index, requests); })
      .Case([&](hlo::DynamicSliceOp slice) {
        int64_t minor = getMinor(arrayType(slice.getResult()));
        bool isRow = minor < 0 || minor == getMinor(arrayType(slice.getOperand()));
        ask(slice.getOperand(), nextIndex++,
            isRow ? requests : acrossRows(requests, slice.getOperand(), minor));
        for (Value start : slice.getStartIndices())
          ask(start, nextIndex++, once());
      })
      .Case([&](hlo::DynamicUpdateSliceOp update) {
        if (!isUpdateInPlace(op))
          ask(update.getOperand(), index, requests);
        ask(update.getUpdate(), nextIndex++, allOf(update.getUpdate()));
        for (Value start : update.getStartIndices())
          ask(start, nextIndex++, once());
      })
      .Case([&](hlo::GatherOp gather) { passGather(gather, index, requests); })
      .Case([&](hlo::ConcatenateOp concatenate) { passConcatenate(concatenate, index, requests); })
      .Case([&](hlo::PadOp pad) {
        ask(pad.getOperand(), derive(index, op, 0),
            requests * std::min(1.0, fuse::elementsOf(pad.getOperand()) / elements));
      })
      .Case([&](hlo::ReverseOp reverse) {
        ask(reverse.getOperand(), derive(index, op, 0), requests);
      })
      .Default([&](Operation *other) {
        for (auto [i, operand] : llvm::enumerate(other->getOperands()))
          ask(operand, fuse::elementsOf(operand) == elements ? index : derive(index, op, i),
              requests * std::min(1.0, fuse::elementsOf(operand) / elements));
      });
}

/// True if vectors of the result are rows of the operand, or for few minor elements the columns of
/// adjacent short rows.
bool KernelWork::keepsRows(hlo::TransposeOp transpose) const {
  ArrayRef<int64_t> dimensions = transpose.getDimensions();
  int64_t minor = getMinor(arrayType(transpose.getResult())),
          from = getMinor(arrayType(transpose.getOperand()));
  if (minor < 0)
    return true;
  if (order != LaneOrder::FewMinor || minor == 0)
    return dimensions[minor] == from;
  int64_t along = dimensions[minor - 1];
  return along == from || (dimensions[minor] == from && along == from - 1);
}

void KernelWork::passSlice(hlo::SliceOp slice, int64_t index, const Requests &requests) {
  int64_t at = derive(index, *slice, 0);
  RankedTensorType from = arrayType(slice.getOperand());
  int64_t minor = getMinor(arrayType(slice.getResult()));
  if (minor >= 0 && minor != getMinor(from))
    return ask(slice.getOperand(), at, acrossRows(requests, slice.getOperand(), minor));
  int64_t stride = minor < 0 ? 1 : slice.getStrides()[minor];
  if (order == LaneOrder::FewMinor && minor >= 0) {
    // Lanes are whole rows of the operand apart.
    if (from.getDimSize(minor) > kMostInterleaved)
      return ask(slice.getOperand(), at, anywhere(requests));
    double length = double(arrayType(slice.getResult()).getDimSize(minor));
    return ask(slice.getOperand(), at, requests * (double(from.getDimSize(minor)) / length));
  }
  ask(slice.getOperand(), at,
      stride <= kInterleaved ? requests * double(stride) : atDistances(requests));
}

void KernelWork::passBroadcast(hlo::BroadcastOp broadcast, int64_t index,
                               const Requests &requests) {
  Value operand = broadcast.getOperand();
  RankedTensorType type = arrayType(broadcast.getResult());
  int64_t minor = getMinor(type), last = -1;
  for (auto [i, dimension] : llvm::enumerate(broadcast.getDimensions()))
    if (arrayType(operand).getDimSize(i) != 1)
      last = std::max(last, dimension);
  int64_t at = derive(index, *broadcast, 0);
  if (last < 0)
    return ask(operand, at, once());
  if (last == minor)
    return ask(operand, at, requests);
  // A loop over the inner dimensions finds the value computed already, unless the dimensions are so
  // short that lanes lie along the one before them, or across them in kernels that reduce others.
  double inner = 1;
  for (int64_t d = last + 1; d < type.getRank(); ++d)
    inner *= double(type.getDimSize(d));
  ask(operand, at,
      inner >= lanes || isInRows() ? oncePer(requests, inner)
      : crossesFew                 ? anywhere(requests)
                                   : requests * (1 / inner));
}

/// If the concatenated rows are short, each vector asks all operands, each for some of its lanes:
/// contiguous ones if the vector is in one row.
void KernelWork::passConcatenate(hlo::ConcatenateOp concatenate, int64_t index,
                                 const Requests &requests) {
  RankedTensorType type = arrayType(concatenate.getResult());
  double row = 1, elements = std::max(1.0, fuse::elementsOf(concatenate.getResult()));
  for (int64_t d = concatenate.getDimension(); d < type.getRank(); ++d)
    row *= double(type.getDimSize(d));
  int64_t bits = std::max<int64_t>(8, hlo::getStorageBits(type.getElementType()));
  bool hasMasks = bits >= problem.target.narrowestMaskedBits;
  bool isMixed = order != LaneOrder::Pieces && !hasFewMinor &&
                 row < lanes * double(concatenate->getNumOperands());
  for (auto [i, operand] : llvm::enumerate(concatenate.getOperands()))
    ask(operand, derive(index, *concatenate, i),
        !isMixed                   ? requests * (fuse::elementsOf(operand) / elements)
        : order == LaneOrder::Rows ? (hasMasks ? requests : atDistances(requests))
                                   : anywhere(requests));
}

/// How many gathers read a row of the operand, if lanes are different rows.
static double getGathersOfRow(hlo::GatherOp gather) {
  RankedTensorType type = arrayType(gather.getOperand());
  int64_t minor = getMinor(type);
  if (minor < 0)
    return 1;
  int64_t bits = std::max<int64_t>(8, hlo::getStorageBits(type.getElementType())), count = 0,
          row = gather.getSliceSizes()[minor];
  bool isWhole = row == type.getDimSize(minor) && row <= kMostInterleaved;
  for (int64_t which = 0; which < row; ++count)
    which += isWhole ? getGatheredGroup(bits, row, which) : 1;
  return double(count);
}

void KernelWork::passGather(hlo::GatherOp gather, int64_t index, const Requests &requests) {
  // If the slices contain rows of the operand or parts of them, vectors are contiguous.
  RankedTensorType operand = arrayType(gather.getOperand());
  int64_t minor = getMinor(operand);
  double row = minor < 0 ? 1 : double(gather.getSliceSizes()[minor]), slice = 1;
  for (int64_t size : gather.getSliceSizes())
    slice *= double(size);
  bool isLong = isInRows() || (row >= lanes / 2 && order != LaneOrder::FewMinor);
  bool hasRows = isLong && !gather.getOffsetDims().empty() &&
                 gather.getOffsetDims().back() == getMinor(arrayType(gather.getResult()));
  // All elements of a row are loaded one after the other, from the same cache line, or several at
  // once.
  Requests loads = inRowsOf(hasRows ? requests : anywhere(requests),
                            hasRows || order == LaneOrder::FewMinor ? row : 1);
  if (order == LaneOrder::FewMinor && !hasRows)
    loads.apart *= getGathersOfRow(gather) / row;
  ask(gather.getOperand(), nextIndex++, loads);
  // An index is read once for all elements of a row, and of a slice if there are no rows.
  double components = fuse::elementsOf(gather.getStartIndices()) * slice /
                      std::max(1.0, fuse::elementsOf(gather.getResult()));
  ask(gather.getStartIndices(), derive(index, *gather, 1),
      (hasRows ? oncePer(requests, row) : requests * (1 / slice)) * components);
}

double KernelWork::getInterleaveTime(Value array, double elements) const {
  RankedTensorType type = arrayType(array);
  int64_t minor = getMinor(type);
  if (order != LaneOrder::FewMinor || minor < 1 || type.getDimSize(minor) > kMostInterleaved)
    return 0;
  return elements / (lanes * filled) * problem.costs.getInterleaveTime(type.getDimSize(minor));
}

double KernelWork::getLoadTime(BlockArgument argument) const {
  const Machine &machine = problem.target.machine;
  Requests requests = getRequests(argument);
  int64_t bits = hlo::getStorageBits(getElementTypeOrSelf(argument));
  double cycles = (requests.rows / (lanes * filled) + requests.uniform) / machine.rates.load;
  return machine.getNanoseconds(cycles) + getInterleaveTime(argument, requests.rows) +
         requests.strided * problem.costs.getStridedTime() +
         requests.apart * problem.costs.getGatherTime(bits) +
         requests.jumps * getApartTime(machine, fuse::bytesOf(argument.getType()));
}

double KernelWork::getStoreTime() const {
  const Machine &machine = problem.target.machine;
  double cycles = 0, interleave = 0;
  for (Value result : problem.body.getTerminator()->getOperands())
    if (auto update = result.getDefiningOp<hlo::DynamicUpdateSliceOp>()) {
      cycles += fuse::elementsOf(update.getUpdate()) / (lanes * filled) / machine.rates.store;
    } else if (!result.getDefiningOp<hlo::ScatterOp>()) { // whose strategies count that
      cycles += fuse::elementsOf(result) / (lanes * filled) / machine.rates.store;
      interleave += getInterleaveTime(result, fuse::elementsOf(result));
    }
  return machine.getNanoseconds(cycles) + interleave;
}

double KernelWork::getTime(Operation &op) const {
  if (isRoot(op) || op.getNumResults() != 1 || isa<hlo::ConstantOp>(op) || isUpdateInPlace(op))
    return 0;
  Requests requests = getRequests(op.getResult(0));
  double vectors = requests.getTotal() - requests.uniform;
  if (isa<hlo::GatherOp>(op)) { // the loads themselves are counted for its operand
    RankedTensorType type = arrayType(op.getResult(0));
    int64_t minor = order == LaneOrder::Rows ? getMinor(type) : -1; // one address for a row
    return vectors / (minor < 0 ? 1 : double(type.getDimSize(minor))) *
           problem.costs.getStridedTime() / 2;
  }
  double scalar = problem.costs.getScalarTime(&op), time = requests.uniform * scalar;
  if (vectors > 0) // a few elements take as long as a vector
    time += std::max(vectors / filled * problem.costs.getElementTime(&op), scalar);
  return time;
}

double KernelWork::getTime() const {
  double time = getStoreTime();
  for (BlockArgument argument : problem.body.getArguments())
    time += getLoadTime(argument);
  for (Operation &op : problem.body)
    time += getTime(op);
  return std::max(time, getLatency());
}

double KernelWork::getLatency() const {
  llvm::DenseMap<Value, double> ready;
  double latest = 0;
  for (Operation &op : problem.body) {
    if (op.getNumResults() == 0)
      continue;
    double begin = 0;
    for (Value operand : op.getOperands())
      begin = std::max(begin, ready.lookup(operand));
    double own = isRoot(op) || isa<hlo::ConstantOp>(op) || !asked.contains(op.getResult(0))
                     ? 0
                     : problem.costs.getLatency(&op);
    for (Value result : op.getResults())
      ready[result] = begin + own;
    latest = std::max(latest, begin + own);
  }
  return latest;
}

} // namespace hloc
