// SPDX-License-Identifier: Apache-2.0
// Attributes of particular opcodes in an HloModuleProto. The table of fields is in ProtoRules.def.
#include "compiler/text/AttributeRules.h"
#include "compiler/text/proto/KeptText.h"
#include "compiler/text/proto/ProtoRules.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::text {

ParseResult ProtoReader::readAttributes(const proto::HloInstructionProto &proto,
                                        Instruction &instruction) {
  const Opcode &opcode = *instruction.opcode;
  unsigned before = errors;
  for (StringAttr name : opcode.operation->getAttributeNames())
    if (const ProtoRule *rule = findProtoRule(name, opcode.text)) {
      if (Attribute value = rule->read({*this, proto, instruction}))
        instruction.attributes.set(name, value);
      if (errors != before)
        return failure();
    }
  // Required attributes are known by their names in the text.
  for (StringRef name : opcode.required)
    for (const AttributeRule &rule : findAttributeRules(name))
      if (rule.applies(opcode) && instruction.attributes.get(rule.target))
        instruction.seen.push_back(name);
  if (finishAttributes(instruction))
    return failure();
  return StringRef(opcode.text).starts_with("async-") ? checkAsyncChain(instruction, nullptr)
                                                      : ParseResult(success());
}

//===- Computations --------------------------------------------------------===//

Attribute ProtoReader::readComputationName(const ProtoInts &ids, int index) {
  if (index >= ids.size()) {
    (void)fail("expected at least " + Twine(index + 1) + " computations that it calls but got " +
               Twine(ids.size()));
    return {};
  }
  ComputationOp computation = computationsById.lookup(ids[index]);
  if (!computation) {
    (void)fail("expected a computation defined before this one but got number " +
               Twine(ids[index]));
    return {};
  }
  return FlatSymbolRefAttr::get(computation.getSymNameAttr());
}

Attribute ProtoReader::readComputationNames(const ProtoInts &ids) {
  SmallVector<Attribute> names;
  for (int i = 0; i < ids.size(); ++i) {
    names.push_back(readComputationName(ids, i));
    if (!names.back())
      return {};
  }
  return builder.getArrayAttr(names);
}

//===- Dimensions ----------------------------------------------------------===//

Attribute ProtoReader::readWindow(const proto::Window &window) {
  SmallVector<int64_t> sizes, strides, low, high, base, dilations;
  SmallVector<bool> reversals;
  for (const proto::WindowDimension &dimension : window.dimensions()) {
    for (int64_t number : {dimension.size(), dimension.stride(), dimension.base_dilation(),
                           dimension.window_dilation()})
      if (number < 0) {
        (void)fail("expected sizes, strides and dilations of a window of at least 0 but got " +
                   Twine(number));
        return {};
      }
    sizes.push_back(dimension.size());
    strides.push_back(dimension.stride());
    low.push_back(dimension.padding_low());
    high.push_back(dimension.padding_high());
    base.push_back(dimension.base_dilation());
    dilations.push_back(dimension.window_dilation());
    reversals.push_back(dimension.window_reversal());
  }
  return WindowAttr::get(context, sizes, strides, low, high, base, dilations, reversals);
}

/// True if the numbers can be labels such as `b01f`: each position once, and no more than ten
/// digits.
static bool areLabels(int64_t first, int64_t second, ArrayRef<int64_t> spatial) {
  SmallVector<int64_t> places(spatial);
  places.append({first, second});
  llvm::sort(places);
  return spatial.size() <= 10 && places.front() >= 0 && places.back() < 32 &&
         llvm::adjacent_find(places) == places.end();
}

