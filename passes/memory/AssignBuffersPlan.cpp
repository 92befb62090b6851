// SPDX-License-Identifier: Apache-2.0
// Live ranges of all arrays, and which arrays share a buffer.
#include <cmath>

#include "compiler/hlo/AsyncStages.h"
#include "compiler/hlo/CollectiveStages.h"
#include "compiler/hlo/ElementType.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/CustomCalls.h"
#include "passes/memory/AssignBuffersPlan.h"
#include "passes/schedule/TileGroups.h"

using namespace mlir;
using namespace hloc;
using namespace hloc::hlo;
using namespace hloc::buffers;

int64_t buffers::getBytes(Type type) {
  auto array = cast<ShapedType>(type);
  int64_t bits = getStorageBits(array.getElementType());
  return llvm::divideCeil(ShapedType::getNumElements(array.getShape()) * bits, 8);
}

Value buffers::getShown(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return nullptr;
  if (auto done = dyn_cast<CollectiveDoneOp>(op))
    return done.getBuffers()[cast<OpResult>(value).getResultNumber()];
  if (auto wait = dyn_cast<AsyncWaitOp>(op))
    return wait.getBuffers()[cast<OpResult>(value).getResultNumber()];
  return isView(op) ? op->getOperand(0) : Value();
}

static bool isLoop(Operation *op) { return isa<scf::ForOp, scf::WhileOp>(op); }

int Plan::addNode(Value value, Type type, Place place, unsigned index) {
  int node = buffers.size();
  Buffer buffer;
  buffer.place = place;
  buffer.index = index;
  buffer.bytes = getBytes(type);
  buffer.readOnly = place == Place::Argument || place == Place::Constant;
  buffer.value = value;
  buffer.type = type;
  buffers.push_back(buffer);
  parents.push_back(node);
  if (value)
    nodeOf[value] = node;
  return node;
}

int Plan::find(int node) {
  while (parents[node] != node)
    node = parents[node] = parents[parents[node]];
  return node;
}

void Plan::unite(int a, int b) {
  a = find(a);
  b = find(b);
  if (a == b)
    return;
  if (buffers[a].ranges.size() < buffers[b].ranges.size())
    std::swap(a, b);
  Buffer &into = buffers[a], &from = buffers[b];
  parents[b] = a;
  size_t middle = into.ranges.size();
  llvm::append_range(into.ranges, from.ranges);
  auto before = [](const Range &x, const Range &y) { return x.begin < y.begin; };
  std::inplace_merge(into.ranges.begin(), into.ranges.begin() + middle, into.ranges.end(), before);
  if (from.place != Place::Arena) {
    into.place = from.place;
    into.index = from.index;
  }
  if (!into.value)
    into.value = from.value;
  into.readOnly |= from.readOnly;
  into.carried |= from.carried;
  from.ranges.clear();
}

/// Lists the operations that read `value` or a view of it.
static void listUsers(Value value, SmallVectorImpl<Operation *> &users) {
  for (Operation *user : value.getUsers()) {
    users.push_back(user);
    for (Value result : user->getResults())
      if (getShown(result) == value)
        listUsers(result, users);
  }
}

