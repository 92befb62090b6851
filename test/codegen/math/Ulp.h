// SPDX-License-Identifier: Apache-2.0
// Errors of results in units in the last place.
#ifndef HLOC_TEST_CODEGEN_MATH_ULP_H
#define HLOC_TEST_CODEGEN_MATH_ULP_H

#include <cmath>
#include <limits>

namespace hloc::test {

/// |actual - exact| in units of the last place of `exact` (those of the least normal number below
/// it); infinite if one is NaN or they are different infinities. `Wide` is more precise than
/// `Narrow`.
template <typename Narrow, typename Wide> double ulpError(Narrow actual, Wide exact) {
  using Limits = std::numeric_limits<Narrow>;
  if (std::isnan(exact) || std::isnan(actual))
    return std::isnan(exact) && std::isnan(actual) ? 0 : Limits::infinity();
  Narrow nearest = static_cast<Narrow>(exact);
  if (actual == nearest && (std::isinf(actual) || actual == 0))
    return std::signbit(actual) == std::signbit(nearest) ? 0 : Limits::infinity();
  if (std::isinf(exact))
    return Limits::infinity();
  // An overflow counts as the number after the greatest.
  Wide value = actual;
  if (std::isinf(actual))
    value = std::copysign(std::ldexp(Wide(1), Limits::max_exponent), Wide(actual));
  int exponent = exact == 0 ? Limits::min_exponent : std::ilogb(exact) + 1;
  exponent = std::min(std::max(exponent, Limits::min_exponent), Limits::max_exponent);
  return static_cast<double>(std::ldexp(std::abs(value - exact), Limits::digits - exponent));
}

} // namespace hloc::test

#endif // HLOC_TEST_CODEGEN_MATH_ULP_H
