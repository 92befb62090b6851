// SPDX-License-Identifier: Apache-2.0
#include "compiler/text/Load.h"
#include "compiler/hlo/Errors.h"
#include "compiler/hlo/HloDialect.h"
#include "compiler/hlo/Verify.h"
#include "compiler/text/ForeignForms.h"
#include "compiler/text/Gunzip.h"
#include "compiler/text/InputFile.h"
#include "compiler/text/Printer.h"
#include "compiler/text/SourceNotes.h"
#include "compiler/text/proto/FindModule.h"
#include "compiler/text/proto/ReadProto.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Unicode.h"

using namespace mlir;

namespace hloc {

/// The width in columns of a line up to byte `end`, as LLVM prints it: tabs go to multiples of
/// eight.
static unsigned countColumns(StringRef line, size_t end) {
  unsigned columns = 0;
  for (size_t i = 0; i < std::min(end, line.size());) {
    StringRef character = line.substr(i, llvm::getNumBytesForUTF8(line[i]));
    int width = llvm::sys::unicode::columnWidthUTF8(character);
    columns += line[i] == '\t' ? 8 - columns % 8 : width < 0 ? 1 : width;
    i += character.size();
  }
  return columns;
}

/// If a line has more bytes than kLongLine, as with a large constant, a message shows only
/// kShownAround bytes on each side of the location.
static constexpr size_t kLongLine = 1000, kShownAround = 60;

/// Prints the part of a long line around a column, and a caret.
static void printPart(StringRef line, size_t column, llvm::raw_ostream &out) {
  auto skipRest = [&](size_t place) { // of a character of several bytes
    while (place < line.size() && (line[place] & 0xC0) == 0x80)
      ++place;
    return place;
  };
  column = std::min(column, line.size());
  size_t begin = column > kShownAround ? skipRest(column - kShownAround) : 0;
  size_t end = skipRest(std::min(column + kShownAround, line.size()));
  std::string part = (begin > 0 ? "... " : "") + line.slice(begin, column).str();
  size_t caret = countColumns(part, part.size());
  out << part << line.slice(column, end) << (end < line.size() ? " ...\n" : "\n");
  out.indent(caret) << "^\n";
}

/// Prints a message with its line and a caret, which LLVM omits if the line contains non-ASCII
/// characters, such as those in names of files and people.
static void printMessage(const llvm::SMDiagnostic &message, void *stream) {
  llvm::raw_ostream &out = *static_cast<llvm::raw_ostream *>(stream);
  StringRef line = message.getLineContents();
  bool hasPlace = message.getLineNo() > 0 && message.getColumnNo() >= 0;
  if (hasPlace && line.size() > kLongLine) {
    std::string place = llvm::formatv("{0}:{1}:{2}", message.getFilename(), message.getLineNo(),
                                      message.getColumnNo() + 1);
    llvm::SMDiagnostic(place, message.getKind(), message.getMessage()).print(nullptr, out);
    printPart(line, message.getColumnNo(), out);
    return;
  }
  message.print(nullptr, out);
  if (hasPlace && !llvm::isASCII(line))
    out.indent(countColumns(line, message.getColumnNo())) << "^\n";
}

namespace {
/// A module's bytes under a name that no message uses: lines are those of its listing, which has
/// the file's name (loadProto).
class ProtoBuffer : public llvm::MemoryBuffer {
public:
  explicit ProtoBuffer(std::unique_ptr<llvm::MemoryBuffer> held)
      : held(std::move(held)), name((this->held->getBufferIdentifier() + kEnding).str()) {
    init(this->held->getBufferStart(), this->held->getBufferEnd(),
         /*RequiresNullTerminator=*/false);
  }
  StringRef getBufferIdentifier() const override { return name; }
  BufferKind getBufferKind() const override { return held->getBufferKind(); }

