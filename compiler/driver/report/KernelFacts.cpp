// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/report/KernelFacts.h"
#include "codegen/program/Dispatch.h"
#include "compiler/target/CompileCosts.h"
#include "compiler/text/Shape.h"
#include "passes/prepare/Preparation.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

std::string getReportedPrefix(const CompiledModule &compiled) {
  const std::string &name = compiled.interface.name;
  return compiled.targets.size() > 1 ? getVariantPrefix(name, compiled.targets.back().cpu) : name;
}

std::string printResults(hlo::KernelFunctionOp kernel) {
  auto shapes = llvm::map_range(kernel.getBody().front().getTerminator()->getOperands(),
                                [](Value output) { return text::shapeText(output.getType()); });
  return llvm::join(shapes, ", ");
}

std::optional<int64_t> countRuns(Operation *op) {
  int64_t runs = 1;
  for (Operation *outer = op->getParentOp(); outer; outer = outer->getParentOp()) {
    if (auto function = dyn_cast<func::FuncOp>(outer)) {
      if (function.getName() == kPreparation)
        return 0;
      return function.getName() == "main" ? std::optional(runs) : std::nullopt;
    }
    auto loop = dyn_cast<scf::ForOp>(outer);
    std::optional<APInt> trips = loop ? loop.getStaticTripCount() : std::nullopt;
    if (!trips)
      return std::nullopt;
    runs *= trips->getSExtValue();
  }
  return std::nullopt;
}

std::vector<KernelLaunches> countLaunches(ModuleOp program) {
  SymbolTable symbols(program);
  llvm::MapVector<StringRef, KernelLaunches> kernels;
  program.walk([&](hlo::LaunchOp launch) {
    KernelLaunches &launches = kernels[launch.getKernel()];
    ++launches.count;
    launches.inLoops +=
        launch->getParentOfType<scf::ForOp>() || launch->getParentOfType<scf::WhileOp>();
    std::optional<int64_t> runs = countRuns(launch);
    launches.times = launches.times && runs ? std::optional(*launches.times + *runs) : std::nullopt;
  });
  std::vector<KernelLaunches> list;
  for (auto &[name, launches] : kernels)
    if ((launches.kernel = symbols.lookup<hlo::KernelFunctionOp>(name)))
      list.push_back(launches);
  return list;
}

llvm::StringMap<double> predictRunTimes(ModuleOp program, const Target &target) {
  llvm::StringMap<double> times;
  for (KernelLaunches &launches : countLaunches(program))
    times[launches.kernel.getSymName()] =
        predictKernel(launches.kernel, target).time *
        double(launches.times.value_or(launches.count * kCompileCosts.unknownRounds));
  return times;
}

static KernelFacts collectKernel(const KernelLaunches &launches, ModuleOp program,
                                 const CompiledModule &compiled, const ProgramNames &names) {
  const Target &target = compiled.targets.back();
  KernelFacts facts;
  static_cast<KernelLaunches &>(facts) = launches;
  hlo::KernelFunctionOp kernel = facts.kernel;
  facts.traffic = countTraffic(kernel);
  facts.flops = countFlops(kernel, program);
  KernelSchedule schedule = compiled.program.schedules.lookup(kernel.getSymName());
  facts.phases = schedule.phases;
  facts.units = schedule.units / schedule.phases;
  facts.grain = llvm::divideCeil(facts.units, schedule.tasks);
  if (facts.grain)
    facts.tasks = llvm::divideCeil(facts.units, facts.grain);
  auto code = compiled.program.functionBytes.find(getKernelSymbol(names, kernel.getSymName()));
  if (code != compiled.program.functionBytes.end())
    facts.codeBytes = code->second;
  facts.prediction = predictKernel(kernel, target);
  facts.launchTime = std::max(facts.prediction.time, double(schedule.time));
  for (int64_t bytes : schedule.accessed)
    facts.accessed += double(bytes);
  return facts;
}

std::vector<KernelFacts> collectKernels(ModuleOp program, const CompiledModule &compiled) {
  ProgramNames names(compiled.interface.name, getReportedPrefix(compiled));
  std::vector<KernelFacts> kernels;
  for (const KernelLaunches &launches : countLaunches(program))
    kernels.push_back(collectKernel(launches, program, compiled, names));
  return kernels;
}

} // namespace hloc
