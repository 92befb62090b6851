// SPDX-License-Identifier: Apache-2.0
#include "codegen/LaunchAttribute.h"

using namespace mlir;

namespace hloc {

static constexpr StringLiteral kLaunch = "hlo.launch", kPart = "hlo.kernel_part";

namespace {

/// Entries of a dictionary; those with default values are left out.
class EntryWriter {
public:
  explicit EntryWriter(MLIRContext *context) : builder(context) {}

  void add(StringRef name, int64_t value, int64_t otherwise) {
    if (value != otherwise)
      entries.set(name, builder.getI64IntegerAttr(value));
  }
  void add(StringRef name, bool value) {
    if (value)
      entries.set(name, builder.getUnitAttr());
  }
  void add(StringRef name, ArrayRef<unsigned> numbers) {
    if (!numbers.empty())
      entries.set(
          name, builder.getDenseI64ArrayAttr(SmallVector<int64_t>(numbers.begin(), numbers.end())));
  }
  void add(StringRef name, ArrayRef<int64_t> numbers) {
    if (!numbers.empty())
      entries.set(name, builder.getDenseI64ArrayAttr(numbers));
  }
  void add(StringRef name, DictionaryAttr value) { entries.set(name, value); }
  DictionaryAttr get() { return entries.getDictionary(builder.getContext()); }

private:
  Builder builder;
  NamedAttrList entries;
};

} // namespace

static int64_t readNumber(DictionaryAttr from, StringRef name, int64_t otherwise) {
  auto value = from.getAs<IntegerAttr>(name);
  return value ? value.getInt() : otherwise;
}

static SmallVector<unsigned> readNumbers(DictionaryAttr from, StringRef name) {
  auto values = from.getAs<DenseI64ArrayAttr>(name);
  return values ? SmallVector<unsigned>(values.asArrayRef()) : SmallVector<unsigned>();
}

static DictionaryAttr writeTiles(MLIRContext *context, const TileAccess &tiles) {
  EntryWriter entries(context);
  entries.add("batches", tiles.batches, 0);
  entries.add("batch_units", tiles.batchUnits, 0);
  entries.add("rows", tiles.rows, 0);
  entries.add("block_rows", tiles.blockRows, 0);
  entries.add("block_units", tiles.blockUnits, 0);
  entries.add("operand_rows", !tiles.writesRows);
  entries.add("batch_inputs", tiles.batchInputs);
  entries.add("row_inputs", tiles.rowInputs);
  return entries.get();
}

static TileAccess readTiles(DictionaryAttr from) {
  TileAccess tiles;
  tiles.batches = readNumber(from, "batches", 0);
  tiles.batchUnits = readNumber(from, "batch_units", 0);
  tiles.rows = readNumber(from, "rows", 0);
  tiles.blockRows = readNumber(from, "block_rows", 0);
  tiles.blockUnits = readNumber(from, "block_units", 0);
  tiles.writesRows = !from.contains("operand_rows");
  tiles.batchInputs = readNumbers(from, "batch_inputs");
  tiles.rowInputs = readNumbers(from, "row_inputs");
  return tiles;
}

void setLaunch(LLVM::LLVMFuncOp function, const KernelSchedule &schedule) {
  EntryWriter entries(function.getContext());
  entries.add("units", schedule.units, -1);
  entries.add("phases", schedule.phases, 1);
  entries.add("tasks", schedule.tasks, 1);
  entries.add("time", schedule.time, 0);
  entries.add("accessed", ArrayRef<int64_t>(schedule.accessed));
  entries.add("scratch", schedule.scratchBytes, 0);
  entries.add("operations", schedule.operations, 0);
  entries.add("unrolled", schedule.isUnrolled);
  entries.add("small", schedule.isSmall);
  entries.add("matrices", schedule.usesMatrices);
  if (schedule.blocks.batches > 0)
    entries.add("tiles", writeTiles(function.getContext(), schedule.blocks));
  function->setAttr(kLaunch, entries.get());
}

std::optional<KernelSchedule> getLaunch(LLVM::LLVMFuncOp function) {
  auto entries = function->getAttrOfType<DictionaryAttr>(kLaunch);
  if (!entries)
    return std::nullopt;
  KernelSchedule schedule;
  schedule.units = readNumber(entries, "units", 1);
  schedule.phases = readNumber(entries, "phases", 1);
  schedule.tasks = readNumber(entries, "tasks", 1);
  schedule.time = readNumber(entries, "time", 0);
  if (auto accessed = entries.getAs<DenseI64ArrayAttr>("accessed"))
    schedule.accessed = llvm::to_vector(accessed.asArrayRef());
  schedule.scratchBytes = readNumber(entries, "scratch", 0);
  schedule.operations = readNumber(entries, "operations", 0);
  schedule.isUnrolled = entries.contains("unrolled");
  schedule.isSmall = entries.contains("small");
  schedule.usesMatrices = entries.contains("matrices");
  if (auto tiles = entries.getAs<DictionaryAttr>("tiles"))
    schedule.blocks = readTiles(tiles);
  return schedule;
}

llvm::StringMap<KernelSchedule> getLaunches(ModuleOp module) {
  llvm::StringMap<KernelSchedule> launches;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (std::optional<KernelSchedule> launch = getLaunch(function))
      launches[function.getSymName()] = std::move(*launch);
  return launches;
}

void setPart(LLVM::LLVMFuncOp function) {
  function->setAttr(kPart, UnitAttr::get(function.getContext()));
}

bool isPart(LLVM::LLVMFuncOp function) { return function->hasAttr(kPart); }

} // namespace hloc