Attribute ProtoReader::readDimLabels(const proto::ConvolutionDimensionNumbers &numbers) {
  auto list = [](const ProtoInts &values) {
    return ArrayRef<int64_t>(values.data(), size_t(values.size()));
  };
  ArrayRef<int64_t> input = list(numbers.input_spatial_dimensions()),
                    kernel = list(numbers.kernel_spatial_dimensions()),
                    output = list(numbers.output_spatial_dimensions());
  int64_t in = numbers.kernel_input_feature_dimension(),
          out = numbers.kernel_output_feature_dimension();
  if (input.size() != kernel.size() || input.size() != output.size() ||
      !areLabels(numbers.input_batch_dimension(), numbers.input_feature_dimension(), input) ||
      !areLabels(in, out, kernel) ||
      !areLabels(numbers.output_batch_dimension(), numbers.output_feature_dimension(), output)) {
    (void)fail("expected each dimension of a convolution's input, kernel and output once");
    return {};
  }
  return ConvDimensionsAttr::get(
      context, numbers.input_batch_dimension(), numbers.input_feature_dimension(), input, in, out,
      kernel, numbers.output_batch_dimension(), numbers.output_feature_dimension(), output);
}

/// The sizes of each slice that a collective-permute sends: one number per dimension of its array.
Attribute ProtoReader::readSliceLists(const proto::HloInstructionProto &proto,
                                      const Instruction &instruction) {
  ArrayRef<int64_t> rest(proto.dynamic_slice_sizes().data(),
                         size_t(proto.dynamic_slice_sizes().size()));
  if (rest.empty() || instruction.operands.empty())
    return {};
  SmallVector<Attribute> lists;
  Type input = instruction.operands[0].getType();
  auto tuple = dyn_cast<TupleType>(input);
  SmallVector<Type> arrays(tuple ? tuple.getTypes() : ArrayRef<Type>(input));
  size_t ranks = 0;
  for (Type type : arrays)
    if (auto array = dyn_cast<RankedTensorType>(type))
      ranks += array.getRank();
  if (!ranks || rest.size() % ranks) {
    (void)fail("expected sizes of slices for all " + Twine(ranks) +
               " dimensions of the operand but got " + Twine(rest.size()));
    return {};
  }
  size_t slices = rest.size() / ranks; // per array
  for (Type type : arrays)
    for (size_t i = 0; i < slices; ++i) {
      auto array = dyn_cast<RankedTensorType>(type);
      size_t rank = array ? array.getRank() : 0;
      lists.push_back(builder.getDenseI64ArrayAttr(rest.take_front(rank)));
      rest = rest.drop_front(rank);
    }
  return builder.getArrayAttr(lists);
}

Attribute ProtoReader::readLayouts(const proto::HloInstructionProto &proto,
                                   const Instruction &instruction) {
  if (!proto.constrain_layout())
    return {};
  const auto &shapes = proto.operand_shapes_with_layout();
  SmallVector<Type> types;
  if (shapes.size() != int(instruction.operands.size())) {
    (void)fail("expected " + Twine(instruction.operands.size()) +
               " layouts, one an operand, but got " + Twine(shapes.size()));
    return {};
  }
  for (auto [i, shape] : llvm::enumerate(shapes)) {
    if (readShape(shape, types.emplace_back()))
      return {};
    Type operand = instruction.operands[i].getType();
    if (!areCompatible(types.back(), operand)) {
      (void)fail("expected a layout for operand " + Twine(i) + " of shape " + shapeText(operand) +
                 " but got " + shapeText(types.back()));
      return {};
    }
  }
  return builder.getTypeArrayAttr(types);
}

//===- Participants --------------------------------------------------------===//

