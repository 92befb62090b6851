// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/Report.h"
#include "codegen/program/Dispatch.h"
#include "compiler/driver/Flops.h"
#include "compiler/hlo/Location.h"
#include "compiler/text/Shape.h"
#include "passes/memory/AssignBuffersPlan.h"
#include "passes/schedule/Prediction.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using llvm::formatv;

namespace hloc {

static constexpr StringLiteral kNotFused("not fused: ");

std::optional<NotFused> readFusionRemark(Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  StringRef reason(text);
  if (diagnostic.getSeverity() != DiagnosticSeverity::Remark || !reason.consume_front(kNotFused))
    return std::nullopt;
  return NotFused{diagnostic.getLocation(), reason.str()};
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

/// Names that a kernel's line lists, and buffers at the arena's peak.
constexpr size_t kNames = 12, kHolders = 20;

/// 12,345
std::string number(int64_t value) {
  std::string text = std::to_string(value);
  for (int64_t at = int64_t(text.size()) - 3; at > 0; at -= 3)
    text.insert(at, ",");
  return text;
}

std::string count(int64_t value, StringRef what) {
  return number(value) + " " + what.str() + (value == 1 ? "" : "s");
}

class ReportWriter {
public:
  ReportWriter(ModuleOp program, const CompiledModule &compiled)
      : program(program), compiled(compiled), target(compiled.targets.back()),
        main(program.lookupSymbol<func::FuncOp>("main")), out(text) {}

  std::string write(std::vector<NotFused> notFused) {
    writeSummary();
    writeKernels();
    writeNotFused(std::move(notFused));
    writeMemory();
    writeConstants();
    writeCode();
    return std::move(text);
  }

private:
  struct Launches {
    int64_t count = 0, inLoops = 0;
  };

  void writeSummary();
  void writeKernels();
  void writeKernel(hlo::KernelFunctionOp kernel, Launches launches);
  void writeNotFused(std::vector<NotFused> notFused);
  void writeMemory();
  void writePeak(ArrayAttr buffers, ArrayAttr names);
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
  out << formatv("target {0}, {1}, vectors of {2} bytes, -O{3}\n", target.triple, target.cpu,
                 target.vectorBytes, target.optimization);
}

void ReportWriter::writeKernels() {
  llvm::MapVector<StringRef, Launches> order;
  program.walk([&](hlo::LaunchOp launch) {
    Launches &launches = order[launch.getKernel()];
    ++launches.count;
    launches.inLoops +=
        launch->getParentOfType<scf::ForOp>() || launch->getParentOfType<scf::WhileOp>();
  });
  SymbolTable symbols(program);
  out << "\nkernels, in the order of their first launch\n";
  for (auto [name, launches] : order)
    if (auto kernel = symbols.lookup<hlo::KernelFunctionOp>(name))
      writeKernel(kernel, launches);
}

void ReportWriter::writeKernel(hlo::KernelFunctionOp kernel, Launches launches) {
  Block &body = kernel.getBody().front();
  std::string shapes =
      llvm::join(llvm::map_range(body.getTerminator()->getOperands(),
                                 [](Value output) { return text::shapeText(output.getType()); }),
                 ", ");
  out << formatv("  {0}: {1} {2}", kernel.getSymName(), hlo::stringifyKernelKind(kernel.getKind()),
                 shapes);
  if (launches.count > 1)
    out << ", launched at " << number(launches.count) << " places";
  if (launches.inLoops)
    out << (launches.inLoops == launches.count ? ", in a loop" : ", some in a loop");
  out << "\n    at " << printPlace(kernel.getLoc());
  if (StringRef name = hlo::getMetadataField(kernel.getLoc(), "op_name"); !name.empty())
    out << ", op_name " << name;

  llvm::SetVector<StringRef> names;
  for (Operation &op : body.without_terminator())
    if (StringRef name = hlo::getInstructionName(op.getLoc());
        !isa<hlo::ConstantOp>(op) && !name.empty())
      names.insert(name);
  ArrayRef<StringRef> shown = names.getArrayRef().take_front(kNames);
  out << "\n    computes " << llvm::join(shown, ", ");
  if (shown.size() < names.size())
    out << " and " << names.size() - shown.size() << " more";

  Traffic traffic = countTraffic(kernel);
  out << formatv("\n    reads {0}, writes {1}, {2}", count(traffic.read, "byte"),
                 count(traffic.written, "byte"), count(countFlops(kernel, program), "flop"));
  KernelSchedule schedule = compiled.program.schedules.lookup(kernel.getSymName());
  int64_t tasks = schedule.grain ? (schedule.units + schedule.grain - 1) / schedule.grain : 0;
  bool parallel = !target.singleThreaded && tasks > 1;
  out << formatv("\n    {0}, {1}", count(schedule.units, "unit"),
                 parallel ? "in " + number(tasks) + " tasks of " + number(schedule.grain)
                          : "serial");
  std::string prefix = compiled.interface.name;
  if (compiled.targets.size() > 1)
    prefix = getVariantPrefix(prefix, target.cpu);
  auto code = compiled.program.functionBytes.find(
      getKernelSymbol({compiled.interface.name, prefix}, kernel.getSymName()));
  if (code != compiled.program.functionBytes.end())
    out << ", " << count(code->second, "byte") << " of code\n";
  else
    out << ", code inlined into the program\n";
  KernelPrediction prediction = predictKernel(kernel, target);
  out << formatv("    predicted {0} on one core, at least {1}\n", printDuration(prediction.time),
                 printDuration(prediction.limit));
  if (prediction.schedule)
    out << "    " << prediction.schedule << '\n';
}

void ReportWriter::writeNotFused(std::vector<NotFused> notFused) {
  out << "\nnot computed in the kernels of their users\n";
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

void ReportWriter::writeMemory() {
  auto total = [](const std::vector<Port> &ports) {
    int64_t bytes = 0;
    for (const Port &port : ports)
      bytes += port.bytes;
    return bytes;
  };
  const ModuleInterface &interface = compiled.interface;
  int64_t beside = compiled.program.memory.asyncBytes;
  out << formatv(
      "\nmemory\n  {0}, {1}\n  {2}, {3}\n", count(interface.arguments.size(), "argument"),
      count(total(interface.arguments), "byte"), count(interface.results.size(), "result"),
      count(total(interface.results), "byte"));
  for (auto [result, argument] : interface.aliases)
    out << formatv("  result {0} may lie in argument {1}\n", interface.results[result].name,
                   interface.arguments[argument].name);
  out << formatv("  arena {0}, of which {1} are live at once at least\n",
                 count(interface.arenaBytes, "byte"), number(getNumber("hlo.arena_bound")));
  if (beside)
    out << formatv("  {0} of it for asynchronous computations\n", count(beside, "byte"));
  if (int64_t bytes = getNumber("hlo.bytes_in_results"))
    out << formatv("  {0} of temporaries in the memory of results, before those are written\n",
                   count(bytes, "byte"));
  auto buffers = main->getAttrOfType<ArrayAttr>("hlo.arena_buffers"),
       names = main->getAttrOfType<ArrayAttr>("hlo.arena_names");
  if (buffers && names && !buffers.empty())
    writePeak(buffers, names);
}

/// Who holds the arena where most of it is in use.
void ReportWriter::writePeak(ArrayAttr buffers, ArrayAttr names) {
  struct Buffer {
    int64_t offset, bytes, begin, end;
    StringRef name;
  };
  std::vector<Buffer> all;
  for (auto [entry, name] : llvm::zip(buffers, names)) {
    ArrayRef<int64_t> fields = cast<DenseI64ArrayAttr>(entry).asArrayRef();
    all.push_back({fields[0], fields[1], fields[2], fields[3], cast<StringAttr>(name).getValue()});
  }
  std::vector<std::pair<int64_t, int64_t>> changes;
  for (const Buffer &buffer : all) {
    changes.push_back({buffer.begin, buffer.bytes});
    changes.push_back({buffer.end, -buffer.bytes});
  }
  llvm::sort(changes);
  int64_t now = 0, most = 0, peak = 0;
  for (auto [position, bytes] : changes)
    if ((now += bytes) > most) {
      most = now;
      peak = position;
    }
  std::vector<Buffer> holders;
  llvm::copy_if(all, std::back_inserter(holders),
                [&](const Buffer &buffer) { return buffer.begin <= peak && peak < buffer.end; });
  llvm::stable_sort(holders, [](const Buffer &x, const Buffer &y) {
    return std::tuple(-x.bytes, x.offset) < std::tuple(-y.bytes, y.offset);
  });
  out << formatv("  {0} in the arena; at the peak {1} hold it\n", count(all.size(), "buffer"),
                 number(holders.size()));
  for (const Buffer &holder : ArrayRef(holders).take_front(kHolders))
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