/// Adds the ranges in which a value is live, given that it is live from `begin` to at least `last`
/// in a region of `home` and is read by `users`. A loop keeps what it reads from outside live until
/// its end; a branch only until it has read it.
void Plan::addRanges(ArrayRef<Operation *> users, Operation *home, int64_t begin, int64_t last,
                     SmallVectorImpl<Range> &ranges) {
  Operation *lastBranches = nullptr;
  for (Operation *user : users) {
    bool isShown = llvm::any_of(user->getResults(), [](Value result) { return getShown(result); });
    int64_t position = begins.lookup(user) + (isShown ? 2 : 1);
    Operation *branches = nullptr;
    for (Operation *op = user->getParentOp(); op != home; op = op->getParentOp()) {
      branches = isLoop(op) ? nullptr : op;
      if (isLoop(op))
        position = ends.lookup(op);
    }
    if (position > last) {
      last = position;
      lastBranches = branches;
    }
  }
  if (!lastBranches) {
    ranges.push_back({begin, last});
    return;
  }
  ranges.push_back({begin, begins.lookup(lastBranches) + 2});
  for (Region &region : lastBranches->getRegions()) {
    SmallVector<Operation *> inside = llvm::filter_to_vector(
        users, [&](Operation *user) { return region.isAncestor(user->getParentRegion()); });
    if (inside.empty())
      continue;
    int64_t first = begins.lookup(&region.front().front());
    addRanges(inside, lastBranches, first, first, ranges);
  }
}

void Plan::define(Value value, int64_t begin) {
  definitions.push_back({value, addNode(value, value.getType()), begin});
}

/// Adds the kernel's scratch memory, which is live only during the kernel: as many bytes as any
/// target needs.
void Plan::addScratch(KernelOp kernel) {
  ArrayAttr schedules = kernel.getSchedulesAttr();
  int64_t bytes = 0;
  for (Attribute schedule : schedules ? schedules.getValue() : ArrayRef<Attribute>())
    bytes = std::max(bytes, cast<ScheduleAttr>(schedule).getScratch());
  if (bytes == 0)
    return;
  // With elements of 64 bits, so that it is aligned for any contents.
  auto words = RankedTensorType::get({int64_t(llvm::divideCeil(bytes, 8))},
                                     IntegerType::get(kernel.getContext(), 64));
  int node = scratch[kernel] = addNode(Value(), words);
  buffers[node].user = kernel;
  live(node, begins[kernel], begins[kernel] + 2);
}

void Plan::addHint(Value from, int to, int64_t position, int depth, double factor, int64_t until) {
  double weight = factor * double(buffers[to].bytes + 1) * std::pow(100.0, depth);
  int source = nodeOf.lookup(from);
  hints.push_back({source, to, weight});
  handovers[position].push_back({source, to, until});
}

/// True if an operation strictly between `first` and `last`, which are in one block, reads `value`.
bool Plan::isReadBetween(Value value, Operation *first, Operation *last) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    Operation *reader = first->getBlock()->findAncestorOpInBlock(*user);
    if (!reader || reader == first || reader == last)
      return false;
    if (isView(user))
      return isReadBetween(user->getResult(0), first, last);
    return first->isBeforeInBlock(reader) && reader->isBeforeInBlock(last);
  });
}

/// Hints that results of a collective be in its operands, if nothing else reads these in the
/// meantime.
void Plan::reuseOperands(Operation *done, int depth) {
  auto start = cast<CollectiveDoneOp>(done).getTicket().getDefiningOp<CollectiveStartOp>();
  for (auto [result, reuse] : llvm::zip(start.getResults(), start.getReuse())) {
    if (reuse < 0)
      continue;
    Value input = start.getInputs()[reuse];
    bool isShared = llvm::count_if(start.getInputs(), [&](Value other) {
                      return nodeOf.lookup(other) == nodeOf.lookup(input);
                    }) > 1;
    // Parts are written into the operand directly; for all-reduce the whole operand is copied
    // anyway.
    bool isPart = start.getKind() != stringify(CollectiveKind::AllReduce);
    if (!isShared && !isReadBetween(input, start, done))
      addHint(input, nodeOf[result], begins[start], depth, isPart ? 1 : 0.01, begins[done] + 1);
  }
}

/// Records that `op` at `position` passes `from` to buffer `to`, with a copy if they do not
/// coalesce.
void Plan::addTransfer(Operation *op, Value from, int to, int64_t position, int depth) {
  addHint(from, to, position, depth, 1);
  copies[op].push_back({nodeOf.lookup(from), to});
}