Attribute ProtoReader::readGroups(const proto::HloInstructionProto &proto) {
  if (proto.has_mesh_axes_replica_group_list())
    return readMeshGroups(proto.mesh_axes_replica_group_list());
  if (proto.has_iota_collective_device_list())
    return readIotaGroups(proto.iota_collective_device_list());
  if (proto.collective_device_list().has_iota_replica_group_list())
    return readIotaGroups(proto.collective_device_list().iota_replica_group_list());
  const auto &listed = proto.has_collective_device_list()
                           ? proto.collective_device_list().replica_groups()
                           : proto.replica_groups();
  Groups groups;
  for (const proto::ReplicaGroup &group : listed) {
    groups.ids.append(group.replica_ids().begin(), group.replica_ids().end());
    groups.sizes.push_back(group.replica_ids_size());
  }
  return ReplicaGroupsAttr::get(context, groups.ids, groups.sizes, StringAttr());
}

Attribute ProtoReader::readIotaGroups(const proto::IotaReplicaGroupListProto &proto) {
  Iota iota;
  iota.sizes.assign(proto.iota_reshape_dims().begin(), proto.iota_reshape_dims().end());
  iota.order.assign(proto.iota_transpose_perm().begin(), proto.iota_transpose_perm().end());
  std::string why = countIota(iota);
  if (why.empty())
    why = checkOrder(iota);
  int64_t count = proto.num_replica_groups(), size = proto.num_devices_per_group(), total;
  if (why.empty() &&
      (count < 0 || size < 0 || llvm::MulOverflow(count, size, total) || total != iota.count))
    why = ("expected " + Twine(count) + " groups of " + Twine(size) + " but got " +
           Twine(iota.count) + " participants")
              .str();
  if (!why.empty()) {
    (void)fail(why);
    return {};
  }
  Groups groups;
  listIota(iota, groups.ids);
  groups.sizes.assign(count, size);
  return ReplicaGroupsAttr::get(context, groups.ids, groups.sizes,
                                builder.getStringAttr(writeIotaGroups(proto)));
}

/// The mesh with its devices; `why` is set to what is wrong with it.
static Mesh makeMesh(const proto::MeshProto &proto, std::string &why) {
  Mesh mesh;
  for (const auto &axis : proto.axes())
    if (why.empty())
      why = addAxis(mesh, axis.name(), axis.size());
  Iota iota;
  if (proto.has_iota_transform()) {
    iota.sizes.assign(proto.iota_transform().reshape_dims().begin(),
                      proto.iota_transform().reshape_dims().end());
    iota.order.assign(proto.iota_transform().transpose_perm().begin(),
                      proto.iota_transform().transpose_perm().end());
    for (std::string fault : {countIota(iota), checkOrder(iota)})
      why += why.empty() ? fault : "";
  } else if (why.empty()) {
    iota.sizes = {mesh.total};
    iota.order = {0};
    iota.count = mesh.total;
  }
  if (why.empty() && proto.device_ids_size())
    mesh.devices.assign(proto.device_ids().begin(), proto.device_ids().end());
  else if (why.empty())
    listIota(iota, mesh.devices);
  if (why.empty())
    why = checkDevices(mesh);
  return mesh;
}

Attribute ProtoReader::readMeshGroups(const proto::MeshAxesReplicaGroupListProto &proto) {
  std::string why;
  Mesh mesh = makeMesh(proto.mesh(), why);
  SmallVector<MeshAxis> varying;
  for (const proto::AxisRefProto &axis : proto.axes()) {
    if (why.empty() &&
        (axis.mesh_axis_index() < 0 || axis.mesh_axis_index() >= int64_t(mesh.axes.size())))
      why = "expected one of the mesh's axes";
    if (!why.empty())
      break;
    varying.push_back(getAxis(mesh, axis.mesh_axis_index()));
    if (axis.has_sub_axis_info())
      why = takePart(varying.back(), axis.sub_axis_info().pre_size(), axis.sub_axis_info().size());
  }
  Groups groups;
  if (why.empty())
    why = listGroups(mesh, varying, groups);
  if (!why.empty()) {
    (void)fail(why);
    return {};
  }
  return ReplicaGroupsAttr::get(context, groups.ids, groups.sizes,
                                builder.getStringAttr(writeMeshGroups(proto)));
}

} // namespace hloc::text
