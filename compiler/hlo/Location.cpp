// SPDX-License-Identifier: Apache-2.0
#include "compiler/hlo/Location.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace hloc::hlo {

Location makeLocation(StringAttr name, FileLineColLoc position, StringAttr metadata) {
  return FusedLoc::get({NameLoc::get(name), Location(position)}, metadata, name.getContext());
}

/// The first location inside `location` of class Loc, depth first.
template <typename Loc> static Loc findFirst(Location location) {
  Loc found = nullptr;
  location->walk([&](Location inner) {
    found = dyn_cast<Loc>(inner);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

StringRef getInstructionName(Location location) {
  auto name = findFirst<NameLoc>(location);
  return name ? name.getName().getValue() : StringRef();
}

StringRef getMetadata(Location location) {
  StringRef text;
  location->walk([&](Location inner) {
    auto fused = dyn_cast<FusedLoc>(inner);
    auto metadata = fused ? dyn_cast_or_null<StringAttr>(fused.getMetadata()) : StringAttr();
    if (!metadata)
      return WalkResult::advance();
    text = metadata.getValue();
    return WalkResult::interrupt();
  });
  return text;
}

StringRef getMetadataField(Location location, StringRef field) {
  StringRef text = getMetadata(location);
  for (size_t at = text.find(field); at != StringRef::npos; at = text.find(field, at + 1)) {
    StringRef rest = text.drop_front(at + field.size());
    bool startsField = at == 0 || text[at - 1] == ' ' || text[at - 1] == ',';
    if (!startsField || !rest.consume_front("="))
      continue;
    if (!rest.consume_front("\""))
      return rest.take_until([](char c) { return c == ' ' || c == ','; });
    size_t end = 0;
    while (end < rest.size() && rest[end] != '"')
      end += rest[end] == '\\' ? 2 : 1;
    return rest.take_front(end);
  }
  return {};
}

FileLineColLoc getFilePosition(Location location) { return findFirst<FileLineColLoc>(location); }

} // namespace hloc::hlo
