// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/ArrayReport.h"
#include "compiler/text/Shape.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;

namespace hloc {

namespace {

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
  const runtime::Element &element = findElement(result.getElementType());
  int64_t bad = 0, first = 0, count = result.getCount();
  double furthest = 0;
  const char *got = result.bytes.data(), *want = expected.bytes.data();
  for (int64_t i = 0; i < count; ++i, got += element.getBytes(), want += element.getBytes()) {
    if (element.isWithin(tolerance, got, want))
      continue;
    first = bad++ == 0 ? i : first;
    furthest = std::max(furthest, element.getDistance(got, want));
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
  const runtime::Element &element = findElement(result.getElementType());
  double apart = 0;
  const char *got = result.bytes.data(), *want = expected.bytes.data();
  for (const char *end = got + result.bytes.size(); got != end;
       got += element.getBytes(), want += element.getBytes())
    apart = std::max(apart, element.isFloating() ? element.getUlpsApart(got, want)
                                                 : element.getDistance(got, want));
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