  static StringRef removeEnding(StringRef name) {
    name.consume_back(kEnding);
    return name;
  }

private:
  static constexpr StringRef kEnding = " (bytes)";
  std::unique_ptr<llvm::MemoryBuffer> held;
  std::string name;
};
} // namespace

StringRef removeOuterEnding(StringRef path) {
  path.consume_back(".gz");
  return path.ends_with(".hlo.pb") ? path.drop_back(strlen(".pb")) : path;
}

/// Some editors on Windows write it at the start of UTF-8 text; it has no meaning.
static constexpr StringLiteral kByteOrderMark = "\xEF\xBB\xBF";

/// Makes `file` the main buffer of `sources`; an error says why it is not a module.
static llvm::Error addModule(std::unique_ptr<llvm::MemoryBuffer> file, llvm::SourceMgr &sources) {
  if (isGzip(file->getBuffer())) {
    auto unpacked = gunzip(*file);
    if (!unpacked)
      return unpacked.takeError();
    file = std::move(*unpacked);
  }
  if (file->getBuffer().starts_with(kByteOrderMark))
    file = llvm::MemoryBuffer::getMemBufferCopy(file->getBuffer().drop_front(kByteOrderMark.size()),
                                                file->getBufferIdentifier());
  if (file->getBuffer().trim().empty())
    return llvm::createStringError("the file is empty; expected HLO text");
  if (text::isModuleProto(file->getBuffer())) {
    if (auto offset = text::findDamage(text::findModule(file->getBuffer())))
      return llvm::createStringError("the HloModuleProto is cut off or damaged at byte " +
                                     Twine(*offset));
    file = std::make_unique<ProtoBuffer>(std::move(file));
  } else if (std::string why = describeBinary(file->getBuffer()); !why.empty())
    return llvm::createStringError(why);
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  sources.setDiagHandler(printMessage, &llvm::errs());
  return llvm::Error::success();
}

bool openModule(StringRef path, llvm::SourceMgr &sources, std::string *problem) {
  auto refuse = [&](StringRef name, const Twine &why) {
    if (problem)
      *problem = why.str();
    else
      llvm::errs() << name << ": error: " << why << '\n';
    return false;
  };
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> file = readInputFile(path);
  StringRef name = path == "-" ? "<stdin>" : path;
  if (!file)
    return refuse(name, "cannot read the file: " + llvm::toString(file.takeError()));
  if (llvm::Error error = addModule(std::move(*file), sources))
    return refuse(name, llvm::toString(std::move(error)));
  return true;
}

bool openModuleInMemory(llvm::MemoryBufferRef contents, llvm::SourceMgr &sources,
                        std::string &problem) {
  llvm::Error error = addModule(llvm::MemoryBuffer::getMemBuffer(contents), sources);
  problem = error ? llvm::toString(std::move(error)) : "";
  return problem.empty();
}

void printMessagesTo(llvm::raw_ostream &stream, llvm::SourceMgr &sources) {
  sources.setDiagHandler(printMessage, &stream);
}

/// The text from its first word on, after comments.
static StringRef skipComments(StringRef text) {
  while (true) {
    text = text.ltrim();
    if (!text.consume_front("//"))
      return text;
    text = text.drop_until([](char c) { return c == '\n'; });
  }
}

/// True if the first word is MLIR's; `text` begins with it.
static bool startsLikeMlir(StringRef text) {
  return text.starts_with("module") || text.starts_with("builtin.module") ||
         text.starts_with("func.") || text.starts_with("\"builtin.") || text.starts_with("hlo.") ||
         text.starts_with("#") || text.starts_with("!");
}

/// The form: HLO text unless the file's extension or the first word indicates MLIR.
static ModuleForm guessForm(const llvm::MemoryBuffer &buffer) {
  StringRef name = removeOuterEnding(buffer.getBufferIdentifier());
  if (name.ends_with(".hlo") || name.ends_with(".txt"))
    return ModuleForm::Hlo;
  if (name.ends_with(".mlir"))
    return ModuleForm::Mlir;
  return startsLikeMlir(skipComments(buffer.getBuffer())) ? ModuleForm::Mlir : ModuleForm::Hlo;
}

/// Reports StableHLO, whatever the file's name is.
static LogicalResult refuseStableHlo(const llvm::SourceMgr &sources, MLIRContext *context) {
  const llvm::MemoryBuffer &buffer = *sources.getMemoryBuffer(sources.getMainFileID());
  StringRef text = skipComments(buffer.getBuffer());
  if (!startsLikeMlir(text) || !isStableHlo(text))
    return success();
  auto [line, column] = sources.getLineAndColumn(llvm::SMLoc::getFromPointer(text.data()));
  auto place = FileLineColLoc::get(context, buffer.getBufferIdentifier(), line, column);
  return hlo::report(place, hlo::Error::Syntax)
         << "expected HLO text but got StableHLO, another form of the program: "
         << adviseOnStableHlo();
}

/// Reads a protocol buffer. Its diagnostics are emitted once there is a listing whose lines they
/// can show.
static OwningOpRef<ModuleOp> loadProto(llvm::SourceMgr &sources, MLIRContext *context,
                                       const ParseOptions &options) {
  const llvm::MemoryBuffer &buffer = *sources.getMemoryBuffer(sources.getMainFileID());
  StringRef name = ProtoBuffer::removeEnding(buffer.getBufferIdentifier());
  std::vector<Diagnostic> diagnostics;
  OwningOpRef<ModuleOp> module;
  {
    ScopedDiagnosticHandler keep(context, [&](Diagnostic &diagnostic) {
      diagnostics.push_back(std::move(diagnostic));
      return success();
    });
    module = readProto(buffer.getBuffer(), name, context, options);
  }
  std::string listing;
  llvm::raw_string_ostream out(listing);
  if (module)
    printListing(*module, out);
  else // errors of the whole module are reported at the first line
    out << "(an HloModuleProto of " << buffer.getBufferSize() << " bytes)\n";
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(listing, name), llvm::SMLoc());
  for (Diagnostic &diagnostic : diagnostics)
    context->getDiagEngine().emit(std::move(diagnostic));
  return module;
}

