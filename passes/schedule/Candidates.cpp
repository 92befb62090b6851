// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/Candidates.h"
#include "passes/schedule/Summation.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// Schedules whose predicted time exceeds the own one's by more than this factor are not worth a
/// compilation.
static constexpr double kHopeless = 2;
/// Sizes up to this one are also varied by one, others only by factors.
static constexpr int64_t kSmall = 8;

std::string checkInsteadOf(const KernelProblem &problem, hlo::ScheduleAttr own,
                           hlo::ScheduleAttr schedule) {
  if (std::string wrong = checkSchedule(problem, schedule); !wrong.empty())
    return wrong;
  std::string order = getSummation(problem, schedule), ownOrder = getSummation(problem, own);
  return order == ownOrder
             ? ""
             : "sums would have different bits:  " + order + " instead of " + ownOrder;
}

static const Strategy *findStrategy(const KernelProblem &problem, StringRef name) {
  for (const Strategy &strategy : getStrategies(problem))
    if (strategy.name == name)
      return &strategy;
  return nullptr;
}

/// The schedules of `all` that may replace `own`, by predicted time.
static SmallVector<Candidate> select(const KernelProblem &problem, hlo::ScheduleAttr own,
                                     ArrayRef<hlo::ScheduleAttr> all) {
  double most = kHopeless * getCost(problem, own);
  SmallVector<Candidate> good;
  for (hlo::ScheduleAttr schedule :
       llvm::SmallSetVector<hlo::ScheduleAttr, 16>(all.begin(), all.end())) {
    if (schedule == own || !checkInsteadOf(problem, own, schedule).empty())
      continue;
    double time = getCost(problem, schedule);
    if (time <= most)
      good.push_back({schedule, time});
  }
  llvm::stable_sort(good, [](const Candidate &x, const Candidate &y) { return x.time < y.time; });
  return good;
}

SmallVector<hlo::ScheduleAttr> listCandidates(const KernelProblem &problem, hlo::ScheduleAttr own) {
  SmallVector<hlo::ScheduleAttr> all;
  for (const Strategy &strategy : getStrategies(problem))
    if (strategy.refuse(problem).empty())
      strategy.propose(problem, all);
  SmallVector<hlo::ScheduleAttr> first, rest;
  llvm::SmallDenseSet<StringRef> seen;
  for (const Candidate &candidate : select(problem, own, all))
    (seen.insert(candidate.schedule.getStrategy()).second ? first : rest)
        .push_back(candidate.schedule);
  first.append(rest);
  return first;
}

namespace {

/// The fields of a schedule that are varied.
struct Fields {
  SmallVector<int64_t> tile, block;
  int64_t lanes;
  SmallVector<StringAttr> with;

  explicit Fields(hlo::ScheduleAttr from)
      : tile(from.getTile()), block(from.getBlock()), lanes(from.getLanes()), with(from.getWith()) {
  }

  hlo::ScheduleAttr get(hlo::ScheduleAttr from) const {
    return hlo::ScheduleAttr::get(from.getContext(), from.getStrategy(), tile, block, lanes,
                                  from.getGroup(), from.getUnits(), from.getGrain(),
                                  from.getScratch(), with);
  }
};

} // namespace

/// Other sizes to try instead of `size`.
static SmallVector<int64_t> vary(int64_t size) {
  SmallVector<int64_t> sizes;
  if (size <= kSmall)
    sizes = {size - 1, size + 1};
  sizes.append({size / 2, size * 2, size * 3 / 4, size * 3 / 2});
  llvm::erase_if(sizes, [&](int64_t other) { return other < 1 || other == size; });
  return sizes;
}

/// Blocks must be whole tiles. Adds the schedule with `fields` or, if that is not valid, with the
/// first two block sizes rounded up to multiples of the tile's rows or columns: the valid one with
/// the least predicted time.
static void addInWholeTiles(const KernelProblem &problem, Fields fields, hlo::ScheduleAttr from,
                            SmallVectorImpl<hlo::ScheduleAttr> &all) {
  SmallVector<int64_t> units{1};
  for (int64_t unit : fields.tile)
    units.append({unit, unit * std::max<int64_t>(1, fields.lanes)});
  SmallVector<int64_t> block = fields.block;
  size_t count = std::min<size_t>(2, block.size());
  Candidate best;
  for (int64_t first : count > 0 ? ArrayRef(units) : ArrayRef(units).take_front())
    for (int64_t second : count > 1 ? ArrayRef(units) : ArrayRef(units).take_front()) {
      if (count > 0)
        fields.block[0] = llvm::alignTo(block[0], first);
      if (count > 1)
        fields.block[1] = llvm::alignTo(block[1], second);
      hlo::ScheduleAttr schedule = fields.get(from);
      if (!checkSchedule(problem, schedule).empty())
        continue;
      double time = getCost(problem, schedule);
      if (!best.schedule || time < best.time)
        best = {schedule, time};
    }
  if (best.schedule)
    all.push_back(best.schedule);
}

SmallVector<hlo::ScheduleAttr> listNeighbours(const KernelProblem &problem, hlo::ScheduleAttr own,
                                              hlo::ScheduleAttr from) {
  const Strategy *strategy = findStrategy(problem, from.getStrategy());
  if (!strategy)
    return {};
  SmallVector<hlo::ScheduleAttr> all, proposed;
  auto add = [&](auto change) {
    Fields fields(from);
    change(fields);
    addInWholeTiles(problem, fields, from, all);
  };
  for (size_t i = 0; i < from.getTile().size(); ++i)
    for (int64_t size : vary(from.getTile()[i]))
      add([&](Fields &fields) { fields.tile[i] = size; });
  for (size_t i = 0; i < from.getBlock().size(); ++i)
    for (int64_t size : vary(from.getBlock()[i]))
      add([&](Fields &fields) { fields.block[i] = size; });
  if (from.getLanes() > 0)
    for (int64_t lanes : {from.getLanes() / 2, from.getLanes() * 2})
      add([&](Fields &fields) { fields.lanes = lanes; });
  // Choices that the strategy proposes in any schedule.
  strategy->propose(problem, proposed);
  llvm::SmallSetVector<StringAttr, 4> names(from.getWith().begin(), from.getWith().end());
  for (hlo::ScheduleAttr schedule : proposed)
    names.insert_range(schedule.getWith());
  for (StringAttr name : names)
    add([&](Fields &fields) {
      if (from.has(name))
        llvm::erase(fields.with, name);
      else
        fields.with.push_back(name);
    });
  return llvm::map_to_vector(select(problem, own, all),
                             [](const Candidate &candidate) { return candidate.schedule; });
}

} // namespace hloc