/// Numbers the regions of `op` and its end, and makes the buffers of the values that they carry.
void Plan::numberRegions(Operation *op, int depth) {
  int64_t begin = begins[op];
  SmallVector<int> carried;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [argument, init] : llvm::zip(loop.getRegionIterArgs(), loop.getInits())) {
      define(argument, begin);
      carried.push_back(nodeOf[argument]);
      buffers[carried.back()].carried = true;
      addTransfer(op, init, carried.back(), begin, depth);
    }
    number(*loop.getBody(), depth + 1);
    Operation *yield = loop.getBody()->getTerminator();
    int64_t end = ends[op] = next;
    next += 2;
    for (auto [i, node] : llvm::enumerate(carried)) {
      live(node, begins[yield], end);
      addTransfer(yield, yield->getOperand(i), node, begins[yield], depth + 1);
      define(op->getResult(i), end);
      unite(nodeOf[op->getResult(i)], node);
    }
    return;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (auto [argument, init] : llvm::zip(loop.getBeforeArguments(), loop.getInits())) {
      define(argument, begin);
      carried.push_back(nodeOf[argument]);
      buffers[carried.back()].carried = true;
      addTransfer(op, init, carried.back(), begin, depth);
    }
    number(*loop.getBeforeBody(), depth + 1);
    auto condition = loop.getConditionOp();
    int64_t decided = begins[condition];
    SmallVector<int> passed;
    for (auto [argument, value] : llvm::zip(loop.getAfterArguments(), condition.getArgs())) {
      define(argument, decided);
      passed.push_back(nodeOf[argument]);
      buffers[passed.back()].carried = true;
      addTransfer(condition, value, passed.back(), decided, depth + 1);
    }
    number(*loop.getAfterBody(), depth + 1);
    Operation *yield = loop.getYieldOp();
    int64_t end = ends[op] = next;
    next += 2;
    for (auto [i, node] : llvm::enumerate(carried)) {
      live(node, begins[yield], end);
      addTransfer(yield, yield->getOperand(i), node, begins[yield], depth + 1);
    }
    for (auto [i, node] : llvm::enumerate(passed)) {
      define(op->getResult(i), end);
      unite(nodeOf[op->getResult(i)], node);
    }
    return;
  }
  // Operations with branches.
  for (Value result : op->getResults())
    carried.push_back(addNode(result, result.getType()));
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    number(region.front(), depth);
    Operation *yield = region.front().getTerminator();
    bool isRare = op->hasAttr(unlikelyElse) && region.getRegionNumber() == 1;
    for (auto [i, node] : llvm::enumerate(carried)) {
      live(node, begins[yield], begins[yield] + 2);
      addTransfer(yield, yield->getOperand(i), node, begins[yield], depth - isRare);
    }
  }
  int64_t end = ends[op] = next;
  next += 2;
  for (auto [value, node] : llvm::zip(op->getResults(), carried))
    definitions.push_back({value, node, end});
}

void Plan::addReuseHints(ValueRange inputs, ValueRange results, ArrayRef<int64_t> reuse,
                         int64_t position, int depth, double factor) {
  for (auto [result, operand] : llvm::zip(results, reuse)) {
    if (operand < 0)
      continue;
    Value input = inputs[operand];
    // Not if another operand is a view of the same memory.
    bool isShared = llvm::count_if(inputs, [&](Value other) {
                      return nodeOf.lookup(other) == nodeOf.lookup(input);
                    }) > 1;
    if (!isShared)
      addHint(input, nodeOf[result], position, depth, factor);
  }
}

