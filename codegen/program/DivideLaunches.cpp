// SPDX-License-Identifier: Apache-2.0
// The pass divide-launches: which launches and copies are divided among threads. Each is a node of
// a network, on the side of those that run whole or of those that are divided, and the side costs
// its time there. Where one side reads what the other wrote, half of it goes from core to core,
// which costs the transfer. The minimum cut is the choice of least time.
#include "codegen/LaunchAttribute.h"
#include "codegen/Passes.h"
#include "codegen/program/Extent.h"
#include "compiler/target/CompileCosts.h"
#include "compiler/target/Cost.h"
#include "compiler/target/TargetAttribute.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/simplify/MinimumCut.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include <map>

using namespace mlir;

namespace hloc {
#define GEN_PASS_DEF_DIVIDELAUNCHES
#include "codegen/Passes.h.inc"
} // namespace hloc

using namespace hloc;

namespace {

/// The body of a function or loop.
struct Scope {
  size_t parent;
  /// How often it runs in one run of its function, and in one run of its parent.
  double runs, trips;
  /// By place, the bytes that a run accesses.
  std::map<std::tuple<void *, int64_t, int64_t>, double> accessed = {};
  /// Bytes of all that the loop accesses.
  double footprint = 0;
};

/// A launch or a copy.
struct Work {
  Operation *op;
  size_t scope;
  /// Predicted nanoseconds on one core; whether it can be divided.
  double time;
  bool isDivisible;
  /// Bytes of what it accesses that no work of the same scope has just written.
  int64_t cold = 0;
};

/// What one piece of work writes, and by which pieces of work it is read next.
struct Array {
  size_t writer;
  int64_t bytes;
  /// By reader, the bytes that it reads.
  llvm::MapVector<size_t, int64_t> readers = {};
};

/// The work of a function, and the arrays that it passes on.
class WorkGraph {
public:
  WorkGraph(Block &body, const llvm::StringMap<KernelSchedule> &schedules, const Target &target)
      : schedules(schedules), costs(target), l2Bytes(target.machine.l2.bytes) {
    scopes.push_back({0, 1, 1});
    add(body, 0, /*again=*/true);
    measureFootprints();
  }

  /// Marks the operations that should be divided.
  void divide();
  /// Calls `visit` with each launch and its predicted nanoseconds on one core.
  void visitLaunches(function_ref<void(hlo::LaunchOp, double)> visit) const;

private:
  struct Piece {
    int64_t end;
    Array *array; ///< null if no work wrote it
  };
  using Pieces = std::map<int64_t, Piece>;
  /// Bytes of a buffer that an operation accesses.
  struct Access {
    Value buffer;
    int64_t bytes;
  };

  void add(Block &block, size_t scope, bool again);
  void addRegions(Operation &op, size_t scope, bool again);
  size_t getScope(Operation &op, size_t parent);
  void addLaunch(hlo::LaunchOp launch, size_t scope);
  void addCopy(memref::CopyOp copy, size_t scope);
  void addWork(const Work &added, ArrayRef<Access> reads, ArrayRef<Access> writes);
  Pieces::iterator findPiece(Pieces &pieces, int64_t begin);
  bool isWarm(const Extent &extent, size_t scope);
  void read(size_t reader, const Access &access);
  void write(std::optional<size_t> writer, const Access &access);
  void measureFootprints();
  double getTime(const Work &one) const;
  double getRuns(size_t number) const { return scopes[work[number].scope].runs; }
  static int64_t getCost(double time, double runs);
  int64_t getTransferCost(const Array &array, size_t reader, int64_t bytes) const;
  void addTransfers(const Array &array, ArrayRef<int> nodes, MinimumCut &cut) const;

