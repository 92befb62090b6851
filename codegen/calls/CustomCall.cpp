// SPDX-License-Identifier: Apache-2.0
// Custom calls: hlort_custom_call with a frame on the stack.
#include "codegen/calls/Calls.h"
#include "hlort/hlort.h"
#include "mlir/AsmParser/AsmParser.h"
#include "passes/CustomCalls.h"

using namespace mlir;

namespace hloc {

// The layouts of the structs that are built below.
static_assert(offsetof(hlort_attribute, integer) == 16 && offsetof(hlort_attribute, count) == 40 &&
              sizeof(hlort_attribute) == 48);
static_assert(offsetof(hlort_custom_call_frame, operands) == 24 &&
              offsetof(hlort_custom_call_frame, attributes) == 56 &&
              sizeof(hlort_custom_call_frame) == 80);

namespace {

/// The attributes that are passed to a custom call.
class AttributeList {
public:
  explicit AttributeList(RuntimeCallBuilder &call) : call(call) {}

  /// Adds a dictionary of backend_config, flattened. Returns false if it contains a value that
  /// hosts cannot read.
  bool add(StringRef prefix, DictionaryAttr dictionary);
  /// An array of hlort_attribute.
  Value build();
  size_t size() const { return entries.size(); }

private:
  void addIntegers(std::string name, ArrayRef<int64_t> numbers) {
    entries.push_back({std::move(name),
                       HLORT_ATTRIBUTE_INTEGERS,
                       {},
                       {},
                       call.numbers(numbers),
                       int64_t(numbers.size())});
  }
  void addFloats(std::string name, ArrayRef<double> numbers) {
    auto bits = llvm::map_to_vector(numbers, [](double x) { return llvm::bit_cast<int64_t>(x); });
    addIntegers(std::move(name), bits);
    entries.back().kind = HLORT_ATTRIBUTE_FLOATS;
  }

  struct Entry {
    std::string name;
    hlort_attribute_kind kind;
    Value integer, real, data;
    int64_t count;
  };

