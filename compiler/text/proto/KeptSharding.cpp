// SPDX-License-Identifier: Apache-2.0
// Shardings of a protocol buffer, as text.
#include "compiler/text/Groups.h"
#include "compiler/text/Quote.h"
#include "compiler/text/proto/KeptText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace hloc::text {

using Axes = google::protobuf::RepeatedPtrField<proto::AxisRefProto>;

/// `[2,4]`.
template <typename List> static std::string writeList(const List &list, StringRef separator = ",") {
  std::string text = "[";
  raw_string_ostream out(text);
  interleave(list, out, separator);
  return text + "]";
}

/// An axis's name in single quotes.
static std::string quoteAxis(StringRef name) {
  std::string quoted = quote(name);
  return "'" + quoted.substr(1, quoted.size() - 2) + "'";
}

template <typename Sizes, typename Order>
static std::string writeGrid(const Sizes &sizes, const Order &order) {
  std::string text = writeList(sizes);
  if (sizes.size() < 2)
    return text;
  raw_string_ostream out(text);
  out << "T(";
  interleave(order, out, ",");
  out << ')';
  return text;
}

static std::string writeMesh(const proto::MeshProto &mesh) {
  if (!mesh.axes_size() && mesh.device_ids_size() == 1)
    return ("maximal_mesh[device_id=" + Twine(mesh.device_ids(0)) + "]").str();
  SmallVector<std::string> axes;
  for (const auto &axis : mesh.axes())
    axes.push_back((quoteAxis(axis.name()) + "=" + Twine(axis.size())).str());
  std::string text = "mesh[" + join(axes, ",") + "]";
  if (mesh.has_iota_transform())
    text +=
        ", device_ids=(" +
        writeGrid(mesh.iota_transform().reshape_dims(), mesh.iota_transform().transpose_perm()) +
        ")";
  else if (mesh.device_ids_size()) {
    std::string devices = writeList(mesh.device_ids());
    text += ", device_ids=(" + devices.substr(1, devices.size() - 2) + ")";
  }
  return text;
}

static std::string writeAxes(const Axes &axes, const proto::MeshProto &mesh, bool isOpen) {
  SmallVector<std::string> names;
  for (const proto::AxisRefProto &axis : axes) {
    int64_t number = axis.mesh_axis_index();
    bool isKnown = number >= 0 && number < mesh.axes_size();
    std::string name = quoteAxis(isKnown ? StringRef(mesh.axes(int(number)).name()) : "?");
    if (axis.has_sub_axis_info())
      name +=
          (":(" + Twine(axis.sub_axis_info().pre_size()) + ")" + Twine(axis.sub_axis_info().size()))
              .str();
    names.push_back(std::move(name));
  }
  if (isOpen)
    names.push_back("?");
  return "{" + join(names, ", ") + "}";
}

template <typename List> static std::string writeMetadataList(const List &list) {
  SmallVector<std::string> texts;
  for (const proto::OpMetadata &metadata : list)
    texts.push_back("{" + writeMetadata(metadata) + "}");
  std::string text = join(texts, ", ");
  return texts.size() == 1 ? text : "{" + text + "}";
}

static std::string writeNamed(const proto::NamedShardingProto &sharding) {
  const proto::MeshProto &mesh = sharding.mesh();
  std::string text = writeMesh(mesh);
  if (!mesh.axes_size() && mesh.device_ids_size() == 1)
    return text;
  SmallVector<std::string> dimensions;
  for (const auto &dimension : sharding.dim_shardings())
    dimensions.push_back(writeAxes(dimension.axes(), mesh, !dimension.is_closed()));
  bool isBare = dimensions.empty();
  auto isWhole = [&](const Axes &axes) {
    return isBare && axes.size() == mesh.axes_size() &&
           none_of(axes, [](const auto &axis) { return axis.has_sub_axis_info(); });
  };
  if (isWhole(sharding.unreduced_axes()) && mesh.axes_size())
    return text + ", unreduced";
  if (isWhole(sharding.manual_axes()) && mesh.axes_size())
    return text + ", manual";
  if (isBare && !sharding.replicated_axes_size() && !sharding.unreduced_axes_size() &&
      !sharding.manual_axes_size())
    text += ", replicated";
  else
    text += ", [" + join(dimensions, ", ") + "]";
  for (auto [name, axes] : {std::pair("replicated", &sharding.replicated_axes()),
                            std::pair("unreduced", &sharding.unreduced_axes()),
                            std::pair("manual", &sharding.manual_axes())})
    if (axes->size())
      text += std::string(", ") + name + "=" + writeAxes(*axes, mesh, /*isOpen=*/false);
  if (sharding.metadata_size())
    text += ", metadata=" + writeMetadataList(sharding.metadata());
  return text;
}