  const llvm::StringMap<KernelSchedule> &schedules;
  CostModel costs;
  int64_t l2Bytes;
  std::vector<Scope> scopes; ///< outer ones first
  std::vector<Work> work;
  DenseMap<Operation *, size_t> scopeNumbers, workNumbers;
  /// By writer and buffer, so that a second visit finds them again.
  std::map<std::pair<size_t, void *>, Array> arrays;
  /// What the program's memory holds, as pieces that do not overlap, by where they begin.
  DenseMap<Value, Pieces> memory;
};

/// The first piece that ends behind `begin`.
WorkGraph::Pieces::iterator WorkGraph::findPiece(Pieces &pieces, int64_t begin) {
  auto piece = pieces.upper_bound(begin);
  if (piece != pieces.begin() && std::prev(piece)->second.end > begin)
    --piece;
  return piece;
}

/// True if work of the scope has written most of this.
bool WorkGraph::isWarm(const Extent &extent, size_t scope) {
  Pieces &pieces = memory[extent.base];
  int64_t warm = 0;
  for (auto piece = findPiece(pieces, extent.begin);
       piece != pieces.end() && piece->first < extent.end; ++piece)
    if (auto [end, array] = piece->second; array && work[array->writer].scope == scope)
      warm += std::min(end, extent.end) - std::max(piece->first, extent.begin);
  return 2 * warm >= extent.end - extent.begin;
}

void WorkGraph::read(size_t reader, const Access &access) {
  Extent extent = findExtent(access.buffer);
  Pieces &pieces = memory[extent.base];
  for (auto piece = findPiece(pieces, extent.begin);
       piece != pieces.end() && piece->first < extent.end; ++piece) {
    auto [end, array] = piece->second;
    if (!array || array->writer == reader)
      continue;
    int64_t &most = array->readers[reader];
    most = std::max(most, std::min(access.bytes, end - piece->first));
  }
}

void WorkGraph::write(std::optional<size_t> writer, const Access &access) {
  Extent extent = findExtent(access.buffer);
  if (int64_t size = extent.end - extent.begin; writer && access.bytes < size) {
    read(*writer, access); // the lines are in the cache of who wrote the array
    if (2 * access.bytes < size)
      return; // most of it stays what it was
  }
  Pieces &pieces = memory[extent.base];
  for (auto piece = findPiece(pieces, extent.begin);
       piece != pieces.end() && piece->first < extent.end;) {
    auto [begin, old] = *piece;
    piece = pieces.erase(piece);
    if (begin < extent.begin)
      pieces[begin] = {extent.begin, old.array};
    if (old.end > extent.end)
      piece = pieces.try_emplace(extent.end, old).first;
  }
  Array *array = nullptr;
  if (writer)
    array = &arrays
                 .try_emplace({*writer, access.buffer.getAsOpaquePointer()},
                              Array{*writer, access.bytes})
                 .first->second;
  if (extent.begin < extent.end)
    pieces[extent.begin] = {extent.end, array};
}

void WorkGraph::addWork(const Work &added, ArrayRef<Access> reads, ArrayRef<Access> writes) {
  auto [entry, isNew] = workNumbers.try_emplace(added.op, work.size());
  if (isNew)
    work.push_back(added);
  size_t number = entry->second;
  int64_t cold = 0;
  for (const Access &access : llvm::concat<const Access>(reads, writes)) {
    Extent extent = findExtent(access.buffer);
    double &accessed =
        scopes[added.scope].accessed[{extent.base.getAsOpaquePointer(), extent.begin, extent.end}];
    accessed = std::max(accessed, double(access.bytes));
    if (!isWarm(extent, added.scope))
      cold += access.bytes;
  }
  work[number].cold = cold; // after the second visit, what earlier iterations wrote is known
  for (const Access &access : reads)
    read(number, access);
  for (const Access &access : writes)
    write(number, access);
}

void WorkGraph::addLaunch(hlo::LaunchOp launch, size_t scope) {
  auto found = schedules.find(launch.getKernel());
  if (found == schedules.end() || found->second.units == 0)
    return;
  const KernelSchedule &schedule = found->second;
  auto getAccess = [&](size_t i, Value buffer) {
    Extent extent = findExtent(buffer);
    return Access{buffer,
                  i < schedule.accessed.size() ? schedule.accessed[i] : extent.end - extent.begin};
  };
  SmallVector<Access> reads, writes;
  for (auto [i, input] : llvm::enumerate(launch.getInputs()))
    reads.push_back(getAccess(i, input));
  for (auto [i, output] : llvm::enumerate(launch.getOutputs()))
    writes.push_back(getAccess(reads.size() + i, output));
  addWork({launch, scope, double(schedule.time), schedule.tasks > 1}, reads, writes);
}

void WorkGraph::addCopy(memref::CopyOp copy, size_t scope) {
  Extent source = findExtent(copy.getSource());
  int64_t bytes = source.end - source.begin;
  addWork({copy, scope, costs.getCopyTime(double(bytes)), /*isDivisible=*/true},
          Access{copy.getSource(), bytes}, Access{copy.getTarget(), bytes});
}

/// The scope of the regions of `op`.
size_t WorkGraph::getScope(Operation &op, size_t parent) {
  if (!isa<LoopLikeOpInterface>(op))
    return parent;
  auto [entry, isNew] = scopeNumbers.try_emplace(&op, scopes.size());
  if (isNew) {
    auto loop = dyn_cast<scf::ForOp>(op);
    std::optional<APInt> known = loop ? loop.getStaticTripCount() : std::nullopt;
    double trips = known ? known->roundToDouble() : kCompileCosts.unknownRounds;
    scopes.push_back({parent, scopes[parent].runs * trips, trips});
  }
  return entry->second;
}

void WorkGraph::addRegions(Operation &op, size_t scope, bool again) {
  for (Region &region : op.getRegions())
    for (Block &block : region)
      add(block, scope, again);
}

/// Adds the work of a block. The bodies of loops are visited again, if `again`, since an iteration
/// reads what the one before has written.
void WorkGraph::add(Block &block, size_t scope, bool again) {
  for (Operation &op : block) {
    if (auto launch = dyn_cast<hlo::LaunchOp>(op)) {
      addLaunch(launch, scope);
    } else if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      addCopy(copy, scope);
    } else if (auto call = dyn_cast<hlo::RuntimeCallOp>(op)) {
      for (Value output : call.getOutputs())
        write(std::nullopt, {output, 0});
    } else {
      size_t inner = getScope(op, scope);
      addRegions(op, inner, again);
      if (again && inner != scope)
        addRegions(op, inner, /*again=*/false);
    }
  }
}

