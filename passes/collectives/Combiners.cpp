// SPDX-License-Identifier: Apache-2.0
#include "passes/collectives/Combiners.h"
#include "passes/Computations.h"
#include "passes/frontend/NotSupported.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc {

Type getFoldType(ComputationOp computation, Type element, int64_t members) {
  auto narrow = dyn_cast<FloatType>(element);
  Operation *single = getSingleBinaryOp(computation);
  // With two members there is one rounding; minimum and maximum do not round.
  if (!narrow || narrow.getWidth() >= 32 || narrow.isF16() || members <= 2 || !single ||
      isa<MaximumOp, MinimumOp>(single))
    return element;
  // The accumulation types of reductions: f16 for 8-bit floats, whose sums it can hold, f32 for
  // others.
  bool isWide = narrow.isBF16() || isa<Float8E8M0FNUType>(narrow);
  return isWide ? Type(Float32Type::get(element.getContext()))
                : Type(Float16Type::get(element.getContext()));
}

/// Applies the computation to two arrays: as it is or, if it is a single operation, on another
/// element type.
static FailureOr<Value> apply(OpBuilder &builder, ComputationOp computation, ValueRange arrays,
                              Location loc) {
  auto type = cast<RankedTensorType>(arrays[0].getType());
  if (Operation *single = getSingleBinaryOp(computation)) {
    OperationState state(loc, single->getName(), arrays, type);
    state.addAttributes(single->getAttrs());
    state.propertiesAttr = single->getPropertiesAsAttribute();
    return builder.create(state)->getResult(0);
  }
  for (Type parameter : computation.getArgumentTypes())
    if (getElementTypeOrSelf(parameter) != type.getElementType())
      return emitNotSupported(loc, "a reduction of elements of another type than those of its "
                                   "computation's parameters");
  FailureOr<SmallVector<Value>> results = applyToArrays(builder, loc, computation, arrays, type);
  if (failed(results))
    return failure();
  if (results->size() != 1 || results->front().getType() != type)
    return emitNotSupported(loc, "a reduction whose computation gives another type than it takes");
  return results->front();
}

FailureOr<FlatSymbolRefAttr> Combiners::get(ComputationOp computation, Type element, Location loc) {
  FlatSymbolRefAttr &symbol = known[{computation, element}];
  if (symbol)
    return symbol;
  OpBuilder builder(computation.getContext());
  std::string name = "combine_";
  llvm::raw_string_ostream out(name);
  out << computation.getSymName() << '_' << element;
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  int64_t intoFirst = 0;
  OwningOpRef<KernelFunctionOp> kernel = KernelFunctionOp::create(
      builder, loc, name, KernelKind::Loop, ArrayRef(intoFirst), /*must_reuse=*/false,
      /*schedules=*/ArrayAttr());
  Type chunk = RankedTensorType::get({kCombinedElements}, element);
  Block *body = builder.createBlock(&kernel->getBody(), {}, {chunk, chunk}, {loc, loc});
  FailureOr<Value> result = apply(builder, computation, body->getArguments(), loc);
  if (failed(result))
    return failure();
  ReturnOp::create(builder, loc, *result);
  return symbol = FlatSymbolRefAttr::get(builder.getContext(), symbols.insert(kernel.release()));
}

} // namespace hloc
