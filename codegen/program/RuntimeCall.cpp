// SPDX-License-Identifier: Apache-2.0
#include "codegen/program/RuntimeCall.h"
#include "codegen/program/ElementNames.h"
#include "mlir/AsmParser/AsmParser.h"
#include "passes/frontend/NotSupported.h"

using namespace mlir;

namespace hloc {

static constexpr const char *kChecked = "hlo.checked";

// Layouts of hlort.h's structs.
static constexpr int64_t kBufferBytes = 32, kAttributeBytes = 48, kFrameBytes = 80;
enum AttributeKind : int32_t { Integer, Float, Bool, String, Integers, Floats };

namespace {

class CallEmitter {
public:
  CallEmitter(hlo::RuntimeCallOp op, RuntimeCallSite &site)
      : op(op), site(site), b(site.b), pointer(LLVM::LLVMPointerType::get(op.getContext())) {}

  LogicalResult emitFft();
  LogicalResult emitCustomCall();

private:
  Value constant(Type type, int64_t value) {
    return LLVM::ConstantOp::create(b, type, b.getIntegerAttr(type, value));
  }
  Value i32(int64_t value) { return constant(b.getI32Type(), value); }
  Value i64(int64_t value) { return constant(b.getI64Type(), value); }
  Value null() { return LLVM::ZeroOp::create(b, pointer); }
  Value at(Value base, int64_t offset) {
    return LLVM::GEPOp::create(b, pointer, b.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  }
  void put(Value base, int64_t offset, Value value) {
    LLVM::StoreOp::create(b, value, at(base, offset));
  }
  Value numbers(ArrayRef<int64_t> values) { return site.globals.numbers(values); }
  Value text(StringRef string) { return site.globals.text(string); }
  Value buffers(ValueRange arrays, ValueRange pointers);
  void call(StringRef function, ArrayRef<Value> arguments);
  bool collectAttributes(StringRef prefix, DictionaryAttr dictionary);
  void addAttribute(StringRef name, AttributeKind kind, Value integer, Value real, Value data,
                    int64_t count);

  struct Entry {
    std::string name;
    AttributeKind kind;
    Value integer, real, data;
    int64_t count;
  };

  hlo::RuntimeCallOp op;
  RuntimeCallSite &site;
  ImplicitLocOpBuilder &b;
  Type pointer;
  SmallVector<Entry> entries;
};

} // namespace

/// An array of hlort_buffer, row-major.
Value CallEmitter::buffers(ValueRange arrays, ValueRange pointers) {
  if (arrays.empty())
    return null();
  Value memory = site.stack(kBufferBytes * arrays.size());
  for (auto [i, array] : llvm::enumerate(arrays)) {
    auto type = cast<MemRefType>(array.getType());
    int64_t base = kBufferBytes * i;
    put(memory, base, i32(getElementInfo(type.getElementType()).number));
    put(memory, base + 4, i32(type.getRank()));
    put(memory, base + 8, numbers(type.getShape()));
    put(memory, base + 16, null());
    put(memory, base + 24, pointers[i]);
  }
  return memory;
}

void CallEmitter::call(StringRef function, ArrayRef<Value> arguments) {
  auto callee = site.globals.declare(function, b.getI32Type(), ValueRange(arguments).getTypes());
  LLVM::CallOp::create(b, callee, arguments)->setAttr(kChecked, b.getUnitAttr());
}

LogicalResult CallEmitter::emitFft() {
  auto input = cast<MemRefType>(op.getInputs()[0].getType());
  auto kind = cast<hlo::FftTypeAttr>(op.getParameters().get("fft_type"));
  auto length = cast<DenseI64ArrayAttr>(op.getParameters().get("fft_length"));
  Type real = input.getElementType();
  if (auto complex = dyn_cast<ComplexType>(real))
    real = complex.getElementType();
  call("hlort_fft", {site.context, i32(int32_t(kind.getValue())), i32(getElementInfo(real).number),
                     i32(input.getRank()), numbers(input.getShape()), i32(length.size()),
                     numbers(length.asArrayRef()), site.inputs[0], site.outputs[0], site.status});
  return success();
}

/// Flattens the dictionary that backend_config holds. False if it has a value that no host can
/// read.
bool CallEmitter::collectAttributes(StringRef prefix, DictionaryAttr dictionary) {
  auto add = [&](const std::string &name, AttributeKind kind, Value integer, Value real = {},
                 Value data = {}, int64_t count = 0) {
    entries.push_back({name, kind, integer, real, data, count});
  };
  for (NamedAttribute entry : dictionary) {
    std::string name = (prefix + entry.getName().getValue()).str();
    Attribute value = entry.getValue();
    if (auto nested = dyn_cast<DictionaryAttr>(value)) {
      if (!collectAttributes(name + ".", nested))
        return false;
    } else if (auto flag = dyn_cast<BoolAttr>(value)) {
      add(name, Bool, i64(flag.getValue()));
    } else if (auto integer = dyn_cast<IntegerAttr>(value)) {
      bool isUnsigned = integer.getType().isUnsignedInteger();
      add(name, Integer,
          i64(isUnsigned ? int64_t(integer.getValue().getZExtValue())
                         : integer.getValue().getSExtValue()));
    } else if (auto number = dyn_cast<FloatAttr>(value)) {
      add(name, Float, {},
          LLVM::ConstantOp::create(b, b.getF64Type(),
                                   b.getF64FloatAttr(number.getValueAsDouble())));
    } else if (auto string = dyn_cast<StringAttr>(value)) {
      add(name, String, {}, {}, text(string.getValue()), string.size());
    } else if (auto array = dyn_cast<DenseI64ArrayAttr>(value)) {
      add(name, Integers, {}, {}, numbers(array.asArrayRef()), array.size());
    } else {
      return false;
    }
  }
  return true;
}

LogicalResult CallEmitter::emitCustomCall() {
  auto target = cast<StringAttr>(op.getParameters().get("custom_call_target"));
  std::string config;
  if (auto given = op.getParameters().getAs<StringAttr>("hlo.backend_config"))
    config = given.str();
  StringRef dictionary = StringRef(config).trim();
  if (dictionary.starts_with("{"))
    if (auto parsed = dyn_cast_or_null<DictionaryAttr>(parseAttribute(dictionary, op.getContext())))
      if (!collectAttributes("", parsed))
        return op.emitError() << "custom call '" << target.getValue()
                              << "' has an attribute of a kind that the C interface cannot pass";
  Value attributes = null();
  if (!entries.empty()) {
    attributes = site.stack(kAttributeBytes * entries.size());
    for (auto [i, entry] : llvm::enumerate(entries)) {
      int64_t base = kAttributeBytes * i;
      put(attributes, base, text(entry.name));
      put(attributes, base + 8, i64(entry.kind));
      put(attributes, base + 16, entry.integer ? entry.integer : i64(0));
      put(attributes, base + 24, entry.real ? entry.real : i64(0));
      put(attributes, base + 32, entry.data ? entry.data : null());
      put(attributes, base + 40, i64(entry.count));
    }
  }
  Value frame = site.stack(kFrameBytes);
  put(frame, 0, text(target.getValue()));
  put(frame, 8, site.context);
  put(frame, 16, i64(op.getInputs().size()));
  put(frame, 24, buffers(op.getInputs(), site.inputs));
  put(frame, 32, i64(op.getOutputs().size()));
  put(frame, 40, buffers(op.getOutputs(), site.outputs));
  put(frame, 48, i64(entries.size()));
  put(frame, 56, attributes);
  put(frame, 64, text(config));
  put(frame, 72, i64(config.size()));
  call("hlort_custom_call", {site.context, frame, site.status});
  return success();
}

LogicalResult emitRuntimeCall(hlo::RuntimeCallOp op, RuntimeCallSite site) {
  CallEmitter emitter(op, site);
  if (op.getCallee() == "fft")
    return emitter.emitFft();
  if (op.getCallee() == "custom_call")
    return emitter.emitCustomCall();
  return emitNotSupported(op.getLoc(), "'" + op.getCallee() + "' in compiled code");
}

void checkRuntimeCalls(ModuleOp module) {
  SmallVector<LLVM::CallOp> calls;
  module.walk([&](LLVM::CallOp call) {
    if (call->removeAttr(kChecked))
      calls.push_back(call);
  });
  for (LLVM::CallOp call : calls) {
    Block *block = call->getBlock(), *rest = block->splitBlock(std::next(call->getIterator()));
    Region *region = block->getParent();
    OpBuilder b(call.getContext());
    Block *leave = b.createBlock(region, region->end());
    LLVM::ReturnOp::create(b, call.getLoc(), call.getResult());
    b.setInsertionPointToEnd(block);
    Value zero = LLVM::ConstantOp::create(b, call.getLoc(), b.getI32Type(), b.getI32IntegerAttr(0));
    Value done =
        LLVM::ICmpOp::create(b, call.getLoc(), LLVM::ICmpPredicate::eq, call.getResult(), zero);
    LLVM::CondBrOp::create(b, call.getLoc(), done, rest, leave);
  }
}

} // namespace hloc