void WorkGraph::measureFootprints() {
  for (Scope &scope : llvm::reverse(scopes))
    for (auto [place, bytes] : scope.accessed) {
      auto [base, begin, end] = place;
      double all = std::min(bytes * scope.trips, double(end - begin));
      scope.footprint += all;
      if (&scope == &scopes.front())
        continue;
      double &outer = scopes[scope.parent].accessed[place];
      outer = std::max(outer, all);
    }
}

/// Nanoseconds of work on one core: predictions of kernels do not know what runs in between, after
/// which arrays are in a farther level.
double WorkGraph::getTime(const Work &one) const {
  return std::max(one.time, double(one.cold) * costs.getStreamTime(scopes[one.scope].footprint));
}

/// The cost of an edge, in picoseconds. Bounded, as sums of costs must not overflow.
int64_t WorkGraph::getCost(double time, double runs) {
  return int64_t(std::min(1000 * time * runs, 1e16));
}

/// The cost of what goes from core to core if one divides its work and the other does not: half of
/// what the reader sees of the array.
int64_t WorkGraph::getTransferCost(const Array &array, size_t reader, int64_t bytes) const {
  // What does not stay in the writer's L2 comes from farther away in any case.
  if (array.bytes > l2Bytes)
    return 0;
  // A loop may write an array part by part, or read it so.
  double written = getRuns(array.writer), read = getRuns(reader), times = std::min(written, read),
         moved = std::min(written * double(array.bytes), read * double(bytes)) / 2;
  return getCost(costs.getTransferTime(moved / times), times);
}

