// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/weights/Bindings.h"
#include "compiler/driver/weights/EntryLeaves.h"
#include "compiler/hlo/ElementType.h"
#include "compiler/hlo/Literal.h"
#include "compiler/hlo/infer/Shape.h"
#include "compiler/text/Shape.h"
#include "mlir/IR/Builders.h"
#include "passes/Computations.h"
#include "passes/frontend/BindParameters.h"
#include "runtime/program/NpyHeader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <map>

using namespace mlir;

namespace hloc {

namespace {

/// The origin of a parameter's value.
struct Source {
  StoredArray array;
  StoredBytes stored;
  /// The file and its array for messages, with and without the folder.
  std::string place, shortPlace;
  /// The option named this parameter, so it takes precedence over --bind-all.
  bool isNamed = true;
};

class Binder {
public:
  Binder(ModuleOp module, hlo::ComputationOp entry,
         llvm::function_ref<void(const std::string &)> fail)
      : entry(entry), leaves(entry), sources(leaves.size()), builder(module.getContext()),
        fail(fail) {}

  bool bindOne(StringRef option);
  bool bindArray(const BoundArray &bound);
  bool bindAll(StringRef path);
  LogicalResult setAttributes();

private:
  std::shared_ptr<WeightFile> open(StringRef path);
  std::optional<size_t> findLeaf(StringRef name, StringRef option);
  std::optional<size_t> findArray(WeightFile &file, StringRef name, size_t leaf);
  bool bindFile(StringRef path, size_t &matched, std::vector<std::string> &unused);
  bool bind(size_t leaf, WeightFile &file, size_t array, bool isNamed);
  bool bind(size_t leaf, Source source);
  FailureOr<Attribute> makeAttribute(const EntryLeaf &leaf, const Source &source);

  hlo::ComputationOp entry;
  EntryLeaves leaves;
  std::vector<std::optional<Source>> sources;
  Builder builder;
  llvm::function_ref<void(const std::string &)> fail;
  std::map<std::string, std::shared_ptr<WeightFile>> files;
};

/// HLO's names of the types that an element type may be stored as: its own, and that of one or two
/// bytes that NumPy uses instead.
SmallVector<StringRef> getStoredTypes(Type element) {
  StringRef own = text::getElementName(element);
  if (element.isBF16())
    return {own, "u16"};
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() <= 8)
    return {own, "u8", "V1"};
  if (isa<IntegerType>(element) && !hlo::isPred(element) && element.getIntOrFloatBitWidth() < 8)
    return {own, element.isUnsignedInteger() ? "u8" : "s8"}; // V1 would not extend the sign
  return {own};
}

/// Position of the first element that the type cannot represent; nothing if all are valid.
std::optional<size_t> findForeignElement(Type element, ArrayRef<char> bytes) {
  unsigned width = hlo::isPred(element) ? 1 : hlo::getStorageBits(element);
  if (width >= 8)
    return std::nullopt;
  bool isSigned =
      isa<IntegerType>(element) && !hlo::isPred(element) && !element.isUnsignedInteger();
  int least = isSigned ? -(1 << (width - 1)) : 0, end = least + (1 << width);
  for (auto [i, byte] : llvm::enumerate(bytes))
    if (int value = isSigned ? int(int8_t(byte)) : int(uint8_t(byte));
        value < least || value >= end)
      return i;
  return std::nullopt;
}

std::string describe(const StoredArray &array) {
  return array.type + "[" + runtime::joinSizes(array.shape) + "]";
}

} // namespace

std::shared_ptr<WeightFile> Binder::open(StringRef path) {
  std::shared_ptr<WeightFile> &file = files[path.str()];
  if (file)
    return file;
  llvm::Expected<std::shared_ptr<WeightFile>> opened = WeightFile::open(path);
  if (opened)
    file = std::move(*opened);
  else
    fail(llvm::toString(opened.takeError()));
  return file;
}

/// The array for a name on the command line. Errors are diagnostics.
std::optional<size_t> Binder::findLeaf(StringRef name, StringRef option) {
  return leaves.findOne(name, option, entry.getLoc());
}

