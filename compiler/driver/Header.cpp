// SPDX-License-Identifier: Apache-2.0
// The header of a compiled module.
#include "codegen/program/ElementNames.h"
#include "codegen/program/Program.h"
#include "compiler/driver/Descriptor.h"
#include "compiler/hlo/infer/Shape.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using llvm::formatv;

namespace hloc {

namespace {

/// Keywords of C++, macros of the headers that the generated one includes and of GNU dialects, and
/// the names that the class defines or uses.
const llvm::StringSet<> &takenNames() {
  static const llvm::StringSet<> names = {"alignas",       "alignof",     "and",
                                          "and_eq",        "asm",         "auto",
                                          "bitand",        "bitor",       "bool",
                                          "break",         "case",        "catch",
                                          "char",          "char16_t",    "char32_t",
                                          "char8_t",       "class",       "co_await",
                                          "co_return",     "co_yield",    "compl",
                                          "concept",       "const",       "const_cast",
                                          "consteval",     "constexpr",   "constinit",
                                          "continue",      "decltype",    "default",
                                          "delete",        "do",          "double",
                                          "dynamic_cast",  "else",        "enum",
                                          "explicit",      "export",      "extern",
                                          "false",         "float",       "for",
                                          "friend",        "goto",        "if",
                                          "inline",        "int",         "long",
                                          "mutable",       "namespace",   "new",
                                          "noexcept",      "not",         "not_eq",
                                          "nullptr",       "operator",    "or",
                                          "or_eq",         "private",     "protected",
                                          "public",        "register",    "reinterpret_cast",
                                          "requires",      "return",      "short",
                                          "signed",        "sizeof",      "static",
                                          "static_assert", "static_cast", "struct",
                                          "switch",        "template",    "this",
                                          "thread_local",  "throw",       "true",
                                          "try",           "typedef",     "typeid",
                                          "typename",      "union",       "unsigned",
                                          "using",         "virtual",     "void",
                                          "volatile",      "wchar_t",     "while",
                                          "xor",           "xor_eq",      "EOF",
                                          "NULL",          "assert",      "errno",
                                          "linux",         "stderr",      "stdin",
                                          "stdout",        "unix",        "argument",
                                          "bindArgument",  "bindResult",  "descriptor",
                                          "hlort_context", "result",      "run",
                                          "load_weights",  "Program",     "verify_weights",
                                          "count",         "prepare"};
  return names;
}

/// A name in C style: letters, digits and single underscores.
std::string makeName(StringRef text, const llvm::StringSet<> &taken) {
  std::string name;
  for (char c : text)
    if (llvm::isAlnum(c))
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  while (!name.empty() && name.back() == '_')
    name.pop_back();
  if (name.empty() || llvm::isDigit(name[0]))
    name = "x" + name;
  if (!taken.contains(name) && !takenNames().contains(name))
    return name;
  for (int i = 1;; ++i)
    if (std::string numbered = name + "_" + std::to_string(i); !taken.contains(numbered))
      return numbered;
}

/// The name of a class: capitalized words without underscores.
std::string makeClassName(StringRef name) {
  std::string result;
  bool start = true;
  for (char c : name) {
    if (c != '_')
      result += start ? llvm::toUpper(c) : c;
    start = c == '_';
  }
  return result.empty() || llvm::isDigit(result[0]) ? "M" + result : result;
}

std::string list(ArrayRef<int64_t> numbers) {
  return "hlort::List<" +
         llvm::join(llvm::map_range(numbers, [](int64_t n) { return std::to_string(n); }), ", ") +
         ">";
}

/// An argument or result as a member of the class.
struct Accessor {
  const Port &port;
  size_t index;
  bool isResult;
  std::string name, shape;
  /// States which functions read a parameter that stays the same; empty for others.
  std::string note = {};

  StringRef getRole() const { return isResult ? "Result" : "Argument"; }

