// SPDX-License-Identifier: Apache-2.0
// The rehearsal of choices: what happens where data decide what comes next.
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/collectives/MatchTransfers.h"
#include "passes/collectives/RehearsalProgram.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc {

std::shared_ptr<const Rehearsal::Program> Rehearsal::Program::of(func::FuncOp function,
                                                                 const Sameness &sameness) {
  auto program = std::make_shared<Program>(Program{sameness.getCounts(), sameness, {}});
  function.walk([&](CollectiveStartOp start) {
    for (Operation *op = start; op != function; op = op->getParentOp())
      program->places.insert(op);
  });
  return program;
}

/// The lanes in which the participant may meet others inside `op`.
SmallVector<Rehearsal::Lane *> Rehearsal::getLanesIn(Operation *op, int64_t participant) {
  SmallVector<Lane *> found;
  op->walk([&](CollectiveStartOp start) {
    Lane *lane = getLanes(start)[participant];
    if (lane && !llvm::is_contained(found, lane))
      found.push_back(lane);
  });
  return found;
}

/// Records that data decide what the participant does in `op`. Returns false if those whom it meets
/// there may decide differently.
bool Rehearsal::addChoice(Operation *op, int64_t participant) {
  Way &way = ways[participant];
  Choice choice{op, way.rounds[op], way.steps.size(), {}};
  for (Lane *lane : getLanesIn(op, participant)) {
    for (Value decision : getDecisions(op)) {
      const ParticipantClasses &classes = program->sameness.getClasses(decision);
      for (int64_t member : lane->members)
        if (classes[member] != classes[participant])
          return false;
    }
    choice.before[lane] = way.meetings[lane];
  }
  if (choice.before.empty())
    return true;
  way.places[{op, way.rounds[op]++}] = way.choices.size();
  way.choices.push_back(std::move(choice));
  ++stepCount;
  return true;
}

/// Where the last member of a lane, the target of a transfer, meets the others inside `op`.
Operation *Rehearsal::findStart(Operation *op, const Lane &lane) {
  Operation *found = nullptr;
  op->walk([&](CollectiveStartOp start) {
    if (getLanes(start)[lane.members.back()] == &lane)
      found = start;
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

/// True if all whom a choice concerns come to it after the same meetings.
bool Rehearsal::isEven(const Choice &choice) {
  for (auto [lane, count] : choice.before)
    for (int64_t member : lane->members) {
      const Way &other = ways[member];
      auto place = other.places.find({choice.op, choice.round});
      if (place == other.places.end() || place->second >= other.choices.size())
        return false;
      if (other.choices[place->second].before.lookup(lane) == count)
        continue;
      auto [first, second] = std::minmax(lane->members[0], lane->members[1]);
      doubts.try_emplace(choice.op, Doubt{choice.op, findStart(choice.op, *lane), first, second});
      return false;
    }
  return true;
}

/// Ends a participant's way at the first choice after which nothing is known; returns true if there
/// is one.
bool Rehearsal::endWay(int64_t participant) {
  Way &way = ways[participant];
  for (auto [i, choice] : llvm::enumerate(way.choices)) {
    bool even = isEven(choice);
    if (even && examine(choice.op).isNeutral)
      continue;
    bool isLast = even && i + 1 == way.choices.size() && choice.step == way.steps.size();
    if (isLast && !way.isKnown)
      return false;
    way.steps.resize(choice.step);
    way.choices.resize(even ? i + 1 : i);
    way.isKnown = false;
    return true;
  }
  return false;
}

/// Repeats, since others' choices may rely on a way that ends.
void Rehearsal::endWays() {
  bool isChanging = true;
  while (isChanging) {
    isChanging = false;
    for (int64_t participant = 0; participant < program->counts.total(); ++participant)
      isChanging |= endWay(participant);
  }
}

/// The blocks that may run next, any number of times: each alternative is simulated once.
static SmallVector<SmallVector<Block *>> listAlternatives(Operation *choice) {
  if (auto loop = dyn_cast<scf::WhileOp>(choice))
    return {{loop.getAfterBody(), loop.getBeforeBody()}};
  SmallVector<SmallVector<Block *>> alternatives;
  for (Region &region : choice->getRegions()) {
    alternatives.emplace_back();
    if (!region.empty())
      alternatives.back().push_back(&region.front());
  }
  return alternatives;
}

/// Removes participants that are not in the ring; all of them if the ring is not certain.
static void keepThoseIn(ArrayRef<Rehearsal::Ring> rings, llvm::SmallSet<int64_t, 8> &participants) {
  llvm::SmallSet<int64_t, 8> kept;
  if (!rings.empty() && !rings.front().choice)
    for (const Rehearsal::Wait &wait : rings.front().waits)
      if (participants.contains(wait.participant))
        kept.insert(wait.participant);
  participants = kept;
}

/// Simulates a choice's alternatives, with nothing pending before them.
const Rehearsal::Outcome &Rehearsal::examine(Operation *choice) {
  auto [place, isNew] = outcomes.try_emplace(choice);
  Outcome &outcome = place->second;
  if (!isNew)
    return outcome;
  llvm::SmallSet<int64_t, 8> lost;       // in a certain ring in every alternative
  if (!isa<LoopLikeOpInterface>(choice)) // a loop may run zero times
    lost.insert_range(llvm::seq<int64_t>(program->counts.total()));
  for (ArrayRef<Block *> blocks : listAlternatives(choice)) {
    Rehearsal part(program, blocks);
    outcome.isNeutral &= part.isNeutral();
    std::vector<Ring> rings = part.findRings();
    keepThoseIn(rings, lost);
    llvm::append_range(outcome.rings, rings);
    llvm::append_range(outcome.doubts, part.findDoubts());
  }
  if (!lost.empty()) {
    outcome.rings.resize(1);
    return outcome;
  }
  for (Ring &ring : outcome.rings)
    if (!ring.choice)
      ring.choice = choice;
  return outcome;
}

/// True if all participants get to the end, and nothing that they started is met later.
bool Rehearsal::isNeutral() const {
  auto isThrough = [](const Way &way) { return way.isKnown && way.next == way.steps.size(); };
  auto isEqual = [](const auto &lane) { return llvm::all_equal(lane.second->arrivals); };
  return isMatched && llvm::all_of(ways, isThrough) && llvm::all_of(lanes, isEqual);
}

std::vector<Rehearsal::Doubt> Rehearsal::findDoubts() const {
  std::vector<Doubt> found;
  llvm::append_range(found, llvm::make_second_range(doubts));
  for (const auto &[choice, outcome] : outcomes)
    llvm::append_range(found, outcome.doubts);
  return found;
}

std::vector<Rehearsal::Ring> Rehearsal::findRings() const {
  if (SmallVector<Wait> ring = findRing(); !ring.empty())
    return {Ring{std::move(ring)}};
  std::vector<Ring> found;
  llvm::SmallPtrSet<Operation *, 4> seen;
  for (const Way &way : ways) {
    if (way.choices.empty() || !seen.insert(way.choices.back().op).second)
      continue;
    for (const Ring &ring : outcomes.find(way.choices.back().op)->second.rings) {
      if (!ring.choice)
        return {ring};
      found.push_back(ring);
    }
  }
  return found;
}

} // namespace hloc
