// SPDX-License-Identifier: Apache-2.0
#include "passes/collectives/Rehearsal.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/collectives/ParticipantNumbers.h"
#include "passes/collectives/RehearsalProgram.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc {

/// Sends on a channel to one target that the runtime keeps for a receiver that has not come yet.
static constexpr int64_t kKeptSends = 64;
/// The most steps of all participants that are simulated, which bounds compile time for long loops.
static constexpr size_t kMostSteps = 1 << 18;

static bool isKind(CollectiveStartOp op, CollectiveKind kind) {
  return op.getKind() == stringify(kind);
}

Rehearsal::Rehearsal(func::FuncOp function, const Sameness &sameness)
    : Rehearsal(Program::of(function, sameness), {&function.getBody().front()}) {}

Rehearsal::Rehearsal(std::shared_ptr<const Program> whole, ArrayRef<Block *> blocks)
    : program(std::move(whole)), ways(program->counts.total()) {
  if (program->places.empty())
    return;
  for (auto [participant, way] : llvm::enumerate(ways))
    way.isKnown =
        llvm::all_of(blocks, [&](Block *block) { return follow(*block, int64_t(participant)); });
  endWays();
  run();
}

bool Rehearsal::Lane::isComplete(int64_t meeting) {
  while (true) {
    while (missing < arrivals.size() && arrivals[missing] > complete)
      ++missing;
    if (missing < arrivals.size())
      return meeting < complete;
    ++complete;
    missing = 0;
  }
}

/// Null if there are no other members.
Rehearsal::Lane *Rehearsal::getLane(std::optional<int64_t> channel, ArrayRef<int64_t> members) {
  if (members.size() < 2 || (channel && members[0] == members[1]))
    return nullptr;
  std::unique_ptr<Lane> &lane = lanes[{channel, members.vec()}];
  if (!lane) {
    lane = std::make_unique<Lane>();
    lane->members.assign(members.begin(), members.end());
    lane->arrivals.resize(members.size());
  }
  return lane.get();
}

ArrayRef<Rehearsal::Lane *> Rehearsal::getLanes(CollectiveStartOp op) {
  auto [place, isNew] = lanesOf.try_emplace(op);
  std::vector<Lane *> &found = place->second;
  if (!isNew)
    return found;
  found.resize(program->counts.total());
  bool isSend = isKind(op, CollectiveKind::PeerSend);
  if (isSend || isKind(op, CollectiveKind::PeerRecv)) {
    ArrayRef<int64_t> pairs = op.getPairs();
    for (size_t i = 0; i < pairs.size(); i += 2)
      found[pairs[isSend ? i : i + 1]] = getLane(op.getChannelId().value_or(0), pairs.slice(i, 2));
    return found;
  }
  SmallVector<int64_t> sizes(op.getGroups().getSizes()), ids(op.getGroups().getIds());
  if (sizes.empty()) { // one group of all
    sizes.push_back(program->counts.total());
    ids = llvm::to_vector(llvm::seq<int64_t>(program->counts.total()));
  }
  ArrayRef<int64_t> rest = ids;
  for (int64_t size : sizes) {
    Lane *lane = getLane(std::nullopt, rest.take_front(size));
    for (int64_t member : rest.take_front(size))
      found[member] = lane;
    rest = rest.drop_front(size);
  }
  return found;
}

void Rehearsal::addStart(CollectiveStartOp op, int64_t participant) {
  Way &way = ways[participant];
  way.begun.erase(op);
  Lane *lane = getLanes(op)[participant];
  if (!lane)
    return;
  Step step{op,
            lane,
            llvm::find(lane->members, participant) - lane->members.begin(),
            way.meetings[lane]++,
            /*isDone=*/false,
            isKind(op, CollectiveKind::PeerSend)};
  way.begun[op] = step;
  way.steps.push_back(step);
  ++stepCount;
}

/// Appends the steps of the participant in `block`. Returns false if it is not known what comes
/// next.
bool Rehearsal::follow(Block &block, int64_t participant) {
  Way &way = ways[participant];
  for (Operation &op : block) {
    if (stepCount > kMostSteps)
      return false;
    if (auto start = dyn_cast<CollectiveStartOp>(op)) {
      addStart(start, participant);
    } else if (auto done = dyn_cast<CollectiveDoneOp>(op)) {
      auto begun = way.begun.find(done.getTicket().getDefiningOp());
      if (begun == way.begun.end())
        continue;
      Step step = begun->second;
      step.op = done;
      step.isDone = true;
      way.steps.push_back(step);
      ++stepCount;
    } else if (program->places.contains(&op) && !followControl(&op, participant)) {
      return false;
    }
  }
  return true;
}

