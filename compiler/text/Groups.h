// SPDX-License-Identifier: Apache-2.0
// Short forms of groups of participants: numbers in a transposed grid, and axes of a mesh.
// Tests: test/text/mesh-groups.test, test/text/errors/groups-product.hlo.

#ifndef HLOC_COMPILER_TEXT_GROUPS_H
#define HLOC_COMPILER_TEXT_GROUPS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace hloc::text {

/// Participants that the short forms of groups and shardings may stand for.
constexpr int64_t kMaxParticipants = int64_t(1) << 24;

/// Numbers from 0 to `count`, in a shape of `sizes` whose dimensions come in `order`.
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

/// An axis of a mesh, or a part of one: its size, and the distance between neighbours along it.
struct MeshAxis {
  int64_t stride, size;
};

/// Groups of participants one after the other, and how many belong to each.
struct Groups {
  llvm::SmallVector<int64_t> ids, sizes;
};

// Those that return a string say what is wrong, nothing if nothing is.

/// Sets `iota.count` from its sizes.
std::string countIota(Iota &iota);
/// Whether `iota.order` is one of its dimensions.
std::string checkOrder(const Iota &iota);
/// Appends the numbers of an iota, in order.
void listIota(const Iota &iota, llvm::SmallVectorImpl<int64_t> &ids);

/// Adds an axis to a mesh.
std::string addAxis(Mesh &mesh, llvm::StringRef name, int64_t size);
/// Whether the mesh has a device for each place, and each device once.
std::string checkDevices(const Mesh &mesh);
/// Axis `number` of a mesh.
MeshAxis getAxis(const Mesh &mesh, size_t number);
/// The part of size `part` of `axis` that `before` come before.
std::string takePart(MeshAxis &axis, int64_t before, int64_t part);
/// A group for every participant whose index is 0 along all varying axes.
std::string listGroups(const Mesh &mesh, llvm::ArrayRef<MeshAxis> varying, Groups &groups);

} // namespace hloc::text

#endif
