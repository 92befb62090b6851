// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/Npy.h"
#include "compiler/driver/OutputFiles.h"
#include "compiler/hlo/ElementType.h"
#include "compiler/hlo/Literal.h"
#include "compiler/hlo/infer/Shape.h"
#include "compiler/text/InputFile.h"
#include "compiler/text/Shape.h"
#include "runtime/program/NpyHeader.h"

using namespace mlir;

namespace hloc {

namespace {

llvm::Error fault(StringRef file, const Twine &message) {
  return llvm::createStringError(file + ": error: " + message);
}

/// The NumPy type that an element type is stored as.
std::string storedType(Type element) {
  std::string bytes = std::to_string(hlo::getLiteralElementBytes(element));
  if (hlo::isPred(element))
    return "b1";
  if (isa<ComplexType>(element))
    return "c" + bytes;
  if (isa<FloatType>(element))
    return (element.isF16() || element.isF32() || element.isF64() ? "f" : "u") + bytes;
  return (element.isUnsignedInteger() ? "u" : "i") + bytes;
}

/// HLO's name of a NumPy type, or NumPy's if HLO has none.
std::string hloName(StringRef type) {
  if (type == "b1")
    return "pred";
  int bytes = 0;
  if (!StringRef("iufc").contains(type.take_front()) || type.drop_front().getAsInteger(10, bytes))
    return ("'" + type + "'").str();
  return (type[0] == 'i' ? "s" : type.take_front().str()) + std::to_string(8 * bytes);
}

/// Index of the first stored value that the type cannot represent, such as 9 for s4; -1 if none.
int64_t findForeignValue(const HostArray &array) {
  Type element = array.getElementType();
  if (!isa<IntegerType>(element) || element.getIntOrFloatBitWidth() >= 8)
    return -1;
  HostArray wrapped = array;
  for (int64_t i = 0, count = array.getCount(); i < count; ++i) {
    wrapped.set(i, array.get(i));
    if (wrapped.bytes[i] != array.bytes[i])
      return i;
  }
  return -1;
}

} // namespace

llvm::Expected<HostArray> readNpy(StringRef file, RankedTensorType type, StringRef role) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      readInputFile(file, /*isText=*/false);
  if (!buffer)
    return fault(file, llvm::toString(buffer.takeError()));
  StringRef data = (*buffer)->getBuffer();
  std::optional<runtime::NpyHeader> read = runtime::readNpyHeader(data);
  if (!read)
    return fault(file, data.starts_with("\x93NUMPY")
                           ? "has a header that is not understood: expected one array of numbers"
                           : "is not an .npy file");
  const runtime::NpyHeader &header = *read;
  if (StringRef(header.type).starts_with(">"))
    return fault(file, "holds big-endian numbers, expected little-endian ones");

  SmallVector<int64_t, 6> shape = hlo::getBounds(type);
  bool fits = header.shape.size() == shape.size();
  for (size_t d = 0; fits && d < shape.size(); ++d) {
    int64_t size = header.shape[d];
    fits = type.isDynamicDim(d) ? size >= 0 && size <= shape[d] : size == shape[d];
    shape[d] = size;
  }
  HostArray array(RankedTensorType::get(shape, type.getElementType()), {});
  std::string wanted = storedType(array.getElementType()), stored = hloName(wanted);
  if (header.type != wanted || !fits) {
    bool plain = stored == text::getElementName(array.getElementType());
    return fault(file, "holds " + hloName(header.type) + "[" + runtime::joinSizes(header.shape) +
                           "], but " + role + " is " + hlo::toText(Type(type)) +
                           (plain ? "" : ", stored as " + stored));
  }
  if (header.columnMajor && header.shape.size() > 1)
    return fault(file, "is in column-major (Fortran) order, expected row-major order");

  size_t present = data.size() - header.dataOffset;
  size_t expected = array.getCount() * hlo::getLiteralElementBytes(array.getElementType());
  if (present != expected)
    return fault(file, "has " + Twine(present) + " bytes of data, expected " + Twine(expected));
  array.bytes.assign(data.begin() + header.dataOffset, data.end());
  if (int64_t at = findForeignValue(array); at >= 0)
    return fault(file, "element " + Twine(at) + " is no value of " +
                           text::getElementName(array.getElementType()));
  return array;
}

llvm::Error writeNpy(StringRef file, const HostArray &array) {
  std::string header =
      runtime::makeNpyHeader(storedType(array.getElementType()), array.type.getShape().vec());
  OutputFiles files;
  if (llvm::Error error = files.add(file, header.append(array.bytes.begin(), array.bytes.end())))
    return error;
  return files.commit();
}

} // namespace hloc
