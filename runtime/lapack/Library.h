// SPDX-License-Identifier: Apache-2.0
// The system's LAPACK, loaded when a custom call first needs it: nothing is linked with it.
#ifndef HLOC_RUNTIME_LAPACK_LIBRARY_H
#define HLOC_RUNTIME_LAPACK_LIBRARY_H

#include "custom/Call.h"

#include <complex>
#include <string>
#include <type_traits>

namespace hloc::runtime {

/// The address of a Fortran routine ("dpotrf_"). Throws a CallFailure if no LAPACK is installed or
/// the one found does not have it.
void *findLapackRoutine(const hlort_custom_call_frame &frame, const std::string &symbol);

template <typename T> struct RealOf {
  using Type = T;
};
template <typename T> struct RealOf<std::complex<T>> {
  using Type = T;
};
template <typename T> using Real = typename RealOf<T>::Type;
template <typename T> inline constexpr bool isComplex = !std::is_same_v<T, Real<T>>;

/// s, d, c or z.
template <typename T>
inline constexpr char typePrefix =
    isComplex<T> ? (sizeof(T) == 8 ? 'c' : 'z') : (sizeof(T) == 4 ? 's' : 'd');
template <typename T>
inline constexpr int32_t elementTypeOf = typePrefix<T> == 's'   ? HLORT_F32
                                         : typePrefix<T> == 'd' ? HLORT_F64
                                         : typePrefix<T> == 'c' ? HLORT_C64
                                                                : HLORT_C128;

/// The routine for type T. By the conventions of Fortran, every argument is passed by reference,
/// and the length of every character argument by value after the others.
template <typename T> class Routine {
public:
  Routine(const hlort_custom_call_frame &frame, const char *name)
      : address(findLapackRoutine(frame, std::string(1, typePrefix<T>) + name + "_")) {}

  template <typename... Arguments> void operator()(Arguments... arguments) const {
    constexpr int characters = (0 + ... + int(std::is_same_v<Arguments, const char *>));
    if constexpr (characters == 0)
      call(arguments...);
    else if constexpr (characters == 1)
      call(arguments..., size_t(1));
    else if constexpr (characters == 2)
      call(arguments..., size_t(1), size_t(1));
    else
      call(arguments..., size_t(1), size_t(1), size_t(1), size_t(1));
  }

private:
  template <typename... Arguments> void call(Arguments... arguments) const {
    reinterpret_cast<void (*)(Arguments...)>(address)(arguments...);
  }
  void *address;
};

/// Finds the built-in call for "lapack_Xroutine_ffi" among those of one file; null if there is
/// none. `routine` comes without prefix and suffix, `prefix` is s, d, c or z.
BuiltinCall findFactorization(std::string_view routine, char prefix);
BuiltinCall findPerturbedSolve(std::string_view routine, char prefix);
BuiltinCall findEigenCall(std::string_view routine, char prefix);
BuiltinCall findSingularValueCall(std::string_view routine, char prefix);

/// The instance of a call for the type that a prefix names.
#define HLORT_LAPACK_INSTANCE(function, prefix)                                                    \
  ((prefix) == 's'   ? BuiltinCall(function<float>)                                                \
   : (prefix) == 'd' ? BuiltinCall(function<double>)                                               \
   : (prefix) == 'c' ? BuiltinCall(function<std::complex<float>>)                                  \
                     : BuiltinCall(function<std::complex<double>>))

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_LAPACK_LIBRARY_H
