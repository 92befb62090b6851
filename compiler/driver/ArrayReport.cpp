// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/ArrayReport.h"
#include "compiler/hlo/Literal.h"
#include "compiler/text/Shape.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>

using namespace mlir;

namespace hloc {

namespace {

/// |a - b|; 0 where both are the same infinity or both NaN, infinite where only one is.
double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return 0;
  double difference = std::fabs(a - b);
  return std::isnan(difference) ? INFINITY : difference;
}

double distance(Type element, const ElementValue &a, const ElementValue &b) {
  if (isa<ComplexType>(element))
    return std::hypot(distance(a.real, b.real), distance(a.imaginary, b.imaginary));
  if (isa<FloatType>(element))
    return distance(a.real, b.real);
  // Subtracted as unsigned: the difference may exceed int64_t.
  uint64_t x = a.integer, y = b.integer;
  bool less = element.isUnsignedInteger() ? x < y : a.integer < b.integer;
  return double(less ? y - x : x - y);
}

double magnitude(Type element, const ElementValue &value) {
  double size = distance(element, value, ElementValue());
  return std::isfinite(size) ? size : 0;
}

/// Bits of a float as an integer in the order of the values; both zeros are 0.
int64_t orderedBits(const char *bytes, unsigned width) {
  uint64_t pattern = 0;
  std::memcpy(&pattern, bytes, (width + 7) / 8);
  uint64_t sign = uint64_t(1) << (width - 1);
  return pattern & sign ? -int64_t(pattern & ~sign) : int64_t(pattern);
}

/// How many representable values the elements at `position` are apart, the larger of two parts;
/// infinite where only one is NaN. Of floats and complex numbers.
double ulpsApart(const HostArray &a, const HostArray &b, int64_t position) {
  Type element = a.getElementType();
  auto complex = dyn_cast<ComplexType>(element);
  auto part = cast<FloatType>(complex ? complex.getElementType() : element);
  ElementValue x = a.get(position), y = b.get(position);
  if (std::isnan(x.real) != std::isnan(y.real) ||
      std::isnan(x.imaginary) != std::isnan(y.imaginary))
    return INFINITY;
  int64_t size = hlo::getLiteralElementBytes(element), partSize = hlo::getLiteralElementBytes(part);
  bool nan[] = {std::isnan(x.real), std::isnan(x.imaginary)};
  double apart = 0;
  for (int64_t at = 0; at < size; at += partSize) {
    int64_t p = orderedBits(&a.bytes[position * size + at], part.getWidth());
    int64_t q = orderedBits(&b.bytes[position * size + at], part.getWidth());
    if (!nan[at / partSize])
      apart = std::max(apart, double(uint64_t(std::max(p, q)) - uint64_t(std::min(p, q))));
  }
  return apart;
}

/// Whether the elements at `position` have the same bits, part by part, or are both NaN.
bool hasSameBits(const HostArray &a, const HostArray &b, int64_t position) {
  ElementValue x = a.get(position), y = b.get(position);
  auto same = [](double p, double q) {
    return std::isnan(p) ? std::isnan(q) : p == q && std::signbit(p) == std::signbit(q);
  };
  return x.integer == y.integer && same(x.real, y.real) && same(x.imaginary, y.imaginary);
}

std::string indexText(int64_t position, ArrayRef<int64_t> shape) {
  std::string text;
  for (size_t d = shape.size(); d-- > 0; position /= shape[d])
    text = std::to_string(position % shape[d]) + (text.empty() ? "" : ",") + text;
  return "[" + text + "]";
}

} // namespace

std::string findDifference(const HostArray &result, const HostArray &expected,
                           const Tolerance &tolerance) {
  if (result.type != expected.type)
    return text::shapeText(result.type) + " instead of " + text::shapeText(expected.type);
  Type element = result.getElementType();
  int64_t bad = 0, first = 0, count = result.getCount();
  double furthest = 0;
  for (int64_t i = 0; i < count; ++i) {
    ElementValue got = result.get(i), want = expected.get(i);
    double apart = distance(element, got, want);
    bool isNear = !tolerance.sameBits || hasSameBits(result, expected, i);
    if (isNear && std::isfinite(apart) &&
        apart <= tolerance.atol + tolerance.rtol * magnitude(element, want))
      continue;
    if (tolerance.ulp > 0 && !isa<IntegerType>(element) &&
        ulpsApart(result, expected, i) <= double(tolerance.ulp))
      continue;
    first = bad++ == 0 ? i : first;
    furthest = std::max(furthest, apart);
  }
  if (!bad)
    return {};
  std::string text;
  llvm::raw_string_ostream(text) << bad << " of " << count << " elements differ, first at "
                                 << indexText(first, result.type.getShape()) << ": "
                                 << result.getText(first) << " instead of "
                                 << expected.getText(first)
                                 << llvm::format("; the largest difference is %g", furthest);
  return text;
}

double measureDistance(const HostArray &result, const HostArray &expected) {
  Type element = result.getElementType();
  double apart = 0;
  for (int64_t i = 0, count = result.getCount(); i < count; ++i)
    apart = std::max(apart, isa<IntegerType>(element)
                                ? distance(element, result.get(i), expected.get(i))
                                : ulpsApart(result, expected, i));
  return apart;
}

std::string summarize(const HostArray &array) {
  constexpr int64_t kShown = 8;
  int64_t count = array.getCount();
  std::string text = text::shapeText(array.type) + " {";
  for (int64_t i = 0; i < std::min(count, kShown); ++i)
    text += (i ? ", " : "") + array.getText(i);
  text += count > kShown ? ", ...}" : "}";
  if (!isa<FloatType>(array.getElementType()) || !count)
    return text;
  double least = INFINITY, most = -INFINITY, sum = 0;
  int64_t notNumbers = 0;
  for (int64_t i = 0; i < count; ++i) {
    double value = array.get(i).real;
    if (std::isnan(value)) {
      ++notNumbers;
      continue;
    }
    least = std::min(least, value), most = std::max(most, value), sum += value;
  }
  llvm::raw_string_ostream out(text);
  if (notNumbers < count)
    out << llvm::format("  min %g, max %g, mean %g", least, most, sum / double(count - notNumbers));
  if (notNumbers)
    out << "  " << notNumbers << " NaN";
  return text;
}

} // namespace hloc