bool Rehearsal::followControl(Operation *op, int64_t participant) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    std::optional<llvm::APInt> count = loop.getStaticTripCount();
    for (uint64_t i = 0; count && i < count->getZExtValue(); ++i)
      if (!follow(*loop.getBody(), participant))
        return false;
    return count || addChoice(op, participant);
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return follow(*loop.getBeforeBody(), participant) && addChoice(op, participant);
  std::optional<unsigned> taken = findTaken(op, participant, program->counts);
  if (!taken)
    return addChoice(op, participant);
  Region &region = op->getRegion(*taken);
  return region.empty() || follow(region.front(), participant);
}

/// True if a participant at this step does not wait, if the others are as fast as possible.
bool Rehearsal::mayGoOn(const Step &step) {
  if (!step.isDone || step.lane->isComplete(step.meeting))
    return true;
  return step.isSend && step.meeting - step.lane->arrivals[1] < kKeptSends;
}

/// Advances the participant as far as possible; returns true if it advanced.
bool Rehearsal::advance(int64_t participant) {
  Way &way = ways[participant];
  size_t before = way.next;
  for (; way.next < way.steps.size() && mayGoOn(way.steps[way.next]); ++way.next) {
    const Step &step = way.steps[way.next];
    if (step.isDone)
      continue;
    Lane &lane = *step.lane;
    ++lane.arrivals[step.place];
    if (step.meeting == int64_t(lane.ops.size()))
      lane.ops.push_back(step.op);
    // If the two differ, the runtime refuses one.
    auto first = cast<CollectiveStartOp>(lane.ops[step.meeting]),
         other = cast<CollectiveStartOp>(step.op);
    bool isTransfer = step.isSend || isKind(other, CollectiveKind::PeerRecv);
    isMatched &= isTransfer || first.getKind() == other.getKind();
  }
  return way.next > before;
}

void Rehearsal::run() {
  bool isMoving = true;
  while (isMoving && isMatched) {
    isMoving = false;
    for (int64_t participant = 0; participant < program->counts.total(); ++participant)
      isMoving |= advance(participant);
  }
}

/// The participants that wait for one that waits forever, or for one that has finished its known
/// way and will not come to any further meeting.
std::vector<bool> Rehearsal::findStuck() const {
  std::vector<bool> stuck(ways.size(), true);
  bool changed = true;
  while (changed) {
    changed = false;
    for (auto [participant, way] : llvm::enumerate(ways)) {
      if (!stuck[participant])
        continue;
      bool mayCome = !way.isKnown;
      if (way.next < way.steps.size()) {
        const Step &step = way.steps[way.next];
        mayCome = true;
        for (auto [member, count] : llvm::zip(step.lane->members, step.lane->arrivals))
          mayCome &= count > step.meeting || !stuck[member];
      }
      changed |= mayCome;
      stuck[participant] = !mayCome;
    }
  }
  return stuck;
}

/// The first participant that is itself waiting, among those for whom a stuck participant waits;
/// none if there is none.
std::optional<Rehearsal::Wait> Rehearsal::describeWait(int64_t participant,
                                                       const std::vector<bool> &stuck) const {
  const Way &way = ways[participant];
  if (!stuck[participant] || way.next == way.steps.size())
    return std::nullopt;
  const Step &step = way.steps[way.next];
  for (auto [member, count] : llvm::zip(step.lane->members, step.lane->arrivals)) {
    const Way &other = ways[member];
    if (count > step.meeting || !stuck[member] || other.next == other.steps.size())
      continue;
    auto meets = [&](const Step &later) {
      return !later.isDone && later.lane == step.lane && later.meeting == step.meeting;
    };
    auto later = std::find_if(other.steps.begin() + other.next, other.steps.end(), meets);
    return Wait{participant, step.op, member, later == other.steps.end() ? nullptr : later->op};
  }
  return std::nullopt;
}

SmallVector<Rehearsal::Wait> Rehearsal::findRing() const {
  if (!isMatched)
    return {};
  std::vector<bool> stuck = findStuck();
  for (int64_t first = 0; first < program->counts.total(); ++first) {
    SmallVector<Wait> chain;
    std::map<int64_t, size_t> places; // in the chain
    int64_t participant = first;
    while (!places.contains(participant)) {
      std::optional<Wait> wait = describeWait(participant, stuck);
      if (!wait)
        break;
      places[participant] = chain.size();
      chain.push_back(*wait);
      participant = wait->awaited;
    }
    auto begin = places.find(participant);
    if (begin != places.end())
      return SmallVector<Wait>(ArrayRef(chain).drop_front(begin->second));
  }
  return {};
}

} // namespace hloc
