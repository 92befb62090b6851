// SPDX-License-Identifier: Apache-2.0
#include "compiler/text/SourceNotes.h"
#include "compiler/hlo/Location.h"
#include "compiler/text/Quote.h"

using namespace mlir;

namespace hloc {

SourceNotes::SourceNotes(ModuleOp module)
    : module(module), tables(module->getAttrOfType<StringAttr>("hlo.stack_frames")),
      handler(module.getContext(), [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          addNote(diagnostic);
        return failure(); // for the handler that prints it
      }) {}

SourcePlace findSourcePlace(Location location, StringAttr tables) {
  unsigned frame = 0;
  SourcePlace place;
  if (tables && !hlo::getMetadataField(location, "stack_frame_id").getAsInteger(10, frame))
    place = SourceFrames(tables.getValue()).getPlace(frame);
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
  if (!tables) // the module is still being parsed
    tables = module->getAttrOfType<StringAttr>("hlo.stack_frames");
  SourcePlace place = findSourcePlace(location, tables);
  if (place.file.empty())
    return;
  // A message may pass here more than once, from one handler to the next.
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
