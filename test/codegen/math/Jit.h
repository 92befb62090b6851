// SPDX-License-Identifier: Apache-2.0
// Compiles the code emitted by the builders of codegen/math into a loop over arrays and runs it
// here. The code sees no library: a remaining call fails the compilation. For work on the emitters,
// HLOC_MATH_FEATURES (such as -avx512f or -fma,-f16c) changes the host's features, and
// HLOC_MATH_DUMP prints the assembly.
#ifndef HLOC_TEST_CODEGEN_MATH_JIT_H
#define HLOC_TEST_CODEGEN_MATH_JIT_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm::orc {
class LLJIT;
}

namespace hloc::test {

/// The element types of the arrays.
enum class Element { I8, I16, I32, I64, F32, F64 };

using Emit = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ImplicitLocOpBuilder &,
                                                               mlir::ValueRange)>;

/// Up to four input and two output arrays; lengths must be multiples of `lanes`.
class Kernel {
public:
  /// Aborts the test program if the code does not compile or calls anything.
  /// `expand` is called with the module of what `emit` has made.
  Kernel(llvm::ArrayRef<Element> inputs, llvm::ArrayRef<Element> outputs, unsigned lanes, Emit emit,
         llvm::function_ref<void(mlir::Operation *)> expand = nullptr);
  ~Kernel();

  void run(std::vector<const void *> inputs, std::vector<void *> outputs, size_t count) const;

private:
  std::unique_ptr<llvm::orc::LLJIT> jit;
  void (*function)(const void *, const void *, const void *, const void *, void *, void *,
                   int64_t) = nullptr;
};

} // namespace hloc::test

#endif // HLOC_TEST_CODEGEN_MATH_JIT_H
