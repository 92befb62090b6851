// SPDX-License-Identifier: Apache-2.0
#include "compiler/text/SourceNotes.h"
#include "compiler/hlo/Location.h"
#include "compiler/text/Quote.h"

using namespace mlir;

namespace hloc {

/// Entry `number` of one of the tables that follow the module's header; empty if there is none.
static StringRef findEntry(StringRef tables, StringRef table, unsigned number) {
  StringRef rest = tables.substr(tables.find((table + "\n").str()));
  rest = rest.drop_front(std::min(rest.size(), table.size() + 1));
  for (StringRef line : llvm::split(rest, '\n')) {
    unsigned found;
    if (line.consumeInteger(10, found))
      break; // the table's end
    if (found == number)
      return line.trim();
  }
  return {};
}

/// Field `name=` of an entry in braces.
static unsigned getField(StringRef entry, StringRef name) {
  unsigned value = 0;
  for (StringRef field : llvm::split(entry.trim("{}"), ' '))
    if (field.consume_front(name) && field.consume_front("="))
      field.consumeInteger(10, value);
  return value;
}

static std::string getString(StringRef quoted) {
  std::string value;
  return quoted.size() >= 2 && text::unescape(quoted.drop_front().drop_back(), value) ? value : "";
}

static SourcePlace findFrame(StringRef tables, unsigned frame) {
  unsigned number = getField(findEntry(tables, "StackFrames", frame), "file_location_id");
  StringRef location = findEntry(tables, "FileLocations", number);
  return {getString(findEntry(tables, "FileNames", getField(location, "file_name_id"))),
          getString(findEntry(tables, "FunctionNames", getField(location, "function_name_id"))),
          getField(location, "line"), getField(location, "column")};
}

SourceNotes::SourceNotes(ModuleOp module)
    : module(module), tables(module->getAttrOfType<StringAttr>("hlo.stack_frames")),
      handler(module.getContext(), [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          addNote(diagnostic);
        return failure(); // for the handler that prints
      }) {}

SourcePlace findSourcePlace(Location location, StringAttr tables) {
  unsigned frame = 0;
  SourcePlace place;
  if (tables && !hlo::getMetadataField(location, "stack_frame_id").getAsInteger(10, frame))
    place = findFrame(tables, frame);
  if (!place.file.empty())
    return place;
  if (!text::unescape(hlo::getMetadataField(location, "source_file"), place.file) ||
      hlo::getMetadataField(location, "source_line").getAsInteger(10, place.line))
    return {};
  (void)hlo::getMetadataField(location, "source_column").getAsInteger(10, place.column);
  return place;
}

void SourceNotes::addNote(Diagnostic &diagnostic) {
  Location location = diagnostic.getLocation();
  if (!tables) // while the module is being read
    tables = module->getAttrOfType<StringAttr>("hlo.stack_frames");
  SourcePlace place = findSourcePlace(location, tables);
  if (place.file.empty())
    return;
  // A message may come by more than once, from one handler to the next.
  auto source = FileLineColLoc::get(module.getContext(), place.file, place.line, place.column);
  for (Diagnostic &note : diagnostic.getNotes())
    if (note.getLocation() == Location(source))
      return;
  Diagnostic &note = diagnostic.attachNote(Location(source)) << "made from this line";
  if (!place.function.empty())
    note << " of " << place.function;
  StringRef operation = hlo::getMetadataField(location, "op_name");
  if (!operation.empty())
    note << ", as " << operation;
}

} // namespace hloc