void Plan::number(Block &block, int depth) {
  for (Operation &op : block) {
    int64_t position = begins[&op] = next;
    next += 2;
    if (isa<scf::SCFDialect>(op.getDialect()) && op.getNumRegions()) {
      numberRegions(&op, depth);
      continue;
    }
    if (auto result = dyn_cast<func::ReturnOp>(op)) {
      for (auto [value, node] : llvm::zip(result.getOperands(), resultNodes)) {
        live(node, position, position + 2);
        addTransfer(&op, value, node, position, depth);
      }
      continue;
    }
    for (Value result : op.getResults()) {
      if (!isa<RankedTensorType>(result.getType()))
        continue;
      if (isa<ConstantOp>(op))
        definitions.push_back(
            {result, addNode(result, result.getType(), Place::Constant), position});
      else if (Value shown = getShown(result))
        nodeOf[result] = nodeOf.lookup(shown);
      else
        define(result, position);
    }
    if (isa<CollectiveDoneOp>(op))
      reuseOperands(&op, depth);
    if (auto call = dyn_cast<CustomCallOp>(op))
      addReuseHints(call.getInputs(), call.getResults(), getReuse(call), position, depth, 1);
    auto kernel = dyn_cast<KernelOp>(op);
    if (!kernel)
      continue;
    addScratch(kernel);
    addReuseHints(kernel.getInputs(), kernel.getResults(), kernel.getReuse(), position, depth,
                  kernel.getMustReuse() ? 1 : 0.01);
  }
}

/// Collects the kernels that run tile by tile on some target. Copies of a group in an unrolled loop
/// have the same number and are told apart by what they read.
void Plan::findTileGroups() {
  DenseMap<Operation *, size_t> groupOf;
  main.walk([&](KernelOp kernel) {
    Attribute numbers = kernel->getDiscardableAttr(kTileGroups);
    if (!numbers)
      return;
    size_t group = tileGroups.size();
    for (Value input : kernel.getInputs()) {
      while (Value shown = getShown(input))
        input = shown;
      auto writer = input.getDefiningOp<KernelOp>();
      auto found = writer ? groupOf.find(writer) : groupOf.end();
      if (found != groupOf.end() && writer->getDiscardableAttr(kTileGroups) == numbers)
        group = found->second;
    }
    groupOf[kernel] = group;
    if (group == tileGroups.size())
      tileGroups.push_back({kernel, kernel, {}});
    TileGroup &members = tileGroups[group];
    if (members.last != kernel)
      llvm::append_range(members.inner, members.last->getResults());
    members.last = kernel;
  });
}

/// Adds the live ranges of all definitions, now that every user has a position.
void Plan::collectUses() {
  for (auto [value, node, begin] : definitions) {
    SmallVector<Operation *> users;
    SmallVector<Range> ranges;
    listUsers(value, users);
    addRanges(users, value.getParentBlock()->getParentOp(), begin, begin + 2, ranges);
    for (auto [from, last] : ranges) {
      for (const TileGroup &group : tileGroups) {
        int64_t start = begins[group.first], end = begins[group.last] + 1;
        if (llvm::is_contained(group.inner, value))
          continue;
        if (from > start && from < end)
          from = start;
        if (last > start && last < end)
          last = end;
      }
      live(node, from, last);
    }
  }
}

/// True if `from`, whose value is live in `read`, is handed over to `to`, whose value is live in
/// `written`.
bool Plan::isHandedOver(int from, const Range &read, int to, const Range &written) {
  auto entry = handovers.find(written.begin);
  return entry != handovers.end() && llvm::any_of(entry->second, [&](const Handover &handover) {
           return read.end == handover.until && find(handover.from) == from &&
                  find(handover.to) == to;
         });
}

/// True if the live ranges of buffers `a` and `b` overlap.
bool Plan::overlap(int a, int b) {
  ArrayRef<Range> first = buffers[a].ranges, second = buffers[b].ranges;
  while (!first.empty() && !second.empty()) {
    const Range &x = first.front(), &y = second.front();
    if (x.begin < y.end && y.begin < x.end && !isHandedOver(a, x, b, y) &&
        !isHandedOver(b, y, a, x))
      return true;
    if (x.end < y.end)
      first = first.drop_front();
    else
      second = second.drop_front();
  }
  return false;
}