/// The array of a file with the given name, or with the parameter's.
std::optional<size_t> Binder::findArray(WeightFile &file, StringRef name, size_t leaf) {
  ArrayRef<StoredArray> arrays = file.getArrays();
  std::vector<std::string> names;
  SmallVector<size_t> found;
  for (auto [i, array] : llvm::enumerate(arrays)) {
    names.push_back(array.name);
    if (name.empty() ? llvm::is_contained(leaves.find(array.name), leaf) : array.name == name)
      found.push_back(i);
  }
  if (name.empty() && arrays.size() == 1)
    return 0;
  if (found.size() == 1)
    return found.front();
  std::string wanted = name.empty() ? leaves[leaf].getName().str() : name.str();
  std::string has = arrays.empty()           ? "it has none"
                    : arrays[0].name.empty() ? "its only one has no name"
                                             : "it has " + listNames(names);
  fail((file.getPath() + ": error: has no array '" + wanted + "': " + has +
        (name.empty() ? "; say which, as FILE:KEY" : ""))
           .str());
  return std::nullopt;
}

bool Binder::bind(size_t leaf, Source source) {
  std::optional<Source> &known = sources[leaf];
  if (known && known->isNamed && !source.isNamed)
    return true;
  if (known) {
    emitError(leaves[leaf].parameter.getLoc())
        << "the parameter '" << leaves[leaf].getName() << "' is bound twice: to " << known->place
        << " and to " << source.place;
    return false;
  }
  known = std::move(source);
  return true;
}

bool Binder::bind(size_t leaf, WeightFile &file, size_t array, bool isNamed) {
  const StoredArray &about = file.getArrays()[array];
  std::string ending = about.name.empty() ? "" : ":" + about.name;
  Source source{about,
                {},
                file.getPath().str() + ending,
                llvm::sys::path::filename(file.getPath()).str() + ending,
                isNamed};
  // Elements of a wrong type are not read: they may not even be numbers.
  if (llvm::is_contained(getStoredTypes(leaves[leaf].type.getElementType()), about.type)) {
    llvm::Expected<StoredBytes> stored = file.read(array);
    if (!stored) {
      fail(llvm::toString(stored.takeError()));
      return false;
    }
    source.stored = std::move(*stored);
  }
  return bind(leaf, std::move(source));
}

/// Parses NAME=FILE[:KEY]. A name may contain `=` in brackets; a file's name may contain `:`.
bool Binder::bindOne(StringRef option) {
  std::string about = ("--bind=" + option).str();
  size_t equals = 0;
  for (int depth = 0; equals < option.size() && (depth > 0 || option[equals] != '='); ++equals)
    depth += option[equals] == '[' ? 1 : option[equals] == ']' ? -1 : 0;
  StringRef name = option.take_front(equals), path = option.drop_front(equals), key;
  if (!path.consume_front("=") || name.empty() || path.empty()) {
    fail("--bind: error: expected NAME=FILE or NAME=FILE:KEY but got '" + option.str() + "'");
    return false;
  }
  std::optional<size_t> leaf = findLeaf(name, about);
  if (!leaf)
    return false;
  for (size_t colon = path.find(':'); colon != StringRef::npos && !llvm::sys::fs::exists(path);
       colon = path.find(':', colon + 1))
    if (StringRef front = path.take_front(colon); llvm::sys::fs::exists(front)) {
      key = path.drop_front(colon + 1);
      path = front;
      break;
    }
  std::shared_ptr<WeightFile> file = open(path);
  std::optional<size_t> array = file ? findArray(*file, key, *leaf) : std::nullopt;
  return array && bind(*leaf, *file, *array, /*isNamed=*/true);
}

bool Binder::bindArray(const BoundArray &bound) {
  std::optional<size_t> leaf = findLeaf(bound.name, "bind");
  return leaf && bind(*leaf, {bound.array, bound.stored, "an array", "an array"});
}

/// Counts in `matched` the arrays of a file that have the name of a parameter; appends the names of
/// the others to `unused`.
bool Binder::bindFile(StringRef path, size_t &matched, std::vector<std::string> &unused) {
  std::shared_ptr<WeightFile> file = open(path);
  if (!file)
    return false;
  for (auto [i, array] : llvm::enumerate(file->getArrays())) {
    StringRef name = array.name.empty() ? llvm::sys::path::stem(path) : StringRef(array.name);
    ArrayRef<size_t> found = leaves.find(name);
    if (found.empty()) {
      unused.push_back(name.str());
      continue;
    }
    if (found.size() > 1)
      return findLeaf(name, ("--bind-all=" + path).str()).has_value();
    if (!bind(found.front(), *file, i, /*isNamed=*/false))
      return false;
    ++matched;
  }
  return true;
}

