// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/report/ReportData.h"
#include "compiler/driver/report/ArenaUse.h"
#include "compiler/driver/report/AssemblyLines.h"
#include "compiler/driver/report/KernelFacts.h"
#include "compiler/driver/report/ProgramGraph.h"
#include "compiler/hlo/Location.h"
#include "compiler/target/Cost.h"
#include "compiler/text/Shape.h"
#include "compiler/text/Version.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
namespace json = llvm::json;

namespace hloc {

/// Maximum number of lines of assembly per function in a report.
static constexpr size_t kAssemblyLines = 20000;

namespace {

class DataMaker {
public:
  explicit DataMaker(const ReportInput &input)
      : input(input), program(input.program), compiled(input.compiled),
        target(compiled.targets.back()), lines(input.source) {}

  FailureOr<json::Value> make();

private:
  json::Object makeTarget();
  json::Object makeMachine();
  json::Object makeSizes();
  json::Array makeKernels();
  json::Object makeKernel(const KernelFacts &facts);
  void addOrigin(json::Object &object, Location location);
  json::Array makeInstructions(hlo::KernelFunctionOp kernel);
  std::string findRemark(const KernelFacts &facts);
  json::Array makeNotFused();
  json::Array makeArenas();
  FailureOr<json::Array> makeAssembly();

