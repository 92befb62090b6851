// SPDX-License-Identifier: Apache-2.0
// The arrays among the entry's parameters, by their names on command lines.

#ifndef HLOC_COMPILER_DRIVER_WEIGHTS_ENTRYLEAVES_H
#define HLOC_COMPILER_DRIVER_WEIGHTS_ENTRYLEAVES_H

#include "compiler/hlo/HloDialect.h"
#include "llvm/ADT/StringMap.h"

namespace hloc {

/// An array among the entry's parameters.
struct EntryLeaf {
  mlir::BlockArgument parameter;
  mlir::RankedTensorType type;
  /// Its position among the arrays of its parameter.
  size_t position = 0;
  /// The instruction's name and, if JAX made it, the argument's path, such as `params['w']`; for an
  /// array in a tuple with `.0.1` appended.
  std::string instruction, path;

  llvm::StringRef getName() const { return path.empty() ? instruction : path; }
};

class EntryLeaves {
public:
  explicit EntryLeaves(hlo::ComputationOp entry);

  size_t size() const { return leaves.size(); }
  const EntryLeaf &operator[](size_t leaf) const { return leaves[leaf]; }

  /// The arrays that `name` matches: by instruction or path; otherwise, if its words are those of
  /// the path, with any separators; or those of the path without the first, which is the argument
  /// of a JAX function. If there is no path, the instruction's name is used as the path; in it,
  /// everything that is no letter or digit is `_`.
  llvm::ArrayRef<size_t> find(llvm::StringRef name) const;

  /// Returns the array that `name` refers to, by name or by number. If there is none, or more than
  /// one, emits an error at `loc` that names the option `option`.
  std::optional<size_t> findOne(llvm::StringRef name, llvm::StringRef option,
                                mlir::Location loc) const;

  /// Returns the arrays below `name`, which is not an array itself but a tuple, or a prefix of
  /// paths, such as `params['layer']`.
  llvm::SmallVector<size_t> findBelow(llvm::StringRef name) const;

private:
  void add(mlir::BlockArgument parameter, mlir::Type type, std::string instruction,
           std::string path, size_t &position);

  std::vector<EntryLeaf> leaves;
  llvm::StringMap<llvm::SmallVector<size_t, 1>> byName, byWords, byLastWords, bySqueezed,
      byLastSqueezed;
};

/// `names` in quotes, at most eight of them and the number of the others.
std::string listNames(llvm::ArrayRef<std::string> names);

} // namespace hloc

#endif
