// SPDX-License-Identifier: Apache-2.0
// Types, attributes and enumerations of the dialect.
#include "compiler/hlo/HloDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hloc::hlo;

#include "compiler/hlo/HloEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "compiler/hlo/HloTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/hlo/HloAttrs.cpp.inc"

void HLODialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "compiler/hlo/HloTypes.cpp.inc"
      >();
}

void HLODialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/hlo/HloAttrs.cpp.inc"
      >();
}

LogicalResult LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                                         function_ref<InFlightDiagnostic()> emitError) const {
  if (getMinorToMajor().size() != shape.size())
    return emitError() << "expected a layout of " << shape.size() << " dimensions but got "
                       << getMinorToMajor().size();
  SmallVector<bool> seen(shape.size());
  for (int64_t dimension : getMinorToMajor()) {
    if (dimension < 0 || dimension >= int64_t(shape.size()) || seen[dimension])
      return emitError() << "expected minor_to_major to be a permutation of the dimensions";
    seen[dimension] = true;
  }
  if (!getBounds().empty() && getBounds().size() != shape.size())
    return emitError() << "expected " << shape.size() << " bounds but got " << getBounds().size();
  for (auto [size, bound] : llvm::zip(shape, getBounds()))
    if (bound >= 0 && !ShapedType::isDynamic(size))
      return emitError() << "expected only dynamic dimensions to be bounded";
  return success();
}