OwningOpRef<ModuleOp> loadModule(const std::shared_ptr<llvm::SourceMgr> &sources,
                                 MLIRContext *context, const LoadOptions &options,
                                 ModuleForm *form) {
  context->printOpOnDiagnostic(false); // the source line says more
  context->getOrLoadDialect<hlo::HLODialect>();
  const llvm::MemoryBuffer &buffer = *sources->getMemoryBuffer(sources->getMainFileID());
  bool isProto = text::isModuleProto(buffer.getBuffer());
  ModuleForm guessed = isProto ? ModuleForm::Hlo : guessForm(buffer);
  if (form)
    *form = guessed;
  if (!isProto && failed(refuseStableHlo(*sources, context)))
    return nullptr;
  OwningOpRef<ModuleOp> module;
  if (isProto)
    module = loadProto(*sources, context, options);
  else if (guessed == ModuleForm::Hlo)
    module = parseHlo(*sources, context, options);
  else
    module = parseSourceFile<ModuleOp>(sources, ParserConfig(context, /*verifyAfterParse=*/false));
  if (!module || !options.verify)
    return module;
  SourceNotes notes(*module);
  // A lowered module contains a function instead of an entry computation.
  bool isLowered =
      guessed == ModuleForm::Mlir && llvm::any_of(*module->getBody(), [](Operation &op) {
        return op.getName().getStringRef() == "func.func";
      });
  if (failed(isLowered ? mlir::verify(*module) : hlo::verifyModule(*module)))
    return nullptr;
  return module;
}

OwningOpRef<ModuleOp> loadModuleFile(StringRef path, MLIRContext *context,
                                     const LoadOptions &options, ModuleForm *form) {
  auto sources = std::make_shared<llvm::SourceMgr>();
  if (!openModule(path, *sources))
    return nullptr;
  SourceMgrDiagnosticHandler handler(*sources, context);
  return loadModule(sources, context, options, form);
}

} // namespace hloc
