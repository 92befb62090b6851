// SPDX-License-Identifier: Apache-2.0
// Units of compilation, each with an object of its own: a kernel; the program, which launches
// kernels, with the kernels that are kept with it; or the data. A kernel's object does not depend
// on the rest of the module, and the program's only on how it launches kernels: a local change
// leaves the objects of all other units unchanged. Test: test/tools/cache.test.

#ifndef HLOC_CODEGEN_UNITS_UNIT_H
#define HLOC_CODEGEN_UNITS_UNIT_H

#include "codegen/cache/CompileCache.h"
#include "codegen/program/Program.h"
#include "llvm/IR/Module.h"

namespace hloc {

struct Unit {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The functions of a kernel, preceded by those that are parts of it. Other units keep their
  /// names.
  std::vector<std::string> functions;
  /// The kernel's name in the program on memory.
  llvm::StringRef getKernel(const ProgramNames &names) const {
    return llvm::StringRef(functions.back()).drop_front(names.prefix.size() + 1);
  }

  /// LLVM's optimization level, 0 to 3.
  int level = 3;
  /// The number of operations that the kernel was made of.
  int64_t weight = 0;
  /// The constants that it contains, by symbol.
  llvm::SmallVector<std::pair<std::string, mlir::ElementsAttr>> constants;
  /// True if it contains the description of the module for hosts.
  bool describes = false;
  /// The key of its object in the cache; none if it is not cached.
  std::optional<CacheKey> key;
  /// Its object, once generated.
  llvm::SmallVector<char, 0> code;
};

/// The units of a program's code.
struct Units {
  /// In link order: the program, its kernels, the data. One unit if everything is compiled
  /// together.
  std::vector<Unit> list;
  int64_t constantBytes = 0;
};

struct UnitOptions {
  const ProgramNames &names;
  /// True if kernels above some size get objects of their own.
  bool splits = true;
  /// True if constants are in this program's object, false if they are in another one that it is
  /// linked with.
  bool ownsConstants = true;
};

/// Splits the code of a program into units. `found` is called for every kernel with its name and
/// launch.
Units formUnits(mlir::OwningOpRef<mlir::ModuleOp> code, const UnitOptions &options,
                llvm::function_ref<void(llvm::StringRef, const KernelSchedule &)> found);

/// The cache key of the unit's object. None for data: writing them costs no more than looking them
/// up.
std::optional<CacheKey> getUnitKey(Unit &unit, const Target &target);

/// The names of the unit's functions in its object and in the program. Kernels get their final
/// names only when objects are linked, unless line tables contain the names.
std::vector<std::pair<std::string, std::string>> listNames(const Unit &unit, const Target &target);

/// Moves the code of kernels into one module, to be lowered together, and back.
mlir::OwningOpRef<mlir::ModuleOp> join(llvm::ArrayRef<Unit *> units);
void part(mlir::ModuleOp joined, llvm::ArrayRef<Unit *> units);

} // namespace hloc

#endif