  RuntimeCallBuilder &call;
  SmallVector<Entry> entries;
};

} // namespace

/// The 64-bit integer that hosts read: zero-extended if unsigned or a pred, otherwise
/// sign-extended.
static int64_t toInteger(const APInt &value, Type type) {
  bool hasSign = !type.isUnsignedInteger() && !type.isInteger(1);
  return hasSign ? value.getSExtValue() : int64_t(value.getZExtValue());
}

static double toDouble(APFloat value) {
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

/// Converts array<i32: 1, 2> to the tensor of the same elements; both have the same bytes in MLIR.
static DenseElementsAttr toElements(DenseArrayAttr array) {
  return DenseElementsAttr::getFromRawBuffer(
      RankedTensorType::get({array.getSize()}, array.getElementType()), array.getRawData());
}

bool AttributeList::add(StringRef prefix, DictionaryAttr dictionary) {
  ImplicitLocOpBuilder &b = call.b;
  for (NamedAttribute entry : dictionary) {
    std::string name = (prefix + entry.getName().getValue()).str();
    Attribute value = entry.getValue();
    if (auto nested = dyn_cast<DictionaryAttr>(value)) {
      if (!add(name + ".", nested))
        return false;
    } else if (auto flag = dyn_cast<BoolAttr>(value)) {
      entries.push_back({name, HLORT_ATTRIBUTE_BOOL, call.i64(flag.getValue()), {}, {}, 0});
    } else if (auto integer = dyn_cast<IntegerAttr>(value)) {
      int64_t number = toInteger(integer.getValue(), integer.getType());
      entries.push_back({name, HLORT_ATTRIBUTE_INTEGER, call.i64(number), {}, {}, 0});
    } else if (auto number = dyn_cast<FloatAttr>(value)) {
      Value real =
          LLVM::ConstantOp::create(b, b.getF64Type(), b.getF64FloatAttr(number.getValueAsDouble()));
      entries.push_back({name, HLORT_ATTRIBUTE_FLOAT, {}, real, {}, 0});
    } else if (auto string = dyn_cast<StringAttr>(value)) {
      entries.push_back({name,
                         HLORT_ATTRIBUTE_STRING,
                         {},
                         {},
                         call.text(string.getValue()),
                         int64_t(string.size())});
    } else {
      if (auto flags = dyn_cast<DenseBoolArrayAttr>(value)) {
        addIntegers(name, SmallVector<int64_t>(flags.asArrayRef()));
        continue;
      }
      if (auto array = dyn_cast<DenseArrayAttr>(value))
        value = toElements(array);
      auto elements = dyn_cast<DenseElementsAttr>(value);
      Type type = elements ? elements.getElementType() : Type();
      if (type && type.isIntOrIndex())
        addIntegers(name, llvm::map_to_vector(elements.getValues<APInt>(),
                                              [&](const APInt &x) { return toInteger(x, type); }));
      else if (type && isa<FloatType>(type))
        addFloats(name, llvm::map_to_vector(elements.getValues<APFloat>(), toDouble));
      else
        return false;
    }
  }
  return true;
}

Value AttributeList::build() {
  if (entries.empty())
    return call.null();
  Value attributes = call.site.stack(sizeof(hlort_attribute) * entries.size());
  for (auto [i, entry] : llvm::enumerate(entries)) {
    int64_t base = sizeof(hlort_attribute) * i;
    call.put(attributes, base, call.text(entry.name));
    call.put(attributes, base + 8, call.i64(entry.kind));
    call.put(attributes, base + 16, entry.integer ? entry.integer : call.i64(0));
    call.put(attributes, base + 24, entry.real ? entry.real : call.i64(0));
    call.put(attributes, base + 32, entry.data ? entry.data : call.null());
    call.put(attributes, base + 40, call.i64(entry.count));
  }
  return attributes;
}

LogicalResult emitCustomCall(RuntimeCallBuilder &call) {
  RuntimeCallSite &site = call.site;
  auto target = call.getParameter<StringAttr>("custom_call_target");
  std::string config;
  if (auto given = call.getParameter<StringAttr>("hlo.backend_config"))
    config = given.str();
  AttributeList attributes(call);
  StringRef dictionary = StringRef(config).trim();
  if (dictionary.starts_with("{"))
    if (auto parsed =
            dyn_cast_or_null<DictionaryAttr>(parseAttribute(dictionary, call.op.getContext())))
      if (!attributes.add("", parsed))
        return call.op.emitError()
               << "custom call '" << target.getValue()
               << "' has an attribute of a kind that the C interface cannot pass";
  Value list = attributes.build();
  // For built-in calls on arrays whose sizes are known at run time, the sizes follow as s64[rank].
  ValueRange arrays = call.op.getInputs();
  ArrayRef<Value> sizes;
  if (auto sized = call.getParameter<IntegerAttr>(kSizedArrays)) {
    sizes = ArrayRef(site.inputs).drop_front(sized.getInt());
    arrays = arrays.take_front(sized.getInt());
  }
  Value frame = site.stack(sizeof(hlort_custom_call_frame));
  call.put(frame, 0, call.text(target.getValue()));
  call.put(frame, 8, site.context);
  call.put(frame, 16, call.i64(arrays.size()));
  call.put(frame, 24, call.buffers(arrays, site.inputs, &sizes));
  call.put(frame, 32, call.i64(call.op.getOutputs().size()));
  call.put(frame, 40, call.buffers(call.op.getOutputs(), site.outputs, &sizes));
  call.put(frame, 48, call.i64(attributes.size()));
  call.put(frame, 56, list);
  call.put(frame, 64, call.text(config));
  call.put(frame, 72, call.i64(config.size()));
  call.call("hlort_custom_call", {site.context, frame, site.status});
  return success();
}

} // namespace hloc
