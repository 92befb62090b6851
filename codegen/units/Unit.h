// SPDX-License-Identifier: Apache-2.0
// What is compiled by itself, to an object of its own: a kernel, the program that launches kernels
// with those that belong beside it, or the data. A kernel's object is the same whatever else is in
// the module, and so is the program's unless how it launches kernels changes: a change in one place
// leaves the objects of all others as they were. Test: test/tools/cache.test.

#ifndef HLOC_CODEGEN_UNITS_UNIT_H
#define HLOC_CODEGEN_UNITS_UNIT_H

#include "codegen/cache/CompileCache.h"
#include "codegen/program/Program.h"
#include "llvm/IR/Module.h"

namespace hloc {

struct Unit {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The functions of a kernel, those that are parts of it first. The others' names stay.
  std::vector<std::string> functions;
  /// The kernel's name in the program on memory.
  llvm::StringRef getKernel(const ProgramNames &names) const {
    return llvm::StringRef(functions.back()).drop_front(names.prefix.size() + 1);
  }

  /// LLVM's, 0 to 3.
  int level = 3;
  /// Operations that the kernel was made of.
  int64_t weight = 0;
  /// Constants that it holds, by symbol.
  llvm::SmallVector<std::pair<std::string, mlir::ElementsAttr>> constants;
  /// Whether it describes the module for hosts.
  bool describes = false;
  /// Where its object is kept; nothing is asked for without one.
  std::optional<CacheKey> key;
  /// Its object, once it is there.
  llvm::SmallVector<char, 0> code;
};

/// The units of a program's code.
struct Units {
  /// In the order in which they are linked: the program, its kernels, the data. One unit if all is
  /// compiled together.
  std::vector<Unit> list;
  int64_t constantBytes = 0;
};

struct UnitOptions {
  const ProgramNames &names;
  /// Whether kernels of some size get objects of their own.
  bool splits = true;
  /// Whether constants are in this program's object, or in another's that it is linked with.
  bool ownsConstants = true;
};

/// Cuts the code of a program into units. `found` is told of every kernel: its name and launch.
Units formUnits(mlir::OwningOpRef<mlir::ModuleOp> code, const UnitOptions &options,
                llvm::function_ref<void(llvm::StringRef, const KernelSchedule &)> found);

/// What the unit's object follows from, if that is not too much to look up: the data are not, which
/// are only written down.
std::optional<CacheKey> getUnitKey(Unit &unit, const Target &target);

/// The names of the unit's functions in its object, and in the program. Kernels have names of their
/// own place only in the end, unless line tables say them.
std::vector<std::pair<std::string, std::string>> listNames(const Unit &unit, const Target &target);

/// Moves the code of kernels into one module, to be lowered there together, and back.
mlir::OwningOpRef<mlir::ModuleOp> join(llvm::ArrayRef<Unit *> units);
void part(mlir::ModuleOp joined, llvm::ArrayRef<Unit *> units);

} // namespace hloc

#endif