bool Plan::tryCoalesce(const CoalesceHint &hint) {
  int from = find(hint.from), to = find(hint.to);
  if (from == to)
    return true;
  const Buffer &source = buffers[from], &target = buffers[to];
  if (source.readOnly || target.readOnly || source.bytes != target.bytes)
    return false;
  if (getElementTypeOrSelf(source.type) != getElementTypeOrSelf(target.type))
    return false;
  if (source.place == Place::Result && target.place == Place::Result)
    return false;
  // Small loop state is better kept in registers and copied to the result once.
  bool isResult = source.place == Place::Result || target.place == Place::Result;
  if (isResult && (source.carried || target.carried) && source.bytes <= maxStackBytes)
    return false;
  if (overlap(from, to))
    return false;
  unite(from, to);
  return true;
}

/// Turns the transfers of each place into copies, ordered so that no source is overwritten before
/// it is read.
void Plan::orderCopies() {
  for (auto &[op, transfers] : copies) {
    SmallVector<Copy> pending, ordered;
    for (Copy copy : transfers)
      if (find(copy.from) != find(copy.to))
        pending.push_back({find(copy.from), find(copy.to)});
    while (!pending.empty()) {
      Copy *ready = llvm::find_if(pending, [&](const Copy &copy) {
        return llvm::none_of(pending, [&](const Copy &other) { return other.from == copy.to; });
      });
      if (ready != pending.end()) {
        ordered.push_back(*ready);
        pending.erase(ready);
        continue;
      }
      // A cycle: save one buffer to a temporary.
      int moved = pending.front().to;
      int spare = addNode(Value(), buffers[moved].type);
      live(spare, begins[op], begins[op] + 2);
      ordered.push_back({moved, spare});
      for (Copy &copy : pending)
        if (copy.from == moved)
          copy.from = spare;
    }
    transfers = ordered;
  }
}

Plan::Plan(func::FuncOp main, ArrayRef<Alias> aliases) : main(main) {
  for (auto [i, type] : llvm::enumerate(main.getResultTypes()))
    resultNodes.push_back(addNode(Value(), type, Place::Result, i));
  for (BlockArgument argument : main.getArguments()) {
    int node = addNode(argument, argument.getType(), Place::Argument, argument.getArgNumber());
    definitions.push_back({argument, node, 0});
  }
  number(main.getBody().front(), 0);
  findTileGroups();
  collectUses();
  for (Buffer &buffer : buffers)
    llvm::sort(buffer.ranges, [](const Range &a, const Range &b) { return a.begin < b.begin; });
  for (Alias alias : aliases) {
    int argument = nodeOf[main.getArgument(alias.argument)], result = resultNodes[alias.result];
    buffers[argument].readOnly = false;
    buffers[argument].place = Place::Result;
    buffers[argument].index = alias.result;
    unite(argument, result);
    buffers[find(result)].type = main.getResultTypes()[alias.result];
  }
  llvm::stable_sort(
      hints, [](const CoalesceHint &a, const CoalesceHint &b) { return a.weight > b.weight; });
  for (const CoalesceHint &hint : hints)
    tryCoalesce(hint);
  orderCopies();
  place();
}

ArrayRef<Copy> Plan::getCopies(Operation *op) const {
  auto entry = copies.find(op);
  return entry == copies.end() ? ArrayRef<Copy>() : ArrayRef<Copy>(entry->second);
}

SmallVector<int64_t> Plan::getLaunchPositions() {
  SmallVector<int64_t> positions;
  main.walk([&](KernelOp kernel) { positions.push_back(begins.lookup(kernel)); });
  return positions;
}

bool Plan::isReused(KernelOp kernel, unsigned result) {
  int64_t reuse = kernel.getReuse()[result];
  return reuse >= 0 && getBuffer(kernel.getInputs()[reuse]) == getBuffer(kernel.getResult(result));
}
