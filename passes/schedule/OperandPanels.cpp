// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/OperandPanels.h"
#include "compiler/hlo/Literal.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "passes/kernels/ArraySizes.h"
#include "passes/prepare/Preparation.h"
#include "passes/schedule/SumBlocks.h"
#include "passes/schedule/TileGroups.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

namespace {

/// Sizes of panels.
struct PanelSizes {
  int64_t batches, depthBlocks, panels, depth, width;

  PanelSizes(const DotProblem &dot, int64_t width)
      : batches(dot.batches), depthBlocks(llvm::divideCeil(dot.depth, kSumBlock)),
        panels(llvm::divideCeil(dot.columns, width)), depth(std::min(dot.depth, kSumBlock)),
        width(width) {}

  int64_t getColumns() const { return panels * width; }
  int64_t getDepth() const { return depthBlocks * depth; }
};

/// The right operand's dimensions in the order batch, depth, columns.
SmallVector<int64_t> getOrder(const DotProblem &dot) {
  SmallVector<int64_t> order(dot.rhsBatch);
  order.append(dot.rhsDepth);
  order.append(dot.rhsColumns);
  return order;
}

/// The dot of a kernel that has one.
hlo::DotOp findDot(Block &body) {
  auto dots = body.getOps<hlo::DotOp>();
  return dots.empty() ? hlo::DotOp() : *dots.begin();
}

bool isLoopInvariant(ValueRange values, LoopLikeOpInterface loop) {
  return llvm::all_of(values, [&](Value value) {
    while (auto view = value.getDefiningOp<hlo::ReshapeOp>())
      value = view.getOperand();
    return loop.isDefinedOutsideOfLoop(value);
  });
}

/// The number of dots in the kernel's block that can share the panels of its argument `number`.
int64_t countSharers(hlo::KernelOp kernel, const DotProblem &dot, unsigned number) {
  llvm::SmallPtrSet<Operation *, 4> sharers;
  for (Operation *user : kernel.getInputs()[number].getUsers()) {
    auto other = dyn_cast<hlo::KernelOp>(user);
    hlo::DotOp inside = other && other->getBlock() == kernel->getBlock()
                            ? findDot(other.getBody().front())
                            : hlo::DotOp();
    if (!inside)
      continue;
    DotProblem theirs(inside);
    auto argument = dyn_cast<BlockArgument>(theirs.rhs);
    if (argument && other.getInputs()[argument.getArgNumber()] == kernel.getInputs()[number] &&
        theirs.rhsType == dot.rhsType && theirs.element == dot.element &&
        theirs.rhsDepth == dot.rhsDepth && theirs.rhsBatch == dot.rhsBatch)
      sharers.insert(other);
  }
  return std::max<int64_t>(1, sharers.size());
}

/// The offsets of the elements of `type` along `dimensions`, in row-major order of these.
std::vector<int64_t> listOffsets(RankedTensorType type, ArrayRef<int64_t> dimensions) {
  SmallVector<int64_t> strides(type.getRank(), 1);
  for (int64_t d = type.getRank() - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * type.getDimSize(d + 1);
  std::vector<int64_t> offsets{0};
  for (int64_t d : dimensions) {
    std::vector<int64_t> next;
    for (int64_t offset : offsets)
      for (int64_t i = 0; i < type.getDimSize(d); ++i)
        next.push_back(offset + i * strides[d]);
    offsets = std::move(next);
  }
  return offsets;
}

} // namespace

RankedTensorType getPanelType(const DotProblem &dot, int64_t width) {
  PanelSizes sizes(dot, width);
  return RankedTensorType::get(
      {sizes.batches, sizes.depthBlocks, sizes.panels, sizes.depth, sizes.width}, dot.element);
}

BlockArgument findPanels(const DotProblem &dot) {
  if (!dot.dot->hasAttr(kPackedFrom))
    return {};
  Value value = dot.rhs;
  while (Operation *op = value.getDefiningOp()) {
    if (op->getNumOperands() == 0)
      return {};
    value = op->getOperand(0);
  }
  return cast<BlockArgument>(value);
}

SmallVector<Operation *> findSources(Value value) {
  llvm::SmallPtrSet<Value, 8> wanted{value};
  SmallVector<Operation *> sources;
  for (Operation &op : llvm::reverse(*value.getParentBlock()))
    if (llvm::any_of(op.getResults(), [&](Value result) { return wanted.contains(result); })) {
      sources.push_back(&op);
      wanted.insert_range(op.getOperands());
    }
  return SmallVector<Operation *>(llvm::reverse(sources));
}

double countPackings(hlo::KernelOp kernel) {
  hlo::DotOp op =
      kernel.getKind() == hlo::KernelKind::Dot ? findDot(kernel.getBody().front()) : hlo::DotOp();
  // Kernels of a group read only their own part of an operand at a time.
  if (!op || op->hasAttr(kPackedFrom) || kernel->hasAttr(kTileGroups) || kernel->hasAttr(kFallback))
    return -1;
  DotProblem dot(op);
  llvm::SetVector<Value> inputs;
  auto addInput = [&](Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      inputs.insert(kernel.getInputs()[argument.getArgNumber()]);
  };
  addInput(dot.rhs);
  for (Operation *source : findSources(dot.rhs))
    llvm::for_each(source->getOperands(), addInput);
  if (inputs.empty())
    return -1;
  // If the inputs have narrower elements than the panels, runs would read more bytes.
  double bytes = 0;
  for (Value input : inputs)
    bytes += fuse::bytesOf(input.getType());
  auto isKnown = [](Value input) {
    return isPrepared(input) || input.getDefiningOp<hlo::ConstantOp>();
  };
  if (llvm::any_of(inputs, isPrepared) && llvm::all_of(inputs, isKnown) &&
      bytes >= fuse::elementsOf(dot.rhsType) * fuse::elementBytes(dot.element))
    return 0;
  double packings = 1;
  if (auto argument = dyn_cast<BlockArgument>(dot.rhs)) {
    // A constant that others read unpacked would be stored twice.
    auto constant = inputs[0].getDefiningOp<hlo::ConstantOp>();
    if (constant && constant->hasOneUse() && dot.rhsType.getElementType() == dot.element)
      return 0;
    packings /= double(countSharers(kernel, dot, argument.getArgNumber()));
  }
  auto loop = dyn_cast<LoopLikeOpInterface>(kernel->getParentOp());
  while (loop && isLoopInvariant(inputs.getArrayRef(), loop)) {
    if (std::optional<APInt> trips = loop.getStaticTripCount())
      packings /= std::max(1.0, trips->roundToDouble());
    loop = dyn_cast<LoopLikeOpInterface>(loop->getParentOp());
  }
  return packings;
}

Value buildPanels(Build build, const DotProblem &dot, Value rhs, int64_t width) {
  PanelSizes sizes(dot, width);
  // Batch, depth and columns in the order in which they are stored, so that one transposition makes
  // the panels.
  SmallVector<int64_t> lies{0, 1, 2}, whole;
  ArrayRef<int64_t> dimensions[] = {dot.rhsBatch, dot.rhsDepth, dot.rhsColumns};
  llvm::stable_sort(lies, [&](int64_t x, int64_t y) {
    return !dimensions[y].empty() &&
           (dimensions[x].empty() || dimensions[x].front() < dimensions[y].front());
  });
  for (int64_t part : lies)
    llvm::append_range(whole, dimensions[part]);
  if (!llvm::is_sorted(whole)) {
    rhs = build.transpose(rhs, getOrder(dot));
    lies = {0, 1, 2};
  }
  int64_t counts[] = {dot.batches, dot.depth, dot.columns};
  auto placeOf = [&](int64_t part) { return llvm::find(lies, part) - lies.begin(); };
  Value value =
      build.reshape(rhs, llvm::map_to_vector(lies, [&](int64_t part) { return counts[part]; }));
  value = build.convert(value, dot.element);
  if (int64_t even = dot.columns / width * width; even != dot.columns)
    value = build.concatenate({build.sliceOf(value, placeOf(2), 0, even),
                               build.sliceOf(value, placeOf(2), dot.columns - width, dot.columns)},
                              placeOf(2));
  SmallVector<int64_t> none(3, 0), high(3, 0), split, from(5);
  high[placeOf(1)] = sizes.getDepth() - dot.depth;
  if (high[placeOf(1)] > 0)
    value = build.pad(value, build.scalar(dot.element, 0.0), none, high, none);
  // Which dimension of the split array becomes which dimension of the panels.
  for (int64_t part : lies) {
    if (part == 0) {
      from[0] = split.size();
      split.push_back(sizes.batches);
      continue;
    }
    from[part] = split.size();
    from[part + 2] = split.size() + 1;
    split.append({part == 1 ? sizes.depthBlocks : sizes.panels, part == 1 ? sizes.depth : width});
  }
  return build.transpose(build.reshape(value, split), from);
}

Value buildOperand(Build build, const DotProblem &dot, Value panels, int64_t width) {
  PanelSizes sizes(dot, width);
  Value value = build.transpose(panels, {0, 1, 3, 2, 4});
  value = build.reshape(value, {sizes.batches, sizes.getDepth(), sizes.getColumns()});
  if (sizes.getDepth() != dot.depth)
    value = build.sliceOf(value, 1, 0, dot.depth);
  if (int64_t whole = dot.columns / width * width, rest = dot.columns - whole; rest != 0)
    value =
        build.concatenate({build.sliceOf(value, 2, 0, whole),
                           build.sliceOf(value, 2, sizes.getColumns() - rest, sizes.getColumns())},
                          2);
  SmallVector<int64_t> order = getOrder(dot), shape, back(order.size());
  for (auto [i, d] : llvm::enumerate(order)) {
    shape.push_back(dot.rhsType.getDimSize(d));
    back[d] = int64_t(i);
  }
  value = build.transpose(build.reshape(value, shape), back);
  return build.convert(value, dot.rhsType.getElementType());
}

ElementsAttr packConstant(const DotProblem &dot, ElementsAttr value, int64_t width) {
  RankedTensorType type = getPanelType(dot, width);
  int64_t size = hlo::getLiteralElementBytes(type.getElementType());
  SmallVector<char> storage;
  ArrayRef<char> source = hlo::getLiteralBytes(value, storage);
  std::vector<int64_t> batches = listOffsets(dot.rhsType, dot.rhsBatch),
                       depth = listOffsets(dot.rhsType, dot.rhsDepth),
                       columns = listOffsets(dot.rhsType, dot.rhsColumns);
  std::vector<char> bytes(type.getNumElements() * size);
  PanelSizes sizes(dot, width);
  char *out = bytes.data();
  for (int64_t batch : batches)
    for (int64_t start = 0; start < sizes.getDepth(); start += sizes.depth)
      for (int64_t panel = 0; panel < sizes.panels; ++panel) {
        int64_t first = std::min(panel * width, dot.columns - width);
        for (int64_t k = start; k < start + sizes.depth; ++k)
          for (int64_t n = first; n < first + width; ++n, out += size)
            if (k < dot.depth)
              std::copy_n(source.data() + (batch + depth[k] + columns[n]) * size, size, out);
      }
  return hlo::makeLiteral(type, bytes);
}

} // namespace hloc
