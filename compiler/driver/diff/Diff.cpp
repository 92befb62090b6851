// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/diff/Diff.h"
#include "compiler/driver/Report.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace llvm;

namespace hloc {

namespace {

/// A field as text; empty if it is missing.
std::string getText(const json::Object &object, StringRef field) {
  const json::Value *value = object.get(field);
  if (!value)
    return "";
  if (std::optional<StringRef> text = value->getAsString())
    return text->str();
  return formatv("{0}", *value).str();
}

const json::Array &getArray(const json::Object &object, StringRef field) {
  static const json::Array none;
  const json::Array *array = object.getArray(field);
  return array ? *array : none;
}

/// The elements that are objects.
SmallVector<const json::Object *> getObjects(const json::Object &object, StringRef field) {
  SmallVector<const json::Object *> objects;
  for (const json::Value &value : getArray(object, field))
    if (const json::Object *element = value.getAsObject())
      objects.push_back(element);
  return objects;
}

/// Objects of both sides by name.
using Pairs = MapVector<StringRef, std::pair<const json::Object *, const json::Object *>>;

Pairs pairUp(ArrayRef<const json::Object *> x, ArrayRef<const json::Object *> y, StringRef field) {
  Pairs pairs;
  for (const json::Object *object : x)
    pairs[object->getString(field).value_or("")].first = object;
  for (const json::Object *object : y)
    pairs[object->getString(field).value_or("")].second = object;
  return pairs;
}

double getPrediction(const json::Object &kernel) {
  return kernel.getNumber("predicted_ns").value_or(0);
}

/// The predicted time of all launches in a call; nothing if their number is not known.
std::optional<double> addPredictions(const json::Object &program) {
  double sum = 0;
  for (const json::Object *kernel : getObjects(program, "kernels")) {
    std::optional<int64_t> times = kernel->getInteger("times");
    if (!times)
      return std::nullopt;
    sum += double(*times) * getPrediction(*kernel);
  }
  return sum;
}

class DiffWriter {
public:
  DiffWriter(const ObjectContents &before, const ObjectContents &after)
      : before(before), after(after), out(text) {}

  std::string write() {
    writeHead();
    writePorts("arguments", "argument");
    writePorts("results", "result");
    compareNumbers("arena", getNumber(before, "arena_bytes"), getNumber(after, "arena_bytes"));
    compareNumbers("file of weights", getNumber(before, "weights_bytes"),
                   getNumber(after, "weights_bytes"));
    compareNumbers("code", before.code.bytes, after.code.bytes);
    compareNumbers("constants", before.constants.bytes, after.constants.bytes);
    writePrograms();
    // Parts without a line of their own: small kernels inlined into the program, values of
    // constants.
    if (before.code.bytes == after.code.bytes && before.code.hash != after.code.hash &&
        !codeDiffers)
      out << "code around the kernels differs\n";
    if (before.constants.bytes == after.constants.bytes &&
        before.constants.hash != after.constants.hash)
      out << "values of constants differ\n";
    return std::move(text);
  }

private:
  void writeHead();
  void writePorts(StringRef field, StringRef name);
  void writePrograms();
  void writeProgram(const json::Object &x, const json::Object &y);
  std::string compareKernels(const json::Object &x, const json::Object &y, StringRef prefixX,
                             StringRef prefixY);
  static std::string compareCode(const ObjectPart *x, const ObjectPart *y);

  static uint64_t getNumber(const ObjectContents &contents, StringRef field) {
    return contents.record.getInteger(field).value_or(0);
  }
  /// The code of a kernel: its function, or, if that is inlined, the one that runs it in tasks.
  static const ObjectPart *findCode(const ObjectContents &contents, StringRef prefix,
                                    StringRef kernel) {
    for (const char *ending : {"", ".tasks"})
      if (auto found = contents.functions.find((prefix + "." + kernel + ending).str());
          found != contents.functions.end())
        return &found->second;
    return nullptr;
  }
  void compare(const Twine &name, StringRef x, StringRef y) {
    if (x != y)
      out << name << ": " << (x.empty() ? "none" : x) << " -> " << (y.empty() ? "none" : y) << '\n';
  }
  void compareNumbers(StringRef name, uint64_t x, uint64_t y) {
    if (x != y)
      out << formatv("{0}: {1:N} -> {2:N} bytes\n", name, x, y);
  }
  void writeAlone(const char *which, const json::Object &kernel) {
    out << formatv("  only in the {0}: {1}: {2} {3}, predicted {4}\n", which,
                   getText(kernel, "name"), getText(kernel, "kind"), getText(kernel, "outputs"),
                   printDuration(getPrediction(kernel)));
  }