bool Binder::bindAll(StringRef path) {
  std::vector<std::string> all{path.str()}, unused;
  if (llvm::sys::fs::is_directory(path)) {
    all.clear();
    std::error_code error;
    for (llvm::sys::fs::directory_iterator file(path, error), end; !error && file != end;
         file.increment(error))
      if (llvm::is_contained({".safetensors", ".npz", ".npy", ".gguf"},
                             llvm::sys::path::extension(file->path())))
        all.push_back(file->path());
    llvm::sort(all); // the system's order is arbitrary
    if (error || all.empty()) {
      fail((path + ": error: " +
            (error ? error.message()
                   : "the folder has no files of weights (.safetensors, .npz, .npy, .gguf)"))
               .str());
      return false;
    }
  }
  size_t matched = 0;
  for (const std::string &file : all)
    if (!bindFile(file, matched, unused))
      return false;
  if (matched == 0) {
    std::vector<std::string> names;
    for (size_t i = 0; i < leaves.size(); ++i)
      names.push_back(leaves[i].getName().str());
    emitError(entry.getLoc()) << "--bind-all=" << path
                              << ": no parameter has the name of one of its "
                              << "arrays, which are " << listNames(unused)
                              << "; the parameters are " << listNames(names);
    return false;
  }
  if (!unused.empty())
    emitWarning(entry.getLoc()) << "--bind-all=" << path << ": no parameter is named "
                                << listNames(unused);
  return true;
}

/// The entry of `hlo.bound` for an array.
FailureOr<Attribute> Binder::makeAttribute(const EntryLeaf &leaf, const Source &source) {
  auto wrong = [&] {
    return emitError(leaf.parameter.getLoc())
           << "the parameter '" << leaf.getName() << "' is " << hlo::toText(Type(leaf.type))
           << ", but " << source.place << " is ";
  };
  if (!leaf.type.hasStaticShape())
    return emitError(leaf.parameter.getLoc())
           << "a parameter whose size is known at run time cannot be bound";
  Type element = leaf.type.getElementType();
  SmallVector<StringRef> types = getStoredTypes(element);
  if (!llvm::is_contained(types, source.array.type) ||
      ArrayRef(source.array.shape) != leaf.type.getShape()) {
    InFlightDiagnostic error = wrong() << describe(source.array);
    if (types.size() > 1)
      error << " (stored as " << types[0] << " or " << types[1] << ")";
    return failure();
  }
  ArrayRef<char> bytes = source.stored.bytes;
  if (std::optional<size_t> at = findForeignElement(element, bytes))
    return wrong() << int(bytes[*at]) << " at element " << *at
                   << ", which is no value of that type";
  auto type = RankedTensorType::get(leaf.type.getShape(), element);
  ElementsAttr value = hlo::makeLiteral(type, bytes, source.stored.owner);
  return Attribute(builder.getDictionaryAttr(
      {builder.getNamedAttr("value", value),
       builder.getNamedAttr("from", builder.getStringAttr(source.shortPlace))}));
}

LogicalResult Binder::setAttributes() {
  std::map<unsigned, SmallVector<Attribute>> bound; // by parameter
  llvm::SmallDenseSet<unsigned> touched;
  for (size_t i = 0; i < leaves.size(); ++i) {
    Attribute attribute = builder.getUnitAttr();
    unsigned parameter = leaves[i].parameter.getArgNumber();
    if (sources[i]) {
      FailureOr<Attribute> made = makeAttribute(leaves[i], *sources[i]);
      if (failed(made))
        return failure();
      attribute = *made;
      touched.insert(parameter);
    }
    bound[parameter].push_back(attribute);
  }
  for (auto &[parameter, attributes] : bound)
    if (touched.contains(parameter))
      entry.setArgAttr(parameter, kBound, builder.getArrayAttr(attributes));
  return success();
}

LogicalResult bindParameters(ModuleOp module, const BindOptions &options,
                             llvm::function_ref<void(const std::string &)> fail) {
  hlo::ComputationOp entry = getEntry(module);
  if (options.empty() || !entry)
    return success();
  Binder binder(module, entry, fail);
  bool good = llvm::all_of(options.one, [&](StringRef one) { return binder.bindOne(one); }) &&
              llvm::all_of(options.arrays,
                           [&](const BoundArray &array) { return binder.bindArray(array); }) &&
              llvm::all_of(options.all, [&](StringRef path) { return binder.bindAll(path); });
  if (!good || failed(binder.setAttributes()))
    return failure();
  return bindParameters(module);
}

} // namespace hloc
