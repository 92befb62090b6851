// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/Report.h"
#include "compiler/driver/report/ArenaUse.h"
#include "compiler/driver/report/KernelFacts.h"
#include "compiler/driver/report/Scaling.h"
#include "compiler/hlo/Location.h"
#include "compiler/target/CompileCosts.h"
#include "compiler/text/Shape.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "passes/memory/AssignBuffersPlan.h"
#include "passes/prepare/Preparation.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <numeric>

using namespace mlir;
using llvm::formatv;

namespace hloc {

static constexpr StringLiteral kNotFused("not fused: "), kSchedule("schedule for ");

bool ReportRemarks::take(Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() != DiagnosticSeverity::Remark)
    return false;
  std::string text = diagnostic.str();
  StringRef rest(text);
  if (rest.consume_front(kNotFused))
    notFused.push_back({diagnostic.getLocation(), rest.str()});
  else if (rest.consume_front(kSchedule))
    schedules.push_back({diagnostic.getLocation(), rest.str()});
  else
    return false;
  return true;
}

std::string printDuration(double nanoseconds) {
  return nanoseconds < 1000  ? formatv("{0:f0} ns", nanoseconds).str()
         : nanoseconds < 1e6 ? formatv("{0:f1} us", nanoseconds / 1e3).str()
                             : formatv("{0:f2} ms", nanoseconds / 1e6).str();
}

std::string printPlace(Location location) {
  FileLineColLoc position = hlo::getFilePosition(location);
  if (!position)
    return "";
  return formatv("{0}:{1}:{2}", llvm::sys::path::filename(position.getFilename().getValue()),
                 position.getLine(), position.getColumn());
}

namespace {

/// The maximum number of names in a kernel's line, and of buffers at the arena's peak.
constexpr size_t kNames = 12, kHolders = 20;

/// The numbers of cores for which times are predicted; the most kernels that are listed, and the
/// least share of the time from which they are.
constexpr int64_t kCores[] = {2, 4, 16, 64};
constexpr size_t kSlowest = 5;
constexpr double kLeastShare = 0.05;

/// A number with separators: 12,345
std::string number(int64_t value) {
  std::string text = std::to_string(value);
  for (int64_t at = int64_t(text.size()) - 3; at > 0; at -= 3)
    text.insert(at, ",");
  return text;
}

std::string count(int64_t value, StringRef what) {
  return number(value) + " " + what.str() + (value == 1 ? "" : "s");
}

int64_t total(const std::vector<Port> &ports) {
  int64_t bytes = 0;
  for (const Port &port : ports)
    bytes += port.bytes;
  return bytes;
}

class ReportWriter {
public:
  ReportWriter(ModuleOp program, const CompiledModule &compiled)
      : program(program), compiled(compiled), target(compiled.targets.back()),
        main(program.lookupSymbol<func::FuncOp>("main")),
        kernels(collectKernels(program, compiled)), out(text) {}

  std::string write(std::vector<NotFused> notFused) {
    writeSummary();
    writeKernels();
    writeTimes();
    writeNotFused(std::move(notFused));
    writeMemory();
    writeConstants();
    writeCode();
    return std::move(text);
  }

private:
  void writeSummary();
  void writeKernels();
  void writeKernel(const KernelFacts &facts);
  void writeTimes();
  std::vector<TimeOnCores> predictKernels(int64_t cores) const;
  void writeNotFused(std::vector<NotFused> notFused);
  void writePreparation(const PreparationInterface &preparation);
  void writeMemory();
  void writePeak(const ArenaUse &use);
  void writeConstants();
  void writeCode();
  int64_t getNumber(StringRef attribute) {
    auto value = main->getAttrOfType<IntegerAttr>(attribute);
    return value ? value.getInt() : 0;
  }

  ModuleOp program;
  const CompiledModule &compiled;
  const Target &target;
  func::FuncOp main;
  std::vector<KernelFacts> kernels;
  std::string text;
  llvm::raw_string_ostream out;
};

} // namespace