  const ObjectContents &before, &after;
  std::string text;
  raw_string_ostream out;
  /// True if the code of a kernel differs.
  bool codeDiffers = false;
};

} // namespace

void DiffWriter::writeHead() {
  for (auto [field, name] : {std::pair("hloc", "hloc"),
                             {"llvm", "LLVM"},
                             {"name", "name"},
                             {"module", "text of the module"}})
    compare(name, getText(before.record, field), getText(after.record, field));
  static const json::Object none;
  const json::Object *x = before.record.getObject("options"),
                     *y = after.record.getObject("options");
  x = x ? x : &none;
  y = y ? y : &none;
  std::set<std::string> names;
  for (const json::Object *options : {x, y})
    for (const auto &[name, value] : *options)
      names.insert(StringRef(name).str());
  for (const std::string &name : names)
    compare(name, getText(*x, name), getText(*y, name));
}

void DiffWriter::writePorts(StringRef field, StringRef name) {
  const json::Array &x = getArray(before.record, field), &y = getArray(after.record, field);
  auto get = [](const json::Array &ports, size_t i) {
    return i < ports.size() ? ports[i].getAsString().value_or("") : StringRef();
  };
  for (size_t i = 0; i < std::max(x.size(), y.size()); ++i)
    compare(name + " " + Twine(i), get(x, i), get(y, i));
}

/// Compares programs for the same target, or the only ones.
void DiffWriter::writePrograms() {
  auto x = getObjects(before.record, "programs"), y = getObjects(after.record, "programs");
  if (x.size() == 1 && y.size() == 1) {
    compare("target", getText(*x[0], "target"), getText(*y[0], "target"));
    if (getText(*x[0], "target") == getText(*y[0], "target"))
      compare("features", getText(*x[0], "features"), getText(*y[0], "features"));
    return writeProgram(*x[0], *y[0]);
  }
  for (auto &[target, programs] : pairUp(x, y, "target")) {
    auto [first, second] = programs;
    if (!first || !second) {
      out << "code for " << target << ": only in the " << (first ? "first" : "second") << '\n';
      continue;
    }
    std::string rest = std::exchange(text, "");
    writeProgram(*first, *second);
    if (!text.empty())
      rest += ("for " + target + "\n" + text).str();
    text = std::move(rest);
  }
}

void DiffWriter::writeProgram(const json::Object &x, const json::Object &y) {
  Pairs kernels = pairUp(getObjects(x, "kernels"), getObjects(y, "kernels"), "name");
  std::string prefixX = getText(x, "prefix"), prefixY = getText(y, "prefix");
  size_t both = 0, differ = 0, first = 0, second = 0;
  std::string changed;
  for (auto &[name, pair] : kernels) {
    if (!pair.first || !pair.second) {
      ++(pair.first ? first : second);
      continue;
    }
    ++both;
    std::string what = compareKernels(*pair.first, *pair.second, prefixX, prefixY);
    if (what.empty())
      continue;
    ++differ;
    changed += ("  " + name + "\n" + what).str();
  }
  std::optional<double> sumX = addPredictions(x), sumY = addPredictions(y);
  if (sumX && sumY && *sumX != *sumY)
    out << "predicted time of a call, on one core: " << printDuration(*sumX) << " -> "
        << printDuration(*sumY) << '\n';
  if (!differ && !first && !second)
    return;
  out << formatv(
             "kernels: {0} in both, of which {1} differ; {2} only in the first, {3} only in the "
             "second\n",
             both, differ, first, second)
      << changed;
  for (auto &[name, pair] : kernels)
    if (!pair.second)
      writeAlone("first", *pair.first);
  for (auto &[name, pair] : kernels)
    if (!pair.first)
      writeAlone("second", *pair.second);
}

std::string DiffWriter::compareKernels(const json::Object &x, const json::Object &y,
                                       StringRef prefixX, StringRef prefixY) {
  std::string lines;
  raw_string_ostream stream(lines);
  auto compareField = [&](StringRef field, StringRef name) {
    std::string a = getText(x, field), b = getText(y, field);
    if (a != b)
      stream << "    " << name << ": " << (a.empty() ? "unknown" : a) << " -> "
             << (b.empty() ? "unknown" : b) << '\n';
  };
  compareField("kind", "kind");
  compareField("outputs", "results");
  compareField("launches", "launches");
  compareField("times", "launches in a call");
  compareField("schedule", "schedule");
  if (getPrediction(x) != getPrediction(y))
    stream << "    predicted: " << printDuration(getPrediction(x)) << " -> "
           << printDuration(getPrediction(y)) << '\n';
  std::string name = getText(x, "name");
  std::string code = compareCode(findCode(before, prefixX, name), findCode(after, prefixY, name));
  codeDiffers |= !code.empty();
  stream << code;
  return lines;
}

/// Returns an empty text for code that is inlined into the program.
std::string DiffWriter::compareCode(const ObjectPart *x, const ObjectPart *y) {
  if (!x && !y)
    return "";
  auto show = [](const ObjectPart *function) {
    return function ? formatv("{0:N} bytes", function->bytes).str() : std::string("inlined");
  };
  if (!x || !y || x->bytes != y->bytes)
    return "    code: " + show(x) + " -> " + show(y) + "\n";
  return x->hash == y->hash ? "" : "    code: differs, " + show(x) + "\n";
}

std::string printDifferences(const ObjectContents &before, const ObjectContents &after) {
  return DiffWriter(before, after).write();
}

bool isDiff(int argc, char **argv) {
  return argc == 4 && StringRef(argv[1]) == "diff" && !StringRef(argv[2]).starts_with("-") &&
         !StringRef(argv[3]).starts_with("-");
}

int diffMain(char **argv) {
  std::vector<ObjectContents> objects;
  for (StringRef file : {argv[2], argv[3]}) {
    Expected<ObjectContents> contents = readObject(file);
    if (!contents) {
      errs() << file << ": error: " << toString(contents.takeError()) << '\n';
      return 1;
    }
    objects.push_back(std::move(*contents));
  }
  std::string text = printDifferences(objects[0], objects[1]);
  outs() << text;
  return text.empty() ? 0 : 1;
}

} // namespace hloc