  /// Dimensions and strides of the memory: those of the array, or of bytes if it is packed.
  std::pair<SmallVector<int64_t>, SmallVector<int64_t>> getMemoryShape() const {
    if (getElementInfo(port.type.getElementType()).packed)
      return {{port.bytes}, {1}};
    SmallVector<int64_t> sizes(port.type.getShape()), strides(sizes.size(), 1);
    int64_t step = 1;
    for (int64_t dimension : port.minorToMajor) {
      strides[dimension] = step;
      step *= sizes[dimension];
    }
    return {sizes, strides};
  }
};

/// The shape in the form of HLO text: `f32[<=8,3]`.
std::string describeShape(const Port &port) {
  hlo::Shape shape(port.type);
  for (auto [d, number] : llvm::enumerate(port.sizes))
    shape.dynamic[d] = number >= 0;
  std::string text = hlo::toText(Type(shape.getType()));
  if (port.sizeOf >= 0)
    text += (", a size of " + Twine(port.sizeOf)).str();
  return text;
}

/// `text` as a string literal of C.
std::string quote(StringRef text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

/// `text` in a form that does not end a comment of C.
std::string makeCommentText(std::string text) {
  for (size_t at = 0; (at = text.find("*/", at)) != std::string::npos;)
    text.insert(at + 1, " ");
  return text;
}

class HeaderWriter {
public:
  HeaderWriter(const ModuleInterface &interface, StringRef source)
      : interface(interface), out(text) {
    std::string guard = StringRef(interface.name).upper() + "_HLOC_H";
    llvm::StringSet<> taken;
    taken.insert(makeClassName(interface.name));
    for (auto [i, port] : llvm::enumerate(interface.arguments))
      accessors.push_back(makeAccessor(port, i, /*isResult=*/false, taken));
    if (interface.preparation)
      for (size_t i = 0; i < interface.preparation->isConstant.size(); ++i)
        accessors[i].note = describeUse(*interface.preparation, i);
    for (auto [i, port] : llvm::enumerate(interface.results))
      accessors.push_back(makeAccessor(port, i, /*isResult=*/true, taken));
    writeSummary(source);
    out << formatv("#ifndef {0}\n#define {0}\n\n#include \"hlort/hlort.h\"\n\n", guard);
    writeC();
    if (!interface.stackBytes) // the class is derived from one of the runtime
      writeClass();
    out << formatv("\n#endif /* {0} */\n", guard);
  }

  std::string take() { return std::move(text); }

private:
  static Accessor makeAccessor(const Port &port, size_t index, bool isResult,
                               llvm::StringSet<> &taken) {
    std::string name = makeName(port.name, taken);
    for (const std::string &used : {name, name + "_view", "bind_" + name})
      taken.insert(used);
    return {port, index, isResult, name, describeShape(port)};
  }

  std::string describeUse(const PreparationInterface &preparation, size_t parameter) {
    if (!preparation.isConstant[parameter])
      return "";
    bool runs = preparation.isReadByRuns[parameter],
         prepares = preparation.isReadByPreparation[parameter];
    return (", stays the same: read by " +
            Twine(prepares ? interface.name + "_prepare"
                  : runs   ? ""
                           : "nothing") +
            (prepares && runs ? " and " : "") +
            (runs       ? "runs"
             : prepares ? " alone"
                        : ""))
        .str();
  }

  void writeSummary(StringRef source) {
    out << formatv("/* The interface of {0}, compiled by hloc. Written by the compiler.\n *\n",
                   source);
    for (const Accessor &accessor : accessors)
      out << formatv(" *   {0,-8} {1,-3} {2}: {3}{4}\n", accessor.isResult ? "result" : "argument",
                     accessor.index, accessor.name, accessor.shape, accessor.note);
    for (const BoundParameter &bound : interface.bound)
      out << formatv(" *   bound        {0}: {1} = {2}\n", makeCommentText(bound.name),
                     hlo::toText(Type(bound.type)), makeCommentText(bound.source));
    if (!interface.threads.empty()) {
      auto quoted = llvm::map_range(interface.threads,
                                    [](StringRef name) { return ("\"" + name + "\"").str(); });
      out << formatv(
          " *\n * Asynchronous computations run on these threads of the context, if it has "
          "them: {0}.\n * hlort_context_add_threads(context, &{1}_module, &status) of "
          "hlort/async.h adds all.\n",
          makeCommentText(llvm::join(quoted, ", ")), interface.name);
    }
    out << " */\n";
  }

  void writeEnum(StringRef role, bool results) {
    out << formatv("enum {0}_{1} {{\n", interface.name, role);
    for (const Accessor &accessor : accessors)
      if (accessor.isResult == results)
        out << formatv("  {0}_{1}_{2} = {3}, /* {4}{5} */\n", interface.name, role, accessor.name,
                       accessor.index, accessor.shape, accessor.note);
    out << formatv("  {0}_{1}_count = {2}\n};\n\n", interface.name, role,
                   results ? interface.results.size() : interface.arguments.size());
  }

  void writeC() {
    out << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n/* Indices in the arrays of pointers. "
           "*/\n";
    writeEnum("argument", false);
    writeEnum("result", true);
    out << formatv("/* The memory for temporaries that a call needs. */\n"
                   "#define {0}_ARENA_BYTES INT64_C({1})\n#define {0}_ARENA_ALIGNMENT {2}\n\n",
                   StringRef(interface.name).upper(), interface.arenaBytes, kArenaAlignment);
    if (interface.stackBytes)
      writeFreestanding();
    if (!interface.weightsFile.empty())
      out << formatv("/* The file of weights that runs need, next to the program unless the host "
                     "says otherwise: hlort/weights.h. */\n"
                     "#define {0}_WEIGHTS_FILE {1}\n#define {0}_WEIGHTS_BYTES INT64_C({2})\n\n",
                     StringRef(interface.name).upper(), quote(interface.weightsFile),
                     interface.weightsBytes);
    out << formatv("/* Types, shapes, layouts and sizes, as data. */\nextern const hlort_module "
                   "{0}_module;\n\n"
                   "/* Runs the module: see hlort_entry. Returns 0, or the code of a failure. */\n"
                   "int32_t {0}_run(hlort_context *context, const void *const *arguments, void "
                   "*const *results,\n"
                   "    void *arena, hlort_status *status);\n\n",
                   interface.name);
    if (interface.preparation)
      writePreparation();
    out << "#ifdef __cplusplus\n} /* extern \"C\" */\n#endif\n";
  }

  void writePreparation() {
    out << formatv(
        "/* Parameters stay the same over many runs: {0}_prepare computes what runs need of them, "
        "into a block\n"
        " * that is their last argument. Call it before the first run, and again when parameters "
        "change. See\n"
        " * hlort_prepare. */\n"
        "#define {1}_PREPARED_BYTES INT64_C({2})\n#define {1}_PREPARED_ALIGNMENT {4}\n"
        "#define {1}_PREPARE_ARENA_BYTES INT64_C({3})\n"
        "int32_t {0}_prepare(hlort_context *context, const void *const *arguments, void "
        "*prepared,\n"
        "    void *arena, hlort_status *status);\n\n",
        interface.name, StringRef(interface.name).upper(), interface.preparation->bytes,
        interface.preparation->arenaBytes, kArenaAlignment);
  }

  /// The memory that hosts without a heap reserve.
  void writeFreestanding() {
    std::string prefix = StringRef(interface.name).upper();
    out << formatv("/* The stack that a call needs at most. */\n#define {0}_STACK_BYTES {1}\n\n"
                   "/* Bytes of each array. */\n",
                   prefix, *interface.stackBytes);
    for (const Accessor &accessor : accessors)
      out << formatv("#define {0}_{1}_{2}_BYTES INT64_C({3})\n", prefix, accessor.getRole().upper(),
                     accessor.name, accessor.port.bytes);
    out << '\n';
  }

  /// An array whose sizes are known at run time: a view that reads them where the calls do.
  void writeBoundedView(const Accessor &accessor, StringRef cxxType) {
    std::string sizes;
    for (int64_t number : accessor.port.sizes) {
      sizes += sizes.empty() ? "" : ", ";
      sizes += number < 0
                   ? "nullptr"
                   : formatv("static_cast<int32_t *>({0}({1}))", accessor.getRole().lower(), number)
                         .str();
    }
    auto [bounds, strides] = accessor.getMemoryShape();
    out << formatv("  using {0}_view = hlort::BoundedView<{1}, {2}, {3}>;\n", accessor.name,
                   cxxType, list(bounds), list(strides));
    out << formatv("  {0}_view {0}() {{\n"
                   "    return {0}_view(static_cast<{1} *>({2}({3})), {{{4}});\n  }\n",
                   accessor.name, cxxType, accessor.getRole().lower(), accessor.index, sizes);
  }

  void writeAccessor(const Accessor &accessor) {
    ElementInfo element = getElementInfo(accessor.port.type.getElementType());
    auto [sizes, strides] = accessor.getMemoryShape();
    out << formatv("\n  /// {0} {1}: {2}{3}{4}.\n", accessor.getRole(), accessor.index,
                   accessor.shape, element.packed ? ", packed" : "", accessor.note);
    if (!accessor.port.sizes.empty() && !element.packed) {
      writeBoundedView(accessor, element.cxxType);
    } else {
      out << formatv("  using {0}_view = hlort::View<{1}, {2}, {3}>;\n", accessor.name,
                     element.cxxType, list(sizes), list(strides));
      out << formatv("  {0}_view {0}() {{ return {0}_view(static_cast<{1} *>({2}({3}))); }\n",
                     accessor.name, element.cxxType, accessor.getRole().lower(), accessor.index);
    }
    // Arguments are const, except the prepared block and those whose memory a result may use.
    bool isBlock = !accessor.isResult && interface.preparation &&
                   int64_t(accessor.index) == interface.preparation->argument;
    bool isWritten =
        accessor.isResult || isBlock || llvm::any_of(interface.aliases, [&](auto pair) {
          return pair.second == int64_t(accessor.index);
        });
    std::string host = isWritten ? "host" : ("const_cast<" + element.cxxType + " *>(host)").str();
    out << formatv("  void bind_{0}({1}{2} *host, std::size_t count) {{\n"
                   "    bind{3}({4}, {5}, count * sizeof *host);\n  }\n",
                   accessor.name, isWritten ? "" : "const ", element.cxxType, accessor.getRole(),
                   accessor.index, host);
  }

  void writeClass() {
    std::string name = makeClassName(interface.name);
    out << formatv(
        "\n#if defined(__cplusplus) && defined(__cpp_exceptions)\n#include \"hlort/hlort.hpp\"\n\n"
        "/// The module with its buffers: fill the arguments, call run(), read the results. A "
        "bind_ function\n"
        "/// puts memory of the host in the place of a buffer; it must outlive the runs.\n{2}"
        "class {0} : public hlort::Program {{\npublic:\n"
        "  explicit {0}(hlort_context *context = nullptr) : Program({1}_module, context) {{}\n",
        name, interface.name,
        interface.preparation
            ? "/// Call prepare() before run(), and when parameters that stay the "
              "same have changed.\n"
            : "");
    for (const Accessor &accessor : accessors)
      writeAccessor(accessor);
    out << "};\n#endif\n";
  }

  const ModuleInterface &interface;
  std::vector<Accessor> accessors;
  std::string text;
  llvm::raw_string_ostream out;
};

} // namespace

std::string makeHeader(const ModuleInterface &interface, StringRef source) {
  return HeaderWriter(interface, source).take();
}

} // namespace hloc
