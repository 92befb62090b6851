// SPDX-License-Identifier: Apache-2.0
#include "compiler/text/SourceFrames.h"
#include "compiler/text/Quote.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace hloc {

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

SourceFrames::SourceFrames(StringRef tables) {
  const std::pair<StringRef, Table *> names[] = {{"FileNames", &files},
                                                 {"FunctionNames", &functions},
                                                 {"FileLocations", &places},
                                                 {"StackFrames", &frames}};
  Table *table = nullptr;
  for (StringRef line : llvm::split(tables, '\n')) {
    unsigned number;
    if (!line.consumeInteger(10, number)) {
      if (table)
        table->try_emplace(number, line.trim());
      continue;
    }
    table = nullptr;
    for (auto [name, named] : names)
      if (line.trim() == name)
        table = named;
  }
}

SourcePlace SourceFrames::getPlace(unsigned frame) const {
  StringRef place = places.lookup(getField(frames.lookup(frame), "file_location_id"));
  return {getString(files.lookup(getField(place, "file_name_id"))),
          getString(functions.lookup(getField(place, "function_name_id"))), getField(place, "line"),
          getField(place, "column")};
}

unsigned SourceFrames::getCaller(unsigned frame) const {
  // The number in the text is one more.
  unsigned next = getField(frames.lookup(frame), "parent_frame_id");
  return next ? next - 1 : 0;
}

} // namespace hloc
