// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/TunedSchedules.h"
#include "compiler/target/TargetSummary.h"
#include "mlir/IR/Builders.h"
#include "passes/schedule/Candidates.h"
#include "passes/schedule/Fingerprint.h"

using namespace mlir;

namespace hloc {

std::string getMachineName(const Target &target) {
  return summarize(target) + (target.singleThreaded ? ", one thread" : ", threads");
}

DictionaryAttr toAttribute(const TunedSchedule &entry, StringRef machine, MLIRContext *context) {
  Builder builder(context);
  NamedAttrList fields;
  fields.append("machine", builder.getStringAttr(machine));
  fields.append("name", builder.getStringAttr(entry.name));
  fields.append("problem", builder.getStringAttr(entry.problem));
  fields.append("schedule", entry.schedule);
  if (entry.at)
    fields.append("at", entry.at);
  return fields.getDictionary(context);
}

FailureOr<TunedSchedules> TunedSchedules::read(ModuleOp module, const Target &target) {
  TunedSchedules read;
  Attribute attribute = module->getAttr(kTunedSchedules);
  if (!attribute)
    return read;
  std::string here = getMachineName(target);
  auto all = dyn_cast<ArrayAttr>(attribute);
  for (Attribute one : all ? all.getValue() : ArrayRef<Attribute>()) {
    auto fields = dyn_cast<DictionaryAttr>(one);
    auto text = [&](StringRef name) {
      return fields ? fields.getAs<StringAttr>(name) : StringAttr();
    };
    StringAttr machine = text("machine"), name = text("name"), problem = text("problem");
    auto schedule = fields ? fields.getAs<hlo::ScheduleAttr>("schedule") : hlo::ScheduleAttr();
    if (!machine || !name || !problem || !schedule) {
      all = {};
      break;
    }
    auto at = fields.getAs<LocationAttr>("at");
    if (machine == here)
      read.entries[problem].tuned = {name.str(), problem.str(), schedule,
                                     at ? at : LocationAttr(module.getLoc())};
  }
  if (!all)
    return module.emitError("expected `")
           << kTunedSchedules
           << "` to hold dictionaries of a machine, a name, a problem and a schedule";
  return read;
}

hlo::ScheduleAttr TunedSchedules::find(const KernelProblem &problem, hlo::ScheduleAttr own) {
  if (entries.empty())
    return {};
  auto found = entries.find(getFingerprint(problem.kind, problem.body));
  if (found == entries.end())
    return {};
  Entry &entry = found->second;
  std::string wrong =
      entry.tuned.schedule == own ? "" : checkInsteadOf(problem, own, entry.tuned.schedule);
  if (wrong.empty()) {
    entry.isUsed = true;
    return entry.tuned.schedule;
  }
  if (!entry.isUsed)
    emitRemark(Location(entry.tuned.at))
        << "the schedule for `" << entry.tuned.name << "` is not used: " << wrong;
  entry.isUsed = true;
  return {};
}

void TunedSchedules::reportUnused() const {
  SmallVector<const Entry *> unused;
  for (const auto &entry : entries)
    if (!entry.second.isUsed)
      unused.push_back(&entry.second);
  llvm::sort(unused, [](const Entry *x, const Entry *y) {
    return std::tie(x->tuned.name, x->tuned.problem) < std::tie(y->tuned.name, y->tuned.problem);
  });
  for (const Entry *entry : unused)
    emitRemark(Location(entry->tuned.at)) << "the schedule for `" << entry->tuned.name
                                          << "` is not used: no kernel computes the same any more";
}

} // namespace hloc