static StringRef getState(proto::OpSharding::Type type) {
  switch (type) {
  case proto::OpSharding::REPLICATED:
    return "replicated";
  case proto::OpSharding::MAXIMAL:
    return "maximal";
  case proto::OpSharding::MANUAL:
    return "manual";
  case proto::OpSharding::UNKNOWN:
    return "unknown";
  case proto::OpSharding::UNREDUCED:
    return "unreduced";
  default:
    return "";
  }
}

/// The text between the braces of a sharding over a tiling of devices.
static std::string writeTiled(const proto::OpSharding &sharding) {
  std::string text;
  if (StringRef state = getState(sharding.type()); !state.empty()) {
    text = state;
    if (sharding.type() == proto::OpSharding::MAXIMAL && sharding.tile_assignment_devices_size())
      text += (" device=" + Twine(sharding.tile_assignment_devices(0))).str();
  } else {
    text = "devices=" + writeList(sharding.tile_assignment_dimensions());
    if (sharding.iota_reshape_dims_size()) {
      text += "<=" + writeGrid(sharding.iota_reshape_dims(), sharding.iota_transpose_perm());
    } else {
      std::string devices = writeList(sharding.tile_assignment_devices());
      text += devices.substr(1, devices.size() - 2);
    }
    if (sharding.replicate_on_last_tile_dim())
      text += " last_tile_dim_replicate";
    SmallVector<StringRef> states;
    for (int type : sharding.last_tile_dims())
      states.push_back(getState(proto::OpSharding::Type(type)));
    if (!states.empty())
      text += " last_tile_dims={" + join(states, ", ") + "}";
  }
  if (sharding.is_shard_group())
    text +=
        ((sharding.shard_group_type() == proto::OpSharding::LIKE ? " shard_like " : " shard_as ") +
         Twine(sharding.shard_group_id()))
            .str();
  if (sharding.metadata_size())
    text += " metadata=" + writeMetadataList(sharding.metadata());
  return text;
}

std::string writeSharding(const proto::OpSharding &sharding) {
  if (sharding.type() != proto::OpSharding::TUPLE)
    return "{" +
           (sharding.has_named_sharding() ? writeNamed(sharding.named_sharding())
                                          : writeTiled(sharding)) +
           "}";
  SmallVector<std::string> elements;
  for (const proto::OpSharding &element : sharding.tuple_shardings())
    elements.push_back(writeSharding(element));
  return "{" + join(elements, ", ") + "}";
}

std::string writeDomain(const proto::HloInstructionProto &domain) {
  return "{kind=\"sharding\", entry=" + writeSharding(domain.domain_entry_sharding()) +
         ", exit=" + writeSharding(domain.domain_exit_sharding()) + "}";
}

std::string writeIotaGroups(const proto::IotaReplicaGroupListProto &groups) {
  return ("[" + Twine(groups.num_replica_groups()) + "," + Twine(groups.num_devices_per_group()) +
          "]<=" + writeGrid(groups.iota_reshape_dims(), groups.iota_transpose_perm()))
      .str();
}

std::string writeMeshGroups(const proto::MeshAxesReplicaGroupListProto &groups) {
  return writeMesh(groups.mesh()) + " " + writeAxes(groups.axes(), groups.mesh(), /*isOpen=*/false);
}

} // namespace hloc::text
