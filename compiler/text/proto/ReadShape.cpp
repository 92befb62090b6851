// SPDX-License-Identifier: Apache-2.0
// Shapes of an HloModuleProto.
#include "compiler/text/proto/ProtoReader.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace hloc::hlo;

namespace hloc::text {

ParseResult ProtoReader::readShape(const proto::ShapeProto &proto, Type &type) {
  switch (proto.element_type()) {
  case proto::TUPLE:
    return readTuple(proto, type);
  case proto::TOKEN:
    type = TokenType::get(context);
    return success();
  case proto::OPAQUE_TYPE:
    type = hlo::OpaqueType::get(context);
    return success();
  case proto::BUFFER: {
    Type contents;
    if (proto.tuple_shapes_size() != 1)
      return fail("expected the shape of an array in a buffer");
    if (readShape(proto.tuple_shapes(0), contents))
      return failure();
    if (!isa<RankedTensorType>(contents))
      return fail("expected the shape of an array in a buffer but got " + shapeText(contents));
    type = BufferType::get(context, contents);
    return success();
  }
  default:
    return readArray(proto, type);
  }
}

ParseResult ProtoReader::readTuple(const proto::ShapeProto &proto, Type &type) {
  SmallVector<Type> elements;
  for (const proto::ShapeProto &element : proto.tuple_shapes())
    if (readShape(element, elements.emplace_back()))
      return failure();
  type = TupleType::get(context, elements);
  return checkTupleSize(type, nullptr);
}

ParseResult ProtoReader::readArray(const proto::ShapeProto &proto, Type &type) {
  StringRef name = proto::PrimitiveType_Name(proto.element_type());
  Type element = getElementType(name.lower(), context);
  if (!element || proto.element_type() == proto::PRIMITIVE_TYPE_INVALID)
    return fail("expected the element type of an array but got number " +
                Twine(int(proto.element_type())));
  if (proto.is_dynamic_dimension_size() &&
      proto.is_dynamic_dimension_size() != proto.dimensions_size())
    return fail("expected to know of all " + Twine(proto.dimensions_size()) +
                " dimensions of a shape whether they are dynamic but got " +
                Twine(proto.is_dynamic_dimension_size()));
  SmallVector<int64_t, 6> sizes, bounds;
  bool isBounded = false;
  for (auto [i, size] : llvm::enumerate(proto.dimensions())) {
    bool isDynamic = proto.is_dynamic_dimension_size() && proto.is_dynamic_dimension(int(i));
    if (size < 0 && !isDynamic)
      return fail("expected a dimension of a size of at least 0 but got " + Twine(size));
    sizes.push_back(isDynamic ? ShapedType::kDynamic : size);
    bounds.push_back(isDynamic && size >= 0 ? size : -1);
    isBounded |= bounds.back() >= 0;
  }
  if (!isBounded)
    bounds.clear();
  RankedTensorType array;
  if (makeArray(element, sizes, bounds, nullptr, array))
    return failure();
  ArrayLayout layout;
  bool hasLayout = proto.has_layout();
  if ((hasLayout && readLayout(proto.layout(), layout)) ||
      addLayout(array, bounds, hasLayout ? &layout : nullptr, nullptr))
    return failure();
  type = array;
  return success();
}

ParseResult ProtoReader::readLayout(const proto::LayoutProto &proto, ArrayLayout &layout) {
  layout.order.assign(proto.minor_to_major().begin(), proto.minor_to_major().end());
  layout.bits = proto.element_size_in_bits();
  layout.space = proto.memory_space();
  for (const proto::TileProto &tile : proto.tiles()) {
    SmallVector<int64_t> sizes(tile.dimensions().begin(), tile.dimensions().end());
    for (int64_t &size : sizes)
      size = std::max<int64_t>(size, -1); // the smallest number means a combined dimension
    layout.tiles.push_back(TileAttr::get(context, sizes));
  }
  llvm::raw_string_ostream out(layout.rest);
  auto isDense = [&](int i) {
    return proto.dim_level_types(i) == proto::DIM_DENSE &&
           (i >= proto.dim_unique_size() || proto.dim_unique(i)) &&
           (i >= proto.dim_ordered_size() || proto.dim_ordered(i));
  };
  auto dimensions = llvm::seq(proto.dim_level_types_size());
  if (!llvm::all_of(dimensions, isDense)) {
    out << "D(";
    for (int i : dimensions) {
      auto kind = unsigned(proto.dim_level_types(i));
      if (kind > proto::DIM_SINGLETON)
        return fail("expected dimensions that are dense, compressed or singletons");
      out << (i ? "," : "") << "DCS"[kind];
      if (i < proto.dim_unique_size() && !proto.dim_unique(i))
        out << '+';
      if (i < proto.dim_ordered_size() && !proto.dim_ordered(i))
        out << '~';
    }
    out << ')';
  }
  if (int64_t alignment = proto.tail_padding_alignment_in_elements(); alignment > 1)
    out << "L(" << alignment << ')';
  for (auto [mark, number] : {std::pair('#', proto.index_primitive_type()),
                              std::pair('*', proto.pointer_primitive_type())})
    if (StringRef name = proto::PrimitiveType_Name(number); name.starts_with("U"))
      out << mark << '(' << name.lower() << ')';
  if (proto.split_configs_size())
    out << "SC";
  for (const proto::SplitConfigProto &split : proto.split_configs()) {
    out << '(' << split.dimension() << ':';
    llvm::interleave(split.split_indices(), out, ",");
    out << ')';
  }
  if (int64_t bytes = proto.dynamic_shape_metadata_prefix_bytes())
    out << "M(" << bytes << ')';
  return success();
}

} // namespace hloc::text