  const ReportInput &input;
  ModuleOp program;
  const CompiledModule &compiled;
  const Target &target;
  SourceLines lines;
  llvm::StringMap<int64_t> kernelNumbers;
};

std::string getOpcode(Operation *op) {
  std::string name = op->getName().stripDialect().str();
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::string printSchedule(hlo::ScheduleAttr schedule) {
  std::string text;
  llvm::raw_string_ostream(text) << Attribute(schedule);
  return text;
}

/// The element type whose rate limits the kernel: that of its products, or otherwise of its first
/// result.
Type getWorkType(hlo::KernelFunctionOp kernel) {
  Block &body = kernel.getBody().front();
  for (Operation &op : body)
    if (isa<hlo::DotOp, hlo::ConvolutionOp>(op))
      return getElementTypeOrSelf(op.getResult(0).getType());
  auto results = body.getTerminator()->getOperands();
  return results.empty() ? Type() : getElementTypeOrSelf(results.front().getType());
}

int64_t sumBytes(ArrayRef<Port> ports) {
  int64_t bytes = 0;
  for (const Port &port : ports)
    bytes += port.bytes;
  return bytes;
}

} // namespace

json::Object DataMaker::makeTarget() {
  return json::Object{{"triple", target.triple},
                      {"cpu", target.cpu},
                      {"vector_bytes", target.vectorBytes},
                      {"optimization", target.optimization},
                      {"single_threaded", target.singleThreaded},
                      {"levels", int64_t(compiled.targets.size())}};
}

/// The limits of one core.
json::Object DataMaker::makeMachine() {
  const Machine &machine = target.machine;
  CostModel costs(target);
  Builder builder(program.getContext());
  json::Object peaks;
  for (Type type : {Type(builder.getF32Type()), Type(builder.getF64Type()),
                    Type(builder.getBF16Type()), Type(builder.getF16Type())})
    peaks[text::getElementName(type)] = 2e9 / costs.getMultiplyAddTime(type);
  json::Array levels;
  auto addLevel = [&](StringRef name, int64_t bytes, double perSecond) {
    if (perSecond > 0)
      levels.push_back(
          json::Object{{"name", name}, {"bytes", bytes}, {"bytes_per_second", perSecond}});
  };
  for (auto [name, cache] :
       {std::pair("L1", &machine.l1), {"L2", &machine.l2}, {"L3", &machine.l3}})
    addLevel(name, cache->bytes, cache->bytesPerCycle * machine.frequency * 1e9);
  addLevel("memory", 0, machine.memory.coreBandwidth * 1e9);
  return json::Object{{"name", machine.name},
                      {"gigahertz", machine.frequency},
                      {"flops_per_second", std::move(peaks)},
                      {"levels", std::move(levels)},
                      {"all_cores_bytes_per_second", machine.memory.allBandwidth * 1e9}};
}

json::Object DataMaker::makeSizes() {
  const ModuleInterface &interface = compiled.interface;
  int64_t launches = 0, calls = 0, copies = 0;
  program.walk([&](Operation *op) {
    launches += isa<hlo::LaunchOp>(op);
    calls += isa<hlo::RuntimeCallOp>(op);
    copies += isa<memref::CopyOp>(op);
  });
  return json::Object{{"arguments", int64_t(interface.arguments.size())},
                      {"argument_bytes", sumBytes(interface.arguments)},
                      {"results", int64_t(interface.results.size())},
                      {"result_bytes", sumBytes(interface.results)},
                      {"arena_bytes", interface.arenaBytes},
                      {"constant_bytes", compiled.program.constantBytes},
                      {"code_bytes", compiled.program.codeBytes},
                      {"launches", launches},
                      {"runtime_calls", calls},
                      {"copies", copies}};
}

/// Adds the location in the module and in the user's program, if known.
void DataMaker::addOrigin(json::Object &object, Location location) {
  if (int64_t line = lines.addLine(location))
    object["line"] = line;
  if (int64_t place = lines.addPlace(location); place >= 0)
    object["place"] = place;
  if (StringRef name = hlo::getMetadataField(location, "op_name"); !name.empty())
    object["op_name"] = toJsonText(name);
}

json::Array DataMaker::makeInstructions(hlo::KernelFunctionOp kernel) {
  Block &body = kernel.getBody().front();
  DenseMap<Value, int64_t> numbers;
  for (BlockArgument argument : body.getArguments())
    numbers[argument] = -1 - int64_t(argument.getArgNumber());
  json::Array instructions;
  for (Operation &op : body.without_terminator()) {
    for (Value result : op.getResults())
      numbers[result] = int64_t(instructions.size());
    json::Array operands;
    for (Value operand : op.getOperands())
      operands.push_back(numbers.lookup(operand));
    std::string type = llvm::join(
        llvm::map_range(op.getResultTypes(), [](Type type) { return text::shapeText(type); }),
        ", ");
    json::Object instruction{{"name", toJsonText(hlo::getInstructionName(op.getLoc()))},
                             {"opcode", getOpcode(&op)},
                             {"type", type},
                             {"operands", std::move(operands)}};
    addOrigin(instruction, op.getLoc());
    instructions.push_back(std::move(instruction));
  }
  return instructions;
}

/// The remark of choose-schedules about the kernel; empty if the schedule was written or tuned.
std::string DataMaker::findRemark(const KernelFacts &facts) {
  std::string start = target.cpu + ": " + printSchedule(facts.prediction.schedule) + ", ";
  hlo::KernelFunctionOp kernel = facts.kernel;
  for (const ScheduleRemark &remark : input.remarks.schedules)
    if (remark.location == kernel.getLoc() && StringRef(remark.text).starts_with(start))
      return remark.text.substr(target.cpu.size() + 2);
  return "";
}

json::Object DataMaker::makeKernel(const KernelFacts &facts) {
  hlo::KernelFunctionOp kernel = facts.kernel;
  json::Array inputs, outputs;
  for (BlockArgument input : kernel.getBody().getArguments())
    inputs.push_back(text::shapeText(input.getType()));
  for (Value output : kernel.getBody().front().getTerminator()->getOperands())
    outputs.push_back(text::shapeText(output.getType()));
  json::Object object{{"name", kernel.getSymName()},
                      {"kind", hlo::stringifyKernelKind(kernel.getKind())},
                      {"inputs", std::move(inputs)},
                      {"outputs", std::move(outputs)},
                      {"instructions", makeInstructions(kernel)},
                      {"launches", facts.count},
                      {"launches_in_loops", facts.inLoops},
                      {"bytes_read", facts.traffic.read},
                      {"bytes_written", facts.traffic.written},
                      {"flops", facts.flops},
                      {"units", facts.units},
                      {"phases", facts.phases},
                      {"tasks", facts.tasks},
                      {"predicted_seconds", facts.prediction.time / 1e9},
                      {"limit_seconds", facts.prediction.limit / 1e9}};
  if (Type type = getWorkType(kernel))
    object["element_type"] = text::getElementName(type);
  if (facts.codeBytes)
    object["code_bytes"] = *facts.codeBytes;
  auto level = compiled.program.levels.find(kernel.getSymName());
  if (level != compiled.program.levels.end())
    object["llvm_level"] = level->second;
  if (hlo::ScheduleAttr schedule = facts.prediction.schedule) {
    object["strategy"] = schedule.getStrategy();
    object["schedule"] = printSchedule(schedule);
    if (std::string remark = findRemark(facts); !remark.empty())
      object["remark"] = remark;
  }
  addOrigin(object, kernel.getLoc());
  return object;
}

json::Array DataMaker::makeKernels() {
  json::Array kernels;
  for (const KernelFacts &facts : collectKernels(program, compiled)) {
    hlo::KernelFunctionOp kernel = facts.kernel;
    kernelNumbers[kernel.getSymName()] = int64_t(kernels.size());
    kernels.push_back(makeKernel(facts));
  }
  return kernels;
}

json::Array DataMaker::makeNotFused() {
  json::Array array;
  for (const NotFused &entry : input.remarks.notFused) {
    json::Object object{{"name", toJsonText(hlo::getInstructionName(entry.location))},
                        {"reason", toJsonText(entry.reason)}};
    if (int64_t line = lines.addLine(entry.location))
      object["line"] = line;
    array.push_back(std::move(object));
  }
  return array;
}

json::Array DataMaker::makeArenas() {
  json::Array arenas;
  for (auto function : program.getOps<func::FuncOp>()) {
    auto getNumber = [&](StringRef name) {
      auto value = function->getAttrOfType<IntegerAttr>(name);
      return value ? value.getInt() : 0;
    };
    ArenaUse use = readArenaUse(function);
    json::Array buffers;
    for (const ArenaBuffer &buffer : use.buffers)
      buffers.push_back(json::Object{{"name", toJsonText(buffer.name)},
                                     {"offset", buffer.offset},
                                     {"bytes", buffer.bytes},
                                     {"begin", buffer.begin},
                                     {"end", buffer.end}});
    arenas.push_back(json::Object{{"function", function.getName()},
                                  {"bytes", getNumber("hlo.arena_bytes")},
                                  {"bound", getNumber("hlo.arena_bound")},
                                  {"peak", use.peak},
                                  {"peak_bytes", use.peakBytes},
                                  {"buffers", std::move(buffers)}});
  }
  return arenas;
}

FailureOr<json::Array> DataMaker::makeAssembly() {
  CodeOptions options;
  options.name = compiled.interface.name;
  FailureOr<std::string> assembly = printAssembly(program, options, target.number);
  if (failed(assembly))
    return failure();
  std::string prefix = getReportedPrefix(compiled) + ".";
  json::Array functions;
  for (const AssemblyFunction &function : readAssembly(*assembly)) {
    json::Array text;
    for (const AssemblyLine &line : ArrayRef(function.lines).take_front(kAssemblyLines))
      text.push_back(json::Array{toJsonText(line.text), line.hloLine});
    json::Object object{{"symbol", toJsonText(function.symbol)},
                        {"lines", std::move(text)},
                        {"count", int64_t(function.lines.size())}};
    // Kernel names contain no dots: the parts of a kernel have its name, a dot and another name.
    StringRef name = function.symbol;
    if (name.consume_front(prefix))
      if (auto kernel = kernelNumbers.find(name.split('.').first); kernel != kernelNumbers.end())
        object["kernel"] = kernel->second;
    functions.push_back(std::move(object));
  }
  return std::move(functions);
}

FailureOr<json::Value> DataMaker::make() {
  json::Array kernels = makeKernels(), notFused = makeNotFused();
  ProgramGraph graph = makeProgramGraph(program, kernelNumbers, target.number, lines);
  FailureOr<json::Array> assembly = makeAssembly();
  if (failed(assembly))
    return failure();
  return json::Value(json::Object{{"version", 1},
                                  {"hloc", getVersion()},
                                  {"module", compiled.interface.name},
                                  {"file", toJsonText(input.source.file)},
                                  {"target", makeTarget()},
                                  {"machine", makeMachine()},
                                  {"sizes", makeSizes()},
                                  {"kernels", std::move(kernels)},
                                  {"nodes", std::move(graph.nodes)},
                                  {"edges", std::move(graph.edges)},
                                  {"arenas", makeArenas()},
                                  {"not_fused", std::move(notFused)},
                                  {"assembly", std::move(*assembly)},
                                  {"hlo_lines", lines.getLines()},
                                  {"places", lines.getPlaces()},
                                  {"profile", input.profile}});
}

FailureOr<json::Value> makeReportData(const ReportInput &input) { return DataMaker(input).make(); }

llvm::Expected<json::Value> readProfile(StringRef text, ModuleOp program) {
  llvm::Expected<json::Value> value = json::parse(text);
  if (!value)
    return value.takeError();
  const json::Object *profile = value->getAsObject();
  const json::Array *rows = profile ? profile->getArray("rows") : nullptr;
  if (!rows || !profile->getNumber("call_seconds") || !profile->getInteger("threads"))
    return llvm::createStringError("expected what hlo-run --profile=FILE.json writes");
  SymbolTable symbols(program);
  for (const json::Value &entry : *rows) {
    const json::Object *row = entry.getAsObject();
    std::optional<StringRef> name = row ? row->getString("name") : std::nullopt,
                             category = row ? row->getString("category") : std::nullopt;
    if (!name || !category || !row->getNumber("seconds") || !row->getInteger("times"))
      return llvm::createStringError("expected what hlo-run --profile=FILE.json writes");
    if (*category != "kernel")
      continue;
    for (StringRef kernel : llvm::split(*name, '+'))
      if (!symbols.lookup<hlo::KernelFunctionOp>(kernel))
        return llvm::createStringError("the module has no kernel `" + kernel +
                                       "`: compile it with the options that it was measured with");
  }
  return value;
}

} // namespace hloc
