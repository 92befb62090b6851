// SPDX-License-Identifier: Apache-2.0
#include "codegen/math/FloatFormat.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hloc {

FloatFormat getFloatFormat(FloatType type) {
  using F = FloatFormat;
  return llvm::TypeSwitch<Type, F>(type)
      .Case([](BFloat16Type) { return F{16, 7, 127, F::Ieee, 0x7f7f}; })
      .Case([](Float16Type) { return F{16, 10, 15, F::Ieee, 0x7bff}; })
      .Case([](Float8E5M2Type) { return F{8, 2, 15, F::Ieee, 0x7b}; })
      .Case([](Float8E4M3Type) { return F{8, 3, 7, F::Ieee, 0x77}; })
      .Case([](Float8E3M4Type) { return F{8, 4, 3, F::Ieee, 0x6f}; })
      .Case([](Float8E4M3FNType) { return F{8, 3, 7, F::NanOnly, 0x7e}; })
      .Case([](Float8E5M2FNUZType) { return F{8, 2, 16, F::NegativeZeroIsNan, 0x7f}; })
      .Case([](Float8E4M3FNUZType) { return F{8, 3, 8, F::NegativeZeroIsNan, 0x7f}; })
      .Case([](Float8E4M3B11FNUZType) { return F{8, 3, 11, F::NegativeZeroIsNan, 0x7f}; })
      .Case([](Float8E8M0FNUType) { return F{8, 0, 127, F::NanOnly, 0xfe}; })
      .Case([](Float6E3M2FNType) { return F{6, 2, 3, F::Finite, 0x1f}; })
      .Case([](Float6E2M3FNType) { return F{6, 3, 1, F::Finite, 0x1f}; })
      .Case([](Float4E2M1FNType) { return F{4, 1, 1, F::Finite, 0x7}; });
}

} // namespace hloc
