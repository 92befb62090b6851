// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/Npy.h"
#include "compiler/hlo/Literal.h"
#include "compiler/text/Shape.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileOutputBuffer.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstring>

using namespace mlir;
namespace endian = llvm::support::endian;

namespace hloc {

namespace {

constexpr StringLiteral kMagic("\x93NUMPY");

/// What the header of a file says.
struct Header {
  std::string type; // kind and bytes, such as "f4"; big-endian types keep their '>'
  SmallVector<int64_t> shape;
  bool columnMajor = false;
  size_t dataOffset = 0;
};

llvm::Error fault(StringRef file, const Twine &message) {
  return llvm::createStringError(file + ": error: " + message);
}

/// NumPy's name of the type that stands for an element type.
std::string storedType(Type element) {
  std::string bytes = std::to_string(hlo::getLiteralElementBytes(element));
  if (element.isInteger(1))
    return "b1";
  if (isa<ComplexType>(element))
    return "c" + bytes;
  if (isa<FloatType>(element))
    return (element.isF16() || element.isF32() || element.isF64() ? "f" : "u") + bytes;
  return (element.isUnsignedInteger() ? "u" : "i") + bytes;
}

/// HLO's name of a NumPy type, or the type itself where HLO has none.
std::string hloName(StringRef type) {
  if (type == "b1")
    return "pred";
  int bytes = 0;
  if (!StringRef("iufc").contains(type.take_front()) || type.drop_front().getAsInteger(10, bytes))
    return ("'" + type + "'").str();
  return (type[0] == 'i' ? "s" : type.take_front().str()) + std::to_string(8 * bytes);
}

/// Text after `'key':` in the header's dictionary, without leading blanks; empty if it is not there.
StringRef field(StringRef dictionary, StringRef key) {
  size_t at = dictionary.find(("'" + key + "'").str());
  if (at == StringRef::npos)
    return {};
  StringRef rest = dictionary.drop_front(at + key.size() + 2).ltrim();
  return rest.consume_front(":") ? rest.ltrim() : StringRef();
}

/// Reads the header; false if it is not one.
bool readHeader(StringRef data, Header &header) {
  if (!data.starts_with(kMagic) || data.size() < 12)
    return false;
  bool first = data[6] == 1;
  size_t start = first ? 10 : 12;
  size_t length = first ? endian::read16le(data.data() + 8) : endian::read32le(data.data() + 8);
  if (length > data.size() - start)
    return false;
  StringRef dictionary = data.substr(start, length);
  header.dataOffset = start + length;

  StringRef type = field(dictionary, "descr");
  if (!type.consume_front("'"))
    return false;
  type = type.take_until([](char c) { return c == '\''; });
  header.type = (type.starts_with(">") ? type : type.ltrim("<|=")).str();

  StringRef order = field(dictionary, "fortran_order");
  header.columnMajor = order.starts_with("True");
  if (!header.columnMajor && !order.starts_with("False"))
    return false;

  StringRef shape = field(dictionary, "shape");
  if (!shape.consume_front("(") || !shape.contains(')'))
    return false;
  SmallVector<StringRef> sizes;
  shape.take_until([](char c) { return c == ')'; }).split(sizes, ',', -1, /*KeepEmpty=*/false);
  for (StringRef size : sizes)
    if (!size.trim().empty() &&
        (size.trim().getAsInteger(10, header.shape.emplace_back()) || header.shape.back() < 0))
      return false;
  return true;
}

/// Index of the first stored value that the type does not have, such as 9 for s4; -1 if none.
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

std::string joinSizes(ArrayRef<int64_t> shape) {
  return llvm::join(llvm::map_range(shape, [](int64_t size) { return std::to_string(size); }), ",");
}

} // namespace

llvm::Expected<HostArray> readNpy(StringRef file, RankedTensorType type, StringRef role) {
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return fault(file, buffer.getError().message());
  StringRef data = (*buffer)->getBuffer();
  Header header;
  if (!readHeader(data, header))
    return fault(file, "is not an .npy file");
  if (StringRef(header.type).starts_with(">"))
    return fault(file, "holds big-endian numbers, expected little-endian ones");

  HostArray array(type, {});
  std::string wanted = storedType(array.getElementType()), stored = hloName(wanted);
  if (header.type != wanted || ArrayRef(header.shape) != array.type.getShape()) {
    bool plain = stored == text::getElementName(array.getElementType());
    return fault(file, "holds " + hloName(header.type) + "[" + joinSizes(header.shape) + "], but " + role + " is " +
                           text::getElementName(array.getElementType()) + "[" +
                           joinSizes(array.type.getShape()) + "]" + (plain ? "" : ", stored as " + stored));
  }
  if (header.columnMajor && header.shape.size() > 1)
    return fault(file, "is in column-major (Fortran) order, expected row-major order");

  size_t present = data.size() - header.dataOffset;
  size_t expected = array.getCount() * hlo::getLiteralElementBytes(array.getElementType());
  if (present != expected)
    return fault(file, "has " + Twine(present) + " bytes of data, expected " + Twine(expected));
  array.bytes.assign(data.begin() + header.dataOffset, data.end());
  if (int64_t at = findForeignValue(array); at >= 0)
    return fault(file, "element " + Twine(at) + " is no value of " + text::getElementName(array.getElementType()));
  return array;
}

llvm::Error writeNpy(StringRef file, const HostArray &array) {
  bool single = hlo::getLiteralElementBytes(array.getElementType()) == 1;
  ArrayRef<int64_t> shape = array.type.getShape();
  std::string text = std::string("{'descr': '") + (single ? "|" : "<") + storedType(array.getElementType()) +
                     "', 'fortran_order': False, 'shape': (" + joinSizes(shape) +
                     (shape.size() == 1 ? ",), }" : "), }");
  // Blanks up to a multiple of 64, where the data begin, and a line's end.
  constexpr size_t kBefore = 10;
  size_t total = llvm::alignTo(kBefore + text.size() + 1, 64);
  text.resize(total - kBefore - 1, ' ');
  text += '\n';

  auto buffer = llvm::FileOutputBuffer::create(file, total + array.bytes.size());
  if (!buffer)
    return fault(file, "cannot be written: " + llvm::toString(buffer.takeError()));
  auto *out = reinterpret_cast<char *>((*buffer)->getBufferStart());
  std::memcpy(out, kMagic.data(), kMagic.size());
  out[6] = 1, out[7] = 0;
  endian::write16le(out + 8, uint16_t(text.size()));
  std::memcpy(out + kBefore, text.data(), text.size());
  if (!array.bytes.empty())
    std::memcpy(out + total, array.bytes.data(), array.bytes.size());
  if (llvm::Error error = (*buffer)->commit())
    return fault(file, "cannot be written: " + llvm::toString(std::move(error)));
  return llvm::Error::success();
}

} // namespace hloc
