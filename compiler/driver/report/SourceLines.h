// SPDX-License-Identifier: Apache-2.0
// Lines that a report shows: of the .hlo file, and of the user's program that it was made from.
// Test: test/tools/report-data.test.

#ifndef HLOC_COMPILER_DRIVER_REPORT_SOURCELINES_H
#define HLOC_COMPILER_DRIVER_REPORT_SOURCELINES_H

#include "compiler/text/SourceFrames.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SourceMgr.h"
#include <map>

namespace hloc {

/// The origin of a module.
struct ReportSource {
  ReportSource() = default;
  /// `sources` after loadModule; `frames` is the module's attribute `hlo.stack_frames`, which
  /// passes may drop, or null.
  ReportSource(const llvm::SourceMgr &sources, mlir::StringAttr frames);

  std::string file;
  /// The text whose lines locations refer to.
  llvm::StringRef text;
  mlir::StringAttr frames;
};

/// `text` as a string of JSON: invalid UTF-8 becomes replacement characters.
std::string toJsonText(llvm::StringRef text);

/// Collects the lines that are requested, each once.
class SourceLines {
public:
  explicit SourceLines(const ReportSource &source);

  /// The line of the .hlo file; 0 if it is not known.
  int64_t addLine(mlir::Location location);
  /// The index in getPlaces of the location in the user's program; -1 if it is not known.
  int64_t addPlace(mlir::Location location);

  /// Lines of the .hlo file by number.
  llvm::json::Object getLines() const;
  llvm::json::Array getPlaces();

private:
  using Lines = llvm::SmallVector<llvm::StringRef, 0>;
  int64_t addFrame(unsigned frame);
  int64_t add(SourcePlace place, int64_t caller);
  llvm::StringRef getText(const SourcePlace &place);

  const ReportSource &source;
  SourceFrames frames;
  Lines lines;
  std::map<int64_t, llvm::StringRef> wanted;
  struct Place {
    SourcePlace place;
    int64_t caller;
  };
  std::vector<Place> places;
  std::map<std::tuple<std::string, std::string, unsigned, unsigned, int64_t>, int64_t> placeNumbers;
  llvm::DenseMap<unsigned, int64_t> frameNumbers;
  /// Files of the user's program that could be read.
  std::map<std::string, std::pair<std::unique_ptr<llvm::MemoryBuffer>, Lines>> files;
};

} // namespace hloc

#endif
