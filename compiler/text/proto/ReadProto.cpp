// SPDX-License-Identifier: Apache-2.0
#include "compiler/text/proto/ReadProto.h"
#include "compiler/hlo/Errors.h"
#include "compiler/text/Quote.h"
#include "compiler/text/SourceNotes.h"
#include "compiler/text/proto/FindModule.h"
#include "compiler/text/proto/KeptText.h"
#include "compiler/text/proto/ProtoReader.h"
#include "llvm/Support/raw_ostream.h"
#include <google/protobuf/arena.h>
#include <google/protobuf/stubs/logging.h>

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::text {

//===- Messages ------------------------------------------------------------===//

FileLineColLoc ProtoReader::locate(const char *) {
  return FileLineColLoc::get(fileName, line, column);
}

std::string ProtoReader::describePlace() const {
  if (computationName.empty())
    return "";
  std::string computation = ("computation `" + computationName + "`: ").str();
  return instructionName.empty()
             ? computation
             : ("instruction `" + instructionName + "` of " + computation).str();
}

//===- The header ----------------------------------------------------------===//

/// The module's name without characters that are invalid in the text.
static std::string makeModuleName(StringRef name) {
  std::string result = makeName(name);
  return result.empty() ? "module" : result;
}

ParseResult ProtoReader::readEntryLayout() {
  if (!source.has_host_program_shape())
    return success();
  SmallVector<Type> parameters;
  for (const proto::ShapeProto &shape : source.host_program_shape().parameters())
    if (readShape(shape, parameters.emplace_back()))
      return failure();
  Type result;
  if (readShape(source.host_program_shape().result(), result))
    return failure();
  (*module)->setAttr("hlo.entry_computation_layout",
                     TypeAttr::get(builder.getFunctionType(parameters, result)));
  return success();
}

static bool isIndex(const ProtoInts &index) {
  return llvm::all_of(index, [](int64_t i) { return i >= 0; });
}

static ArrayRef<int64_t> toArray(const ProtoInts &values) {
  return {values.data(), size_t(values.size())};
}

ParseResult ProtoReader::readAliases() {
  SmallVector<Attribute> aliases, donors;
  for (const auto &entry : source.input_output_alias().entries()) {
    if (!isIndex(entry.output_shape_index()) || !isIndex(entry.parameter_shape_index()))
      return fail("expected the indices of input_output_alias to be at least 0");
    aliases.push_back(
        BufferAliasAttr::get(context, toArray(entry.output_shape_index()), entry.parameter_number(),
                             toArray(entry.parameter_shape_index()),
                             entry.kind() == proto::MUST_ALIAS ? "must-alias" : "may-alias"));
  }
  for (const auto &entry : source.buffer_donor().entries()) {
    if (!isIndex(entry.parameter_shape_index()))
      return fail("expected the indices of buffer_donor to be at least 0");
    donors.push_back(BufferAliasAttr::get(context, {}, entry.parameter_number(),
                                          toArray(entry.parameter_shape_index()), ""));
  }
  if (!aliases.empty())
    (*module)->setAttr("hlo.input_output_alias", builder.getArrayAttr(aliases));
  if (!donors.empty())
    (*module)->setAttr("hlo.buffer_donor", builder.getArrayAttr(donors));
  return success();
}

/// The tables of file names, functions, locations and frames, in the form of the text.
void ProtoReader::readStackFrames() {
  const proto::StackFrameIndexProto &index = source.stack_frame_index();
  if (!index.stack_frames_size())
    return;
  std::string tables;
  llvm::raw_string_ostream out(tables);
  auto names = [&](StringRef table, const auto &list) {
    out << table << '\n';
    for (auto [i, name] : llvm::enumerate(list))
      out << i + 1 << ' ' << quote(name) << '\n';
    out << '\n';
  };
  names("FileNames", index.file_names());
  names("FunctionNames", index.function_names());
  out << "FileLocations\n";
  for (auto [i, place] : llvm::enumerate(index.file_locations())) {
    out << i + 1 << " {file_name_id=" << place.file_name_id()
        << " function_name_id=" << place.function_name_id() << " line=" << place.line();
    out << " end_line=" << place.end_line() << " column=" << place.column()
        << " end_column=" << place.end_column() << "}\n";
  }
  out << "\nStackFrames\n";
  for (auto [i, frame] : llvm::enumerate(index.stack_frames()))
    out << i + 1 << " {file_location_id=" << frame.file_location_id()
        << " parent_frame_id=" << int64_t(frame.parent_frame_id()) + 1
        << "}\n"; // the text counts from 1
  StringRef text = StringRef(tables).rtrim();
  (*module)->setAttr("hlo.stack_frames", builder.getStringAttr(text));
  line += text.count('\n') + 2; // printed between the header and the first computation
}

ParseResult ProtoReader::readHeader() {
  module->setSymName(makeModuleName(source.name()));
  if (readEntryLayout() || readAliases())
    return failure();
  if (source.has_schedule())
    (*module)->setAttr("hlo.is_scheduled", builder.getBoolAttr(true));
  if (source.frontend_attributes().map_size()) {
    std::string text;
    if (!writeFrontendAttributes(source.frontend_attributes(), text))
      return fail("expected names of the module's frontend attributes but got " + text);
    (*module)->setAttr("hlo.frontend_attributes", builder.getStringAttr(text));
  }
  for (auto [name, count] :
       {std::pair("hlo.replica_count", source.device_assignment().replica_count()),
        std::pair("hlo.num_partitions", source.device_assignment().computation_count())})
    if (count > 1)
      (*module)->setAttr(name, builder.getI64IntegerAttr(count));
  readStackFrames();
  return success();
}

//===- The whole module ----------------------------------------------------===//

ParseResult ProtoReader::readComputations() {
  for (const proto::HloComputationProto &computation : source.computations())
    if (readComputation(computation))
      return failure();
  entry = computationsById.lookup(source.entry_computation_id());
  if (!entry && source.computations_size())
    return fail("expected an entry computation but none has the number " +
                Twine(source.entry_computation_id()));
  return success();
}

OwningOpRef<ModuleOp> ProtoReader::run() {
  module = ModuleOp::create(FileLineColLoc::get(fileName, 1, 1));
  if (readHeader())
    return nullptr;
  SourceNotes notes(*module);
  if (readComputations() || errors || finishModule(nullptr))
    return nullptr;
  return std::move(module);
}

} // namespace hloc::text

OwningOpRef<ModuleOp> hloc::readProto(StringRef bytes, StringRef fileName, MLIRContext *context,
                                      const ParseOptions &options) {
  context->getOrLoadDialect<HLODialect>();
  bytes = text::findModule(bytes);
  auto refuse = [&](const Twine &why) {
    report(FileLineColLoc::get(context, fileName, 1, 1), Error::Syntax) << why.str();
    return nullptr;
  };
  if (bytes.size() > size_t(std::numeric_limits<int>::max()))
    return refuse("expected an HloModuleProto of less than 2 GB");
  google::protobuf::Arena arena;
  auto *source = google::protobuf::Arena::CreateMessage<proto::HloModuleProto>(&arena);
  google::protobuf::LogSilencer silencer; // it would write to the error stream
  if (!source->ParseFromArray(bytes.data(), int(bytes.size())))
    return refuse("the HloModuleProto is damaged");
  return text::ProtoReader(*source, fileName, context, options).run();
}