void ReportWriter::writeSummary() {
  int64_t launches = 0, calls = 0, copies = 0;
  program.walk([&](Operation *op) {
    launches += isa<hlo::LaunchOp>(op);
    auto call = dyn_cast<hlo::RuntimeCallOp>(op);
    calls += call && call.getCallee() != buffers::kEmptyCall;
    copies += isa<memref::CopyOp>(op);
  });
  int64_t kernels = llvm::range_size(program.getOps<hlo::KernelFunctionOp>());
  out << formatv("{0}: {1}, {2}, {3}, {4}\n", compiled.interface.name, count(kernels, "kernel"),
                 number(launches) + (launches == 1 ? " launch" : " launches"),
                 count(calls, "runtime call"),
                 number(copies) + (copies == 1 ? " copy" : " copies"));
  out << formatv("target {0}, {1}, vectors of {2} bytes, -O{3}{4}\n", target.triple, target.cpu,
                 target.vectorBytes, target.optimization,
                 target.reproducible ? ", the same bits on all processors" : "");
}

void ReportWriter::writeKernels() {
  out << "\nkernels, in the order of their first launch\n";
  for (const KernelFacts &facts : kernels)
    writeKernel(facts);
}

void ReportWriter::writeKernel(const KernelFacts &facts) {
  hlo::KernelFunctionOp kernel = facts.kernel;
  out << formatv("  {0}: {1} {2}", kernel.getSymName(), hlo::stringifyKernelKind(kernel.getKind()),
                 printResults(kernel));
  if (facts.count > 1)
    out << ", launched at " << number(facts.count) << " places";
  if (facts.inLoops)
    out << (facts.inLoops == facts.count ? ", in a loop" : ", some in a loop");
  out << "\n    at " << printPlace(kernel.getLoc());
  if (StringRef name = hlo::getMetadataField(kernel.getLoc(), "op_name"); !name.empty())
    out << ", op_name " << name;

  llvm::SetVector<StringRef> names;
  for (Operation &op : kernel.getBody().front().without_terminator())
    if (StringRef name = hlo::getInstructionName(op.getLoc());
        !isa<hlo::ConstantOp>(op) && !name.empty())
      names.insert(name);
  ArrayRef<StringRef> shown = names.getArrayRef().take_front(kNames);
  out << "\n    computes " << llvm::join(shown, ", ");
  if (shown.size() < names.size())
    out << " and " << names.size() - shown.size() << " more";

  out << formatv("\n    reads {0}, writes {1}, {2}", count(facts.traffic.read, "byte"),
                 count(facts.traffic.written, "byte"), count(facts.flops, "flop"));
  out << formatv("\n    {0}, {1}", count(facts.units, "unit"),
                 facts.tasks > 1 ? "in " + number(facts.tasks) + " tasks of " + number(facts.grain)
                                 : "serial");
  if (facts.phases > 1)
    out << formatv(", in each of {0} phases", number(facts.phases));
  if (facts.codeBytes)
    out << ", " << count(*facts.codeBytes, "byte") << " of code\n";
  else
    out << ", code inlined into the program\n";
  out << formatv("    predicted {0} on one core, at least {1}\n",
                 printDuration(facts.prediction.time), printDuration(facts.prediction.limit));
  if (facts.prediction.schedule)
    out << "    " << facts.prediction.schedule << '\n';
}

/// The time of each kernel in one call.
std::vector<TimeOnCores> ReportWriter::predictKernels(int64_t cores) const {
  const ModuleInterface &interface = compiled.interface;
  auto footprint = double(total(interface.arguments) + total(interface.results) +
                          interface.arenaBytes + compiled.program.constantBytes);
  std::vector<TimeOnCores> times;
  for (const KernelFacts &facts : kernels) {
    // In a loop, a kernel finds its arrays in the caches if they hold these arrays alone.
    TimeOnCores &time = times.emplace_back(
        predictOnCores(facts, target, facts.inLoops ? facts.accessed : footprint, cores));
    time.nanoseconds *= double(facts.times.value_or(facts.count * kCompileCosts.unknownRounds));
  }
  return times;
}

