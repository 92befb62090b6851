// SPDX-License-Identifier: Apache-2.0
// How the interface of compiled modules calls element types.

#ifndef HLOC_CODEGEN_ELEMENTNAMES_H
#define HLOC_CODEGEN_ELEMENTNAMES_H

#include "mlir/IR/Types.h"

namespace hloc {

struct ElementInfo {
  /// The type's hlort_element_type.
  int32_t number;
  /// The C++ type of an element, or of the bytes that hold it: types that C++ lacks are bit
  /// patterns.
  llvm::StringRef cxxType;
  /// Several elements share a byte.
  bool packed = false;
};

ElementInfo getElementInfo(mlir::Type type);

} // namespace hloc

#endif
