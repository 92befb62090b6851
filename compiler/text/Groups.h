// SPDX-License-Identifier: Apache-2.0
// Abbreviated forms of groups of participants: numbers in a transposed grid, and axes of a mesh.
// Tests: test/text/mesh-groups.test, test/text/errors/groups-product.hlo.

#ifndef HLOC_COMPILER_TEXT_GROUPS_H
#define HLOC_COMPILER_TEXT_GROUPS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace hloc::text {

/// The maximum number of participants that abbreviated groups and shardings may contain.
constexpr int64_t kMaxParticipants = int64_t(1) << 24;

/// Numbers from 0 to `count`, in a grid of `sizes` whose dimensions are ordered by `order`.
struct Iota {
  llvm::SmallVector<int64_t> sizes, order;
  int64_t count = 1;
};

/// Devices in a grid with named axes.
struct Mesh {
  llvm::SmallVector<std::pair<llvm::StringRef, int64_t>> axes;
  llvm::SmallVector<int64_t> devices;
  int64_t total = 1;
  bool maximal = false; // one device, no axes
};

/// An axis of a mesh, or a part of one: its size, and the distance of neighbours along it.
struct MeshAxis {
  int64_t stride, size;
};

/// Groups of participants one after the other, and the number of members of each.
struct Groups {
  llvm::SmallVector<int64_t> ids, sizes;
};

// Functions that return a string return what is wrong; empty if it is valid.

/// Sets `iota.count` from its sizes.
std::string countIota(Iota &iota);
/// Checks that `iota.order` is a permutation of its dimensions.
std::string checkOrder(const Iota &iota);
/// Appends the numbers of an iota, in order.
void listIota(const Iota &iota, llvm::SmallVectorImpl<int64_t> &ids);

/// Adds an axis to a mesh.
std::string addAxis(Mesh &mesh, llvm::StringRef name, int64_t size);
/// Checks that the mesh has a device for each position, and each device once.
std::string checkDevices(const Mesh &mesh);
/// Axis `number` of a mesh.
MeshAxis getAxis(const Mesh &mesh, size_t number);
/// Replaces `axis` by its part of size `part` that follows a factor of `before`.
std::string takePart(MeshAxis &axis, int64_t before, int64_t part);
/// A group for every participant whose index is 0 along all varying axes.
std::string listGroups(const Mesh &mesh, llvm::ArrayRef<MeshAxis> varying, Groups &groups);

} // namespace hloc::text

#endif