/// Adds the edges between an array's writer and its readers. However many readers are on the other
/// side, only the largest of their transfers is paid: that of the first in order.
void WorkGraph::addTransfers(const Array &array, ArrayRef<int> nodes, MinimumCut &cut) const {
  SmallVector<std::pair<int64_t, int>> readers;
  for (auto [reader, bytes] : array.readers)
    readers.push_back({getTransferCost(array, reader, bytes), nodes[reader]});
  llvm::sort(readers, std::greater<>());
  int writer = nodes[array.writer], divided = -1, whole = -1;
  for (auto [i, reader] : llvm::enumerate(readers)) {
    auto [cost, node] = reader;
    if (cost == 0)
      break;
    // These are on the other side than the writer if one of the readers up to here is.
    int dividedBefore = std::exchange(divided, cut.addNode()),
        wholeBefore = std::exchange(whole, cut.addNode());
    int64_t next = i + 1 < readers.size() ? readers[i + 1].first : 0;
    cut.addEdge(writer, divided, cost - next);
    cut.addEdge(whole, writer, cost - next);
    cut.addEdge(divided, node, MinimumCut::never);
    cut.addEdge(node, whole, MinimumCut::never);
    if (i > 0) {
      cut.addEdge(divided, dividedBefore, MinimumCut::never);
      cut.addEdge(wholeBefore, whole, MinimumCut::never);
    }
  }
}

void WorkGraph::divide() {
  if (llvm::none_of(work, [](const Work &one) { return one.isDivisible; }))
    return;
  // On the source's side is what runs whole.
  MinimumCut cut;
  std::vector<int> nodes;
  for (const Work &one : work) {
    int node = nodes.emplace_back(cut.addNode());
    if (!one.isDivisible) {
      cut.addEdge(MinimumCut::Source, node, MinimumCut::never);
      continue;
    }
    double time = getTime(one), runs = scopes[one.scope].runs;
    cut.addEdge(node, MinimumCut::Sink, getCost(time, runs));
    cut.addEdge(MinimumCut::Source, node, getCost(time / 2 + costs.getHandoverTime(), runs));
  }
  for (const auto &[key, array] : arrays)
    addTransfers(array, nodes, cut);
  std::vector<bool> isWhole = cut.solve();
  for (auto [one, node] : llvm::zip_equal(work, nodes))
    if (!isWhole[node])
      one.op->setAttr(kDivided, UnitAttr::get(one.op->getContext()));
}

void WorkGraph::visitLaunches(function_ref<void(hlo::LaunchOp, double)> visit) const {
  for (const Work &one : work)
    if (auto launch = dyn_cast<hlo::LaunchOp>(one.op))
      visit(launch, getTime(one));
}

struct DivideLaunches : hloc::impl::DivideLaunchesBase<DivideLaunches> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<Target> target = getTarget(module, targetNumber);
    if (failed(target))
      return signalPassFailure();
    if (target->singleThreaded)
      return;
    llvm::StringMap<KernelSchedule> schedules = getLaunches(module);
    llvm::StringSet<> divided;
    llvm::StringMap<double> times;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      WorkGraph graph(function.getBody().front(), schedules, *target);
      graph.divide();
      graph.visitLaunches([&](hlo::LaunchOp launch, double time) {
        if (launch->hasAttr(kDivided))
          divided.insert(launch.getKernel());
        double &most = times[launch.getKernel()];
        most = std::max(most, time);
      });
    }
    for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
      auto found = schedules.find(function.getSymName());
      if (found == schedules.end() || found->second.tasks < 2)
        continue;
      KernelSchedule &schedule = found->second;
      schedule.time =
          std::max(schedule.time, int64_t(std::ceil(times.lookup(function.getSymName()))));
      if (!divided.contains(function.getSymName()))
        schedule.tasks = 1;
      setLaunch(function, schedule);
    }
  }
};

} // namespace
