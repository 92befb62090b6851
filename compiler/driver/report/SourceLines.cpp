// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/report/SourceLines.h"
#include "compiler/hlo/Location.h"
#include "compiler/text/Quote.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace hloc {

/// Maximum bytes of a line: constants can be long. Larger files of the user's program are not read.
static constexpr size_t kLineBytes = 600, kFileBytes = size_t(8) << 20;

ReportSource::ReportSource(const llvm::SourceMgr &sources, StringAttr frames) : frames(frames) {
  file = sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier().str();
  // If the module was a protocol buffer, the listing is the last buffer.
  text = sources.getMemoryBuffer(sources.getNumBuffers())->getBuffer();
}

std::string toJsonText(StringRef text) {
  return llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
}

static std::string printLine(StringRef line) {
  line = line.rtrim();
  return line.size() <= kLineBytes ? toJsonText(line)
                                   : toJsonText(line.take_front(kLineBytes)) + " ...";
}

SourceLines::SourceLines(const ReportSource &source)
    : source(source), frames(source.frames ? source.frames.getValue() : StringRef()) {
  source.text.split(lines, '\n');
}

int64_t SourceLines::addLine(Location location) {
  FileLineColLoc position = hlo::getFilePosition(location);
  if (!position || position.getLine() == 0 || position.getLine() > lines.size())
    return 0;
  wanted[position.getLine()] = lines[position.getLine() - 1];
  return position.getLine();
}

int64_t SourceLines::add(SourcePlace place, int64_t caller) {
  auto [found, isNew] = placeNumbers.try_emplace(
      {place.file, place.function, place.line, place.column, caller}, int64_t(places.size()));
  if (isNew)
    places.push_back({std::move(place), caller});
  return found->second;
}

int64_t SourceLines::addFrame(unsigned frame) {
  // Callers first. Tables may be wrong and contain cycles: a repeated number ends the search.
  SmallVector<unsigned> calls;
  int64_t caller = -1;
  for (; frame; frame = frames.getCaller(frame)) {
    auto known = frameNumbers.find(frame);
    if (known != frameNumbers.end()) {
      caller = known->second;
      break;
    }
    if (llvm::is_contained(calls, frame))
      break;
    calls.push_back(frame);
  }
  for (unsigned call : llvm::reverse(calls)) {
    if (SourcePlace place = frames.getPlace(call); !place.file.empty())
      caller = add(std::move(place), caller);
    frameNumbers[call] = caller;
  }
  return caller;
}

int64_t SourceLines::addPlace(Location location) {
  unsigned frame = 0;
  if (!hlo::getMetadataField(location, "stack_frame_id").getAsInteger(10, frame))
    if (int64_t number = addFrame(frame); number >= 0)
      return number;
  SourcePlace place;
  if (!text::unescape(hlo::getMetadataField(location, "source_file"), place.file) ||
      place.file.empty() ||
      hlo::getMetadataField(location, "source_line").getAsInteger(10, place.line))
    return -1;
  (void)hlo::getMetadataField(location, "source_column").getAsInteger(10, place.column);
  return add(std::move(place), -1);
}

StringRef SourceLines::getText(const SourcePlace &place) {
  // A module may name any file, and a report is sent to others: only Python files are read.
  if (!StringRef(place.file).ends_with(".py"))
    return "";
  auto [entry, isNew] = files.try_emplace(place.file);
  auto &[buffer, fileLines] = entry->second;
  if (isNew) {
    SmallString<256> path(place.file);
    if (llvm::sys::path::is_relative(path) && !llvm::sys::fs::exists(path)) {
      path = llvm::sys::path::parent_path(source.file);
      llvm::sys::path::append(path, place.file);
    }
    llvm::sys::fs::file_status status;
    if (!llvm::sys::fs::status(path, status) && llvm::sys::fs::is_regular_file(status) &&
        status.getSize() <= kFileBytes)
      if (auto file = llvm::MemoryBuffer::getFile(path)) {
        buffer = std::move(*file);
        buffer->getBuffer().split(fileLines, '\n');
      }
  }
  return place.line && place.line <= fileLines.size() ? fileLines[place.line - 1] : StringRef();
}

llvm::json::Object SourceLines::getLines() const {
  llvm::json::Object object;
  for (auto [number, line] : wanted)
    object[std::to_string(number)] = printLine(line);
  return object;
}

llvm::json::Array SourceLines::getPlaces() {
  llvm::json::Array array;
  for (const Place &entry : places) {
    const SourcePlace &place = entry.place;
    llvm::json::Object object{{"file", toJsonText(place.file)},
                              {"function", toJsonText(place.function)},
                              {"line", place.line},
                              {"column", place.column},
                              {"text", printLine(getText(place))}};
    if (entry.caller >= 0)
      object["caller"] = entry.caller;
    array.push_back(std::move(object));
  }
  return array;
}

} // namespace hloc
