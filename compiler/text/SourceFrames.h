// SPDX-License-Identifier: Apache-2.0
// The tables of a module that map its instructions to lines of the user's program: file names,
// function names, locations and their callers.
// Tests: test/text/source-notes.test, test/tools/report-data.test.

#ifndef HLOC_COMPILER_TEXT_SOURCEFRAMES_H
#define HLOC_COMPILER_TEXT_SOURCEFRAMES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace hloc {

/// A location in the user's program. The file is empty if it is not known.
struct SourcePlace {
  std::string file, function;
  unsigned line = 0, column = 0;
};

class SourceFrames {
public:
  /// `tables` are the tables in the form of the text (the module's attribute `hlo.stack_frames`),
  /// which must outlive this. Damaged entries are omitted.
  explicit SourceFrames(llvm::StringRef tables);

  SourcePlace getPlace(unsigned frame) const;
  /// The frame that called this one; 0 if there is none.
  unsigned getCaller(unsigned frame) const;

private:
  /// Entries by number.
  using Table = llvm::DenseMap<unsigned, llvm::StringRef>;
  Table files, functions, places, frames;
};

} // namespace hloc

#endif
