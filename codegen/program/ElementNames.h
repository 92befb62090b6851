// SPDX-License-Identifier: Apache-2.0
// The names of element types in the interface of compiled modules.

#ifndef HLOC_CODEGEN_ELEMENTNAMES_H
#define HLOC_CODEGEN_ELEMENTNAMES_H

#include "mlir/IR/Types.h"

namespace hloc {

struct ElementInfo {
  /// The type's hlort_element_type.
  int32_t number;
  /// The C++ type of an element, or an integer type for the bit patterns of types that C++ lacks.
  llvm::StringRef cxxType;
  /// True if several elements share a byte.
  bool packed = false;
};

ElementInfo getElementInfo(mlir::Type type);

} // namespace hloc

#endif
