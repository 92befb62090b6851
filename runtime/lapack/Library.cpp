// SPDX-License-Identifier: Apache-2.0
// Loading the system's LAPACK.

#include "lapack/Library.h"

#include <dlfcn.h>

#include <mutex>
#include <tuple>

namespace hloc::runtime {

#if defined(__APPLE__)
static constexpr const char *libraryNames[] = {
    "libopenblas.dylib", "/System/Library/Frameworks/Accelerate.framework/Accelerate"};
#else
static constexpr const char *libraryNames[] = {"libopenblas.so.0", "liblapack.so.3",
                                               "liblapack.so"};
#endif

/// OpenBLAS starts one thread for each core when it is loaded. Unless the host itself had loaded
/// it, stop them: batches run on the context's threads, and results must not depend on their
/// number.
static void stopLibraryThreads(void *library) {
  if (void *set = dlsym(library, "openblas_set_num_threads"))
    reinterpret_cast<void (*)(int)>(set)(1);
  if (void *shutdown = dlsym(library, "blas_thread_shutdown_"))
    reinterpret_cast<int (*)()>(shutdown)();
}

static void *loadLibrary() {
  for (const char *name : libraryNames) {
    if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD))
      return library;
    if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
      stopLibraryThreads(library);
      return library;
    }
  }
  return nullptr;
}

void *findLapackRoutine(const hlort_custom_call_frame &frame, const std::string &symbol) {
  static std::mutex mutex;
  static void *library = nullptr;
  std::lock_guard lock(mutex);
  if (!library)
    library = loadLibrary();
  if (!library)
    fail(frame, HLORT_NOT_FOUND,
         std::string("needs LAPACK, and neither ") + libraryNames[0] + " nor " + libraryNames[1] +
             " can be loaded: install OpenBLAS or LAPACK");
  void *address = dlsym(library, symbol.c_str());
  if (!address)
    fail(frame, HLORT_NOT_FOUND, "the LAPACK library found has no routine " + symbol);
  return address;
}

/// Calls the routine of a target without a type in its name.
static void callForType(const hlort_custom_call_frame &frame, std::string_view real,
                        std::string_view complex,
                        BuiltinCall (*find)(std::string_view, char) = findFactorization) {
  int32_t type = frame.operand_count > 0 ? frame.operands[0].element_type : 0;
  for (auto [element, prefix, routine] :
       {std::tuple(HLORT_F32, 's', real), std::tuple(HLORT_F64, 'd', real),
        std::tuple(HLORT_C64, 'c', complex), std::tuple(HLORT_C128, 'z', complex)})
    if (type == element)
      return find(routine, prefix)(frame);
  fail(frame, HLORT_UNSUPPORTED, "not for element type " + std::to_string(type));
}

static void qr(const hlort_custom_call_frame &frame) { callForType(frame, "geqrf", "geqrf"); }
static void multiplyReflectors(const hlort_custom_call_frame &frame) {
  callForType(frame, "orgqr", "ungqr");
}
static void eigh(const hlort_custom_call_frame &frame) {
  callForType(frame, "eigh", "eigh", findEigenCall);
}
static void solvePerturbed(const hlort_custom_call_frame &frame) {
  callForType(frame, "perturbed", "perturbed", findPerturbedSolve);
}

BuiltinCall findLapackCall(std::string_view target) {
  if (target == "Qr")
    return qr;
  if (target == "ProductOfElementaryHouseholderReflectors")
    return multiplyReflectors;
  if (target == "Eigh")
    return eigh;
  if (target == "tridiagonal_solve_perturbed_ffi")
    return solvePerturbed;
  constexpr std::string_view front = "lapack_", back = "_ffi";
  if (!target.starts_with(front) || !target.ends_with(back) ||
      target.size() < front.size() + back.size() + 2)
    return nullptr;
  char prefix = target[front.size()];
  if (std::string_view("sdcz").find(prefix) == std::string_view::npos)
    return nullptr;
  std::string_view routine = target.substr(front.size() + 1);
  routine.remove_suffix(back.size());
  for (auto find : {findFactorization, findEigenCall, findSingularValueCall})
    if (BuiltinCall call = find(routine, prefix))
      return call;
  return nullptr;
}

} // namespace hloc::runtime
