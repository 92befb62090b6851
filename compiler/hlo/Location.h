// SPDX-License-Identifier: Apache-2.0
// The origin of instructions. The location of every operation made from HLO text is
// FusedLoc[NameLoc(instruction name), FileLineColLoc(the .hlo file)] with the instruction's
// `metadata={...}` text, if any, as the fused location's metadata. Passes that replace an operation
// keep its location, so that diagnostics, reports and profiles refer to the source.

#ifndef HLOC_COMPILER_HLO_LOCATION_H
#define HLOC_COMPILER_HLO_LOCATION_H

#include "mlir/IR/Location.h"

namespace hloc::hlo {

/// Location of instruction `name` at `position`, with the text between the braces of its
/// `metadata` attribute (null if it has none).
mlir::Location makeLocation(mlir::StringAttr name, mlir::FileLineColLoc position,
                            mlir::StringAttr metadata = nullptr);

/// Name of the instruction; empty if `location` contains none. For operations made from several,
/// the first.
llvm::StringRef getInstructionName(mlir::Location location);

/// The text between the braces of `metadata={...}`; empty if there is none.
llvm::StringRef getMetadata(mlir::Location location);

/// Value of one field of the metadata without its quotes, such as "op_name"; empty if absent.
llvm::StringRef getMetadataField(mlir::Location location, llvm::StringRef field);

/// Position in the .hlo file, null if unknown.
mlir::FileLineColLoc getFilePosition(mlir::Location location);

} // namespace hloc::hlo

#endif
