// SPDX-License-Identifier: Apache-2.0
#include "compiler/text/Groups.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace hloc::text {

static constexpr StringRef kTooMany = "expected at least one and at most 2^24 participants";

std::string countIota(Iota &iota) {
  iota.count = 1;
  for (int64_t size : iota.sizes)
    if (size <= 0 || MulOverflow(iota.count, size, iota.count) || iota.count > kMaxParticipants)
      return kTooMany.str();
  return "";
}

std::string checkOrder(const Iota &iota) {
  SmallVector<int64_t> sorted(iota.order);
  llvm::sort(sorted);
  if (llvm::equal(sorted, llvm::seq<int64_t>(0, iota.sizes.size())))
    return "";
  return "expected T(...) to be a permutation of the dimensions";
}

void listIota(const Iota &iota, SmallVectorImpl<int64_t> &ids) {
  ArrayRef<int64_t> sizes = iota.sizes;
  SmallVector<int64_t> strides(sizes.size(), 1);
  for (int64_t i = int64_t(sizes.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * sizes[i + 1];
  ids.reserve(iota.count);
  for (int64_t i = 0; i < iota.count; ++i) {
    int64_t rest = i, id = 0;
    for (int64_t d : llvm::reverse(iota.order)) {
      id += rest % sizes[d] * strides[d];
      rest /= sizes[d];
    }
    ids.push_back(id);
  }
}

std::string addAxis(Mesh &mesh, StringRef name, int64_t size) {
  mesh.axes.push_back({name, size});
  if (size <= 0 || MulOverflow(mesh.total, size, mesh.total) || mesh.total > kMaxParticipants)
    return kTooMany.str();
  return "";
}

std::string checkDevices(const Mesh &mesh) {
  if (int64_t(mesh.devices.size()) != mesh.total)
    return ("expected " + Twine(mesh.total) + " devices but got " + Twine(mesh.devices.size()))
        .str();
  SmallVector<int64_t> sorted(mesh.devices);
  llvm::sort(sorted);
  return llvm::adjacent_find(sorted) == sorted.end() ? "" : "expected each device once";
}

MeshAxis getAxis(const Mesh &mesh, size_t number) {
  int64_t stride = mesh.total;
  for (auto &[name, size] : ArrayRef(mesh.axes).take_front(number + 1))
    stride /= size;
  return {stride, mesh.axes[number].second};
}

std::string takePart(MeshAxis &axis, int64_t before, int64_t part) {
  if (before <= 0 || part <= 0 || axis.size % before || axis.size / before % part ||
      part == axis.size)
    return ("expected a part of an axis of size " + Twine(axis.size)).str();
  axis.stride *= axis.size / before / part;
  axis.size = part;
  return "";
}

std::string listGroups(const Mesh &mesh, ArrayRef<MeshAxis> varying, Groups &groups) {
  int64_t groupSize = 1;
  for (auto [stride, size] : varying)
    if (MulOverflow(groupSize, size, groupSize) || groupSize > mesh.total)
      break;
  if (groupSize > mesh.total)
    return "expected each axis once in the groups";
  if (groupSize == 1)
    return "expected groups of more than one participant";
  for (int64_t first = 0; first < mesh.total; ++first) {
    if (llvm::any_of(varying, [&](MeshAxis axis) { return first / axis.stride % axis.size; }))
      continue;
    for (int64_t member = 0; member < groupSize; ++member) {
      int64_t rest = member, place = first;
      for (auto [stride, size] : llvm::reverse(varying)) {
        place += rest % size * stride;
        rest /= size;
      }
      if (place >= mesh.total)
        return "expected each axis once in the groups";
      groups.ids.push_back(mesh.devices[place]);
    }
    groups.sizes.push_back(groupSize);
  }
  return "";
}

} // namespace hloc::text
