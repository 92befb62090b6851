// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/TargetAttribute.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace hloc {

static constexpr StringLiteral kTargets = "hlo.targets";

void setTargets(ModuleOp module, const TargetOptions &options) {
  Builder builder(module.getContext());
  SmallVector<Attribute> entries;
  SmallVector<StringRef> cpus;
  StringRef(options.cpu).split(cpus, ',');
  llvm::stable_sort(cpus, [](StringRef x, StringRef y) { return getX86Level(x) < getX86Level(y); });
  for (StringRef cpu : cpus) {
    NamedAttrList entry;
    auto addName = [&](StringRef name, StringRef value) {
      if (!value.empty())
        entry.append(name, builder.getStringAttr(value));
    };
    auto addSwitch = [&](StringRef name, bool value) {
      if (value)
        entry.append(name, builder.getUnitAttr());
    };
    addName("cpu", cpu);
    addName("triple", options.triple);
    addName("machine", options.machine);
    addName("machine_file", options.machineFile);
    entry.append("optimization", builder.getI64IntegerAttr(options.optimization));
    addSwitch("single_threaded", options.singleThreaded);
    addSwitch("fast_math", options.fastMath);
    addSwitch("flush_subnormals", options.flushSubnormals);
    addSwitch("excess_precision", options.excessPrecision);
    addSwitch("reproducible", options.reproducible);
    addSwitch("exact_bf16_dot", options.bf16Dot == Bf16Dot::Exact);
    addSwitch("native_bf16_dot", options.bf16Dot == Bf16Dot::Native);
    addSwitch("line_tables", options.lineTables);
    addSwitch("trace", options.trace);
    entries.push_back(entry.getDictionary(module.getContext()));
  }
  module->setAttr(kTargets, builder.getArrayAttr(entries));
}

void copyTargets(ModuleOp from, ModuleOp to) {
  if (Attribute targets = from->getAttr(kTargets))
    to->setAttr(kTargets, targets);
}

static TargetOptions readOptions(DictionaryAttr entry) {
  TargetOptions options;
  auto readName = [&](StringRef name, std::string &field) {
    if (auto value = entry.getAs<StringAttr>(name))
      field = value.str();
  };
  readName("cpu", options.cpu);
  readName("triple", options.triple);
  readName("machine", options.machine);
  readName("machine_file", options.machineFile);
  if (auto level = entry.getAs<IntegerAttr>("optimization"))
    options.optimization = level.getInt();
  options.singleThreaded = entry.contains("single_threaded");
  options.fastMath = entry.contains("fast_math");
  options.flushSubnormals = entry.contains("flush_subnormals");
  options.excessPrecision = entry.contains("excess_precision");
  options.reproducible = entry.contains("reproducible");
  options.bf16Dot = entry.contains("native_bf16_dot")  ? Bf16Dot::Native
                    : entry.contains("exact_bf16_dot") ? Bf16Dot::Exact
                                                       : Bf16Dot::Checked;
  options.lineTables = entry.contains("line_tables");
  options.trace = entry.contains("trace");
  return options;
}

FailureOr<SmallVector<Target, 1>> getTargets(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  auto entries = module->getAttrOfType<ArrayAttr>(kTargets);
  SmallVector<Target, 1> targets;
  auto add = [&](const TargetOptions &options) -> LogicalResult {
    llvm::Expected<Target> target = makeTarget(options);
    if (!target)
      return module.emitError(llvm::toString(target.takeError()));
    target->number = targets.size();
    targets.push_back(std::move(*target));
    return success();
  };
  if (!entries || entries.empty()) {
    TargetOptions usual;
    usual.triple = "x86_64-linux-gnu";
    usual.cpu = "x86-64-v3";
    if (failed(add(usual)))
      return failure();
    return targets;
  }
  for (Attribute entry : entries) {
    auto dictionary = dyn_cast<DictionaryAttr>(entry);
    if (!dictionary)
      return module.emitError("expected hlo.targets to hold dictionaries"), failure();
    if (failed(add(readOptions(dictionary))))
      return failure();
  }
  return targets;
}

FailureOr<Target> getTarget(Operation *op, int64_t number) {
  FailureOr<SmallVector<Target, 1>> targets = getTargets(op);
  if (failed(targets))
    return failure();
  if (number < 0 || number >= int64_t(targets->size()))
    return op->emitError("expected a target from 0 to ")
               << targets->size() - 1 << " but got " << number,
           failure();
  return std::move((*targets)[number]);
}

FailureOr<Target> getMainTarget(Operation *op) {
  FailureOr<SmallVector<Target, 1>> targets = getTargets(op);
  if (failed(targets))
    return failure();
  return std::move(targets->back());
}

} // namespace hloc