static std::string describe(CoreLimit limit, const KernelFacts &facts) {
  switch (limit) {
  case CoreLimit::None:
    return "divided among all cores";
  case CoreLimit::Serial:
    return "serial";
  case CoreLimit::Tasks:
    return formatv("in {0} tasks", facts.tasks);
  case CoreLimit::Handover:
    return "so short that handing over its tasks takes longer";
  case CoreLimit::Bandwidth:
    return "at the memory's bandwidth";
  }
  llvm_unreachable("every limit has a description");
}

/// Writes how the time of a call falls with the number of cores, and where it is spent in the end.
void ReportWriter::writeTimes() {
  if (target.singleThreaded || kernels.empty())
    return;
  auto sum = [](ArrayRef<TimeOnCores> times) {
    double all = 0;
    for (const TimeOnCores &time : times)
      all += time.nanoseconds;
    return all;
  };
  out << "\ntime of a call on several cores, predicted\n  1: "
      << printDuration(sum(predictKernels(1)));
  std::vector<TimeOnCores> times;
  for (int64_t cores : kCores) {
    times = predictKernels(cores);
    out << formatv(", {0}: {1}", cores, printDuration(sum(times)));
  }
  if (llvm::any_of(kernels, [](const KernelFacts &facts) { return !facts.times; }))
    out << formatv("; loops whose iterations depend on data count as {0}",
                   int64_t(kCompileCosts.unknownRounds));
  out << formatv("\n  on {0} cores it is spent in\n", kCores[std::size(kCores) - 1]);
  std::vector<size_t> order(kernels.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(
      order, [&](size_t x, size_t y) { return times[x].nanoseconds > times[y].nanoseconds; });
  double all = sum(times);
  for (size_t i : ArrayRef(order).take_front(kSlowest))
    if (double share = times[i].nanoseconds / all; share >= kLeastShare)
      out << formatv("    {0}: {1:P0}, {2}\n", kernels[i].kernel.getSymName(), share,
                     describe(times[i].limit, kernels[i]));
}

void ReportWriter::writeNotFused(std::vector<NotFused> notFused) {
  out << "\nnot fused into the kernels of their users\n";
  auto key = [](const NotFused &entry) {
    FileLineColLoc position = hlo::getFilePosition(entry.location);
    return position ? std::pair(position.getLine(), position.getColumn()) : std::pair(0u, 0u);
  };
  llvm::stable_sort(notFused,
                    [&](const NotFused &x, const NotFused &y) { return key(x) < key(y); });
  for (const NotFused &entry : notFused)
    out << formatv("  {0} ({1}): {2}\n", hlo::getInstructionName(entry.location),
                   printPlace(entry.location), entry.reason);
  if (notFused.empty())
    out << "  nothing\n";
}

/// Lists at most `kNames` of the texts.
static std::string listSome(ArrayRef<std::string> texts) {
  ArrayRef<std::string> shown = texts.take_front(kNames);
  std::string list = llvm::join(shown, ", ");
  return shown.size() == texts.size()
             ? list
             : list + " and " + std::to_string(texts.size() - shown.size()) + " more";
}

/// Writes which arrays are prepared, and from which parameters.
void ReportWriter::writePreparation(const PreparationInterface &preparation) {
  const ModuleInterface &interface = compiled.interface;
  std::vector<std::string> sources, kept;
  for (size_t i = 0; i < preparation.isConstant.size(); ++i) {
    const Port &port = interface.arguments[i];
    std::string text = port.name + " (" + count(port.bytes, "byte") + ")";
    if (preparation.isReadByPreparation[i])
      sources.push_back(text);
    if (preparation.isConstant[i] && preparation.isReadByRuns[i])
      kept.push_back(text);
  }
  out << formatv("  prepared {0}, with an arena of {1}", count(preparation.bytes, "byte"),
                 count(preparation.arenaBytes, "byte"));
  if (!sources.empty())
    out << ", of " << listSome(sources);
  out << '\n';
  if (auto prepare = program.lookupSymbol<func::FuncOp>(kPreparation))
    prepare.walk([&](memref::ViewOp view) {
      if (view.getSource() == prepare.getArgument(unsigned(preparation.argument)))
        out << formatv("    {0}: {1}\n", hlo::getInstructionName(view.getLoc()),
                       text::shapeText(RankedTensorType::get(view.getType().getShape(),
                                                             view.getType().getElementType())));
    });
  if (!kept.empty())
    out << "  read by each run as they are: " << listSome(kept) << '\n';
}

void ReportWriter::writeMemory() {
  const ModuleInterface &interface = compiled.interface;
  int64_t beside = compiled.program.memory.asyncBytes;
  out << formatv(
      "\nmemory\n  {0}, {1}\n  {2}, {3}\n", count(interface.arguments.size(), "argument"),
      count(total(interface.arguments), "byte"), count(interface.results.size(), "result"),
      count(total(interface.results), "byte"));
  for (auto [result, argument] : interface.aliases)
    out << formatv("  result {0} may share the memory of argument {1}\n",
                   interface.results[result].name, interface.arguments[argument].name);
  if (interface.preparation)
    writePreparation(*interface.preparation);
  out << formatv("  arena {0}; a lower bound is {1}\n", count(interface.arenaBytes, "byte"),
                 number(getNumber("hlo.arena_bound")));
  if (beside)
    out << formatv("  {0} of it for asynchronous computations\n", count(beside, "byte"));
  if (int64_t bytes = getNumber("hlo.bytes_in_results"))
    out << formatv("  {0} of temporaries in the memory of results, before those are written\n",
                   count(bytes, "byte"));
  if (ArenaUse use = readArenaUse(main); !use.buffers.empty())
    writePeak(use);
}

/// Writes the buffers that are live at the arena's peak.
void ReportWriter::writePeak(const ArenaUse &use) {
  std::vector<ArenaBuffer> holders;
  llvm::copy_if(use.buffers, std::back_inserter(holders),
                [&](const ArenaBuffer &buffer) { return buffer.isLiveAt(use.peak); });
  llvm::stable_sort(holders, [](const ArenaBuffer &x, const ArenaBuffer &y) {
    return std::tuple(-x.bytes, x.offset) < std::tuple(-y.bytes, y.offset);
  });
  out << formatv("  {0} in the arena; {1} live at its peak\n", count(use.buffers.size(), "buffer"),
                 number(holders.size()));
  for (const ArenaBuffer &holder : ArrayRef(holders).take_front(kHolders))
    out << formatv("    {0,12} bytes at {1,12}: {2}\n", number(holder.bytes), number(holder.offset),
                   holder.name);
  if (holders.size() > kHolders)
    out << "    and " << holders.size() - kHolders << " smaller ones\n";
}

void ReportWriter::writeConstants() {
  int64_t kept = llvm::range_size(program.getOps<memref::GlobalOp>());
  out << formatv("\nconstants\n  {0}, {1}; the module as it was read has {2}, {3}\n",
                 count(kept, "array"), count(compiled.program.constantBytes, "byte"),
                 number(compiled.constants.count), count(compiled.constants.bytes, "byte"));
  if (compiled.weights)
    out << formatv("  of these {0} in {1}, a file of {2}\n",
                   number(compiled.weights->constants.size()), compiled.interface.weightsFile,
                   count(compiled.weights->bytes, "byte"));
}

void ReportWriter::writeCode() {
  out << formatv("\ncode\n  {0}", count(compiled.program.codeBytes, "byte"));
  if (compiled.targets.size() > 1)
    out << " for " << compiled.targets.size()
        << " levels of processors; the kernels above are those for " << target.cpu;
  out << '\n';
}

std::string makeReport(ModuleOp program, const CompiledModule &compiled,
                       std::vector<NotFused> notFused) {
  return ReportWriter(program, compiled).write(std::move(notFused));
}

} // namespace hloc
