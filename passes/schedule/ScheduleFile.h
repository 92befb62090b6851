// SPDX-License-Identifier: Apache-2.0
// The file that keeps tuned schedules:
//
//   hloc schedules 1
//
//   machine x86_64-unknown-linux-gnu, znver3, vectors of 32 bytes in 16 registers, ..., threads
//   dot.5@1f3a9c2e41b0d7f6 = #hlo.schedule<"dot.packed" ...>  // 1.23 us a call, before 1.50 us
//
// There is a section per machine (getMachineName), and a line per kernel: the name of its
// instruction, its fingerprint, its schedule. `//` begins a comment. Test:
// test/tools/schedules.test.

#ifndef HLOC_PASSES_SCHEDULE_SCHEDULEFILE_H
#define HLOC_PASSES_SCHEDULE_SCHEDULEFILE_H

#include "passes/schedule/TunedSchedules.h"

namespace hloc {

struct ScheduleFile {
  struct Line {
    TunedSchedule tuned;
    std::string comment;
  };
  struct Section {
    std::string machine;
    std::vector<Line> lines;
  };
  std::vector<Section> sections;
};

/// Parses `text`, the contents of the file `name`. Errors are diagnostics at its lines.
mlir::FailureOr<ScheduleFile> parseScheduleFile(llvm::StringRef text, llvm::StringRef name,
                                                mlir::MLIRContext *context);

std::string printScheduleFile(const ScheduleFile &file);

/// Stores the schedules in the module. Emits a remark at the file's first line if none of
/// `machines` has a section.
void setTunedSchedules(mlir::ModuleOp module, const ScheduleFile &file, llvm::StringRef name,
                       llvm::ArrayRef<Target> machines);

} // namespace hloc

#endif
