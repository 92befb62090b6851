// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/Interface.h"
#include "codegen/emit/Memory.h"
#include "compiler/hlo/AsyncStages.h"
#include "compiler/hlo/HloDialect.h"
#include "passes/frontend/BindParameters.h"
#include "passes/prepare/Preparation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace hloc {

std::string makeIdentifier(StringRef text) {
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) ? c : '_';
  if (name.empty() || llvm::isDigit(name[0]))
    name.insert(name.begin(), 'm');
  return name;
}

static Port makePort(Type type, DictionaryAttr attributes, std::string fallback,
                     llvm::StringSet<> &taken) {
  Port port;
  auto array = cast<RankedTensorType>(type);
  auto name = attributes ? attributes.getAs<StringAttr>("hlo.name") : StringAttr();
  std::string base = name && !name.empty() ? name.str() : fallback;
  // `x.1` is a name `x` to which a printer has added a number.
  StringRef stem = base;
  stem = stem.rtrim("0123456789");
  if (stem.size() < base.size() && stem.size() > 1 && stem.ends_with("."))
    base = stem.drop_back().str();
  port.name = base;
  for (int i = 1; !taken.insert(port.name).second; ++i)
    port.name = base + "." + std::to_string(i);
  port.type = RankedTensorType::get(array.getShape(), array.getElementType());
  if (auto layout =
          attributes ? attributes.getAs<hlo::LayoutAttr>("hlo.layout") : hlo::LayoutAttr())
    port.minorToMajor = SmallVector<int64_t>(layout.getMinorToMajor());
  else
    for (int64_t d = array.getRank() - 1; d >= 0; --d)
      port.minorToMajor.push_back(d);
  port.bytes = getByteSize(port.type);
  return port;
}

/// Connects arrays with their sizes. `getAttributes` returns those of each port.
static void connectSizes(std::vector<Port> &ports,
                         llvm::function_ref<DictionaryAttr(unsigned)> getAttributes) {
  for (auto [i, port] : llvm::enumerate(ports)) {
    DictionaryAttr attributes = getAttributes(i);
    auto sizeOf =
        attributes ? attributes.getAs<DenseI64ArrayAttr>("hlo.size_of") : DenseI64ArrayAttr();
    if (!sizeOf)
      continue;
    port.sizeOf = sizeOf[0];
    Port &array = ports[sizeOf[0]];
    array.sizes.resize(array.type.getRank(), -1);
    array.sizes[sizeOf[1]] = i;
  }
}

ModuleInterface getInterface(ModuleOp module) {
  ModuleInterface interface;
  interface.name = makeIdentifier(module.getSymName().value_or("module"));
  auto number = [&](StringRef attribute, int64_t otherwise) {
    auto value = module->getAttrOfType<IntegerAttr>(attribute);
    return value ? value.getInt() : otherwise;
  };
  interface.replicas = number("hlo.replica_count", 1);
  interface.partitions = number("hlo.num_partitions", 1);
  interface.fingerprint = number("hlo.fingerprint", 0);
  auto main = module.lookupSymbol<func::FuncOp>("main");
  llvm::StringSet<> argumentNames, resultNames;
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    interface.arguments.push_back(makePort(main.getArgumentTypes()[i], main.getArgAttrDict(i),
                                           "arg" + std::to_string(i), argumentNames));
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    interface.results.push_back(makePort(main.getResultTypes()[i], main.getResultAttrDict(i),
                                         "result" + std::to_string(i), resultNames));
  connectSizes(interface.arguments, [&](unsigned i) { return main.getArgAttrDict(i); });
  connectSizes(interface.results, [&](unsigned i) { return main.getResultAttrDict(i); });
  if (auto aliases = module->getAttrOfType<ArrayAttr>("hlo.aliases"))
    for (auto pair : aliases.getAsRange<DenseI64ArrayAttr>())
      interface.aliases.push_back({pair[0], pair[1]});
  if (auto bound = module->getAttrOfType<ArrayAttr>(kBoundParameters))
    for (auto entry : bound.getAsRange<DictionaryAttr>())
      interface.bound.push_back({entry.getAs<StringAttr>("name").str(),
                                 cast<RankedTensorType>(entry.getAs<TypeAttr>("type").getValue()),
                                 entry.getAs<StringAttr>("from").str()});
  module.walk([&](hlo::AsyncLaunchOp launch) {
    if (!llvm::is_contained(interface.threads, launch.getThread()))
      interface.threads.push_back(launch.getThread().str());
  });
  return interface;
}

void addPreparation(ModuleInterface &interface, ModuleOp program) {
  std::optional<PreparedBlock> block = getPreparedBlock(program);
  if (!block)
    return;
  PreparationInterface preparation;
  preparation.bytes = block->bytes;
  preparation.argument = block->argument;
  preparation.isConstant = block->isConstant;
  preparation.isReadByRuns = block->isReadByRuns;
  preparation.isReadByPreparation = block->isReadByPreparation;
  llvm::StringSet<> taken;
  for (const Port &port : interface.arguments)
    taken.insert(port.name);
  Builder builder(program.getContext());
  auto bytes = RankedTensorType::get({block->bytes}, builder.getIntegerType(8, /*isSigned=*/false));
  interface.arguments.push_back(makePort(bytes, {}, "prepared", taken));
  interface.preparation = std::move(preparation);
}

} // namespace hloc
