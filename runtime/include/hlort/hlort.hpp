// SPDX-License-Identifier: Apache-2.0
// hlort for C++ hosts: the base classes of the classes in generated headers. Header only; failures
// are exceptions. Hosts without exceptions use the C interface in hlort.h.
//
// Tests: test/package.
#ifndef HLORT_HLORT_HPP
#define HLORT_HLORT_HPP

#include "hlort/hlort.h"
#include "hlort/weights.h"

#include <array>
#include <complex>
#include <cstddef>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace hlort {

/// A failed run: the message of its status, and its code.
class Error : public std::runtime_error {
public:
  Error(int32_t code, const std::string &message) : std::runtime_error(message), code(code) {}
  const int32_t code;
};

/// Throws if a status is that of a failure.
inline void check(const hlort_status &status) {
  if (status.code != HLORT_OK)
    throw Error(status.code, status.message);
}

/// An hlort_context that is destroyed with this object.
class Context {
public:
  /// `threads`: the threads that one run may use, including the caller's.
  explicit Context(int32_t threads = 1) {
    hlort_status status = {};
    hlort_context_options options = {threads, 0};
    context.reset(hlort_context_create(&options, &status));
    check(status);
  }
  hlort_context *get() const { return context.get(); }

private:
  struct Destroy {
    void operator()(hlort_context *context) const { hlort_context_destroy(context); }
  };
  std::unique_ptr<hlort_context, Destroy> context;
};

/// A list of numbers in a type: sizes, strides.
template <int64_t... numbers> struct List {
  static constexpr std::size_t count = sizeof...(numbers);
  static constexpr std::array<int64_t, count> values = {numbers...};
};

/// A view of an array, indexed by its dimensions: view(i, j). Indices are checked. T is const for
/// arguments.
template <typename T, typename Sizes, typename Strides> class View {
public:
  explicit View(T *data) : elements(data) {}

  static constexpr std::size_t rank() { return Sizes::count; }
  static constexpr int64_t size(std::size_t dimension) { return Sizes::values.at(dimension); }
  /// The number of elements.
  static constexpr int64_t count() {
    int64_t product = 1;
    for (int64_t size : Sizes::values)
      product *= size;
    return product;
  }

  /// The elements in memory order, which is row-major unless the module says otherwise.
  T *data() const { return elements; }
  T *begin() const { return elements; }
  T *end() const { return elements + count(); }

  /// The element at an index for each dimension; std::out_of_range if there is none.
  template <typename... Indices> T &operator()(Indices... indices) const {
    static_assert(sizeof...(Indices) == Sizes::count, "one index for each dimension");
    const std::array<int64_t, Sizes::count> index = {static_cast<int64_t>(indices)...};
    int64_t place = 0;
    for (std::size_t d = 0; d < Sizes::count; ++d) {
      if (index[d] < 0 || index[d] >= Sizes::values[d])
        throw std::out_of_range("index " + std::to_string(index[d]) + " of dimension " +
                                std::to_string(d) + ", whose size is " +
                                std::to_string(Sizes::values[d]));
      place += index[d] * Strides::values[d];
    }
    return elements[place];
  }

private:
  T *elements;
};

/// A view of an array whose sizes are known only at run time: `Bounds` are their limits, and
/// elements have the positions that they have in an array of the bounds. Sizes are 0 at first.
template <typename T, typename Bounds, typename Strides> class BoundedView {
public:
  /// `sizes`: pointers to the sizes of the dimensions, null for those that are always the bound.
  BoundedView(T *data, const std::array<int32_t *, Bounds::count> &sizes)
      : elements(data), sizes(sizes) {}

  static constexpr std::size_t rank() { return Bounds::count; }
  static constexpr int64_t bound(std::size_t dimension) { return Bounds::values.at(dimension); }
  int64_t size(std::size_t dimension) const {
    return sizes.at(dimension) ? *sizes[dimension] : bound(dimension);
  }
  /// Sets a size; throws std::out_of_range if it is negative or more than the bound, or if it is
  /// not the bound of a dimension that always has it.
  void resize(std::size_t dimension, int64_t size) const {
    if (size < 0 || size > bound(dimension) || (!sizes.at(dimension) && size != bound(dimension)))
      throw std::out_of_range("size " + std::to_string(size) + " of dimension " +
                              std::to_string(dimension) + ", whose bound is " +
                              std::to_string(bound(dimension)));
    if (sizes[dimension])
      *sizes[dimension] = static_cast<int32_t>(size);
  }
  /// The number of elements.
  int64_t count() const {
    int64_t product = 1;
    for (std::size_t d = 0; d < Bounds::count; ++d)
      product *= size(d);
    return product;
  }

  T *data() const { return elements; }

  /// The element at an index for each dimension; std::out_of_range if there is none.
  template <typename... Indices> T &operator()(Indices... indices) const {
    static_assert(sizeof...(Indices) == Bounds::count, "one index for each dimension");
    const std::array<int64_t, Bounds::count> index = {static_cast<int64_t>(indices)...};
    int64_t place = 0;
    for (std::size_t d = 0; d < Bounds::count; ++d) {
      if (index[d] < 0 || index[d] >= size(d))
        throw std::out_of_range("index " + std::to_string(index[d]) + " of dimension " +
                                std::to_string(d) + ", whose size is " + std::to_string(size(d)));
      place += index[d] * Strides::values[d];
    }
    return elements[place];
  }

private:
  T *elements;
  std::array<int32_t *, Bounds::count> sizes;
};

/// The buffers for runs of a compiled module; generated classes name and type them. One run at a
/// time; several programs of one module may run at once.
class Program {
public:
  /// Runs `module` with the threads of `context` (null: only the caller's). The arena is allocated
  /// once and used by each run.
  Program(const hlort_module &module, hlort_context *context)
      : module(module), context(context), arguments(std::size_t(module.argument_count)),
        results(std::size_t(module.result_count)), out(results.size()) {
    hlort_status status = {};
    hlort_module_check(&module, &status);
    check(status);
    if (module.arena_bytes)
      arena = allocate(module.arena_bytes, module.arena_alignment);
  }

  /// Computes what runs need from the current values of the parameters that stay the same. Call it
  /// before the first run and after these parameters have changed. Throws Error if it fails. Does
  /// nothing for a module that was compiled without such parameters.
  void prepare() {
    if (!module.preparation)
      return;
    const hlort_preparation &about = *module.preparation;
    for (std::size_t i = 0; i < std::size_t(about.argument); ++i)
      if (about.uses[i] & HLORT_READ_BY_PREPARE)
        argument(i);
    void *block = argument(std::size_t(about.argument));
    hlort_status status = {};
    about.prepare(context, arguments.data(), block, nullptr, &status);
    check(status);
  }

  /// Runs the module on the current contents of the buffers. Throws Error if it fails.
  void run() {
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (isReadByRuns(i))
        argument(i);
    for (std::size_t i = 0; i < results.size(); ++i)
      out[i] = result(i);
    hlort_status status = {};
    module.run(context, arguments.data(), out.data(), arena.get(), &status);
    check(status);
  }

  /// Maps the module's weights from the file at `path`, for all its programs; without it the first
  /// run looks next to the program or library that contains the code. Throws Error if the file is
  /// missing or is not this module's.
  void load_weights(const std::string &path) const {
    hlort_status status = {};
    hlort_weights_load(module.weights, path.c_str(), &status);
    check(status);
  }
  /// Reads all weights and throws Error if they have changed since they were written.
  void verify_weights() const {
    hlort_status status = {};
    hlort_weights_verify(module.weights, &status);
    check(status);
  }

  const hlort_module &descriptor() const { return module; }

protected:
  /// The memory of an argument or result: the host's if it was bound, otherwise the program's own,
  /// which is zero at first.
  void *argument(std::size_t i) { return memory(arguments[i], module.arguments[i]); }
  void *result(std::size_t i) {
    // A result that may share an argument's memory does so, unless it was bound; the argument is
    // then overwritten.
    if (int64_t alias = module.results[i].alias; !results[i] && alias >= 0)
      return argument(std::size_t(alias));
    return memory(results[i], module.results[i]);
  }

  /// Makes an argument or result use memory of the host, which has exactly as many bytes.
  void bindArgument(std::size_t i, void *host, std::size_t bytes) {
    bind(arguments[i], module.arguments[i], host, bytes);
  }
  void bindResult(std::size_t i, void *host, std::size_t bytes) {
    bind(results[i], module.results[i], host, bytes);
  }

private:
  /// False for an argument that only the preparation reads, whose memory runs do not need.
  bool isReadByRuns(std::size_t i) const {
    const hlort_preparation *about = module.preparation;
    return !about || i >= std::size_t(about->argument) || (about->uses[i] & HLORT_READ_BY_RUN);
  }

  struct Free {
    void operator()(void *memory) const { hlort_arena_free(memory); }
  };
  using Memory = std::unique_ptr<void, Free>;

  static Memory allocate(int64_t bytes, int64_t alignment) {
    hlort_status status = {};
    Memory memory(hlort_arena_allocate(bytes, alignment, &status));
    check(status);
    return memory;
  }

  void *memory(void *&buffer, const hlort_port &port) {
    if (!buffer) {
      own.push_back(allocate(port.bytes, 0));
      buffer = own.back().get();
      std::memset(buffer, 0, std::size_t(port.bytes));
    }
    return buffer;
  }

  void bind(void *&buffer, const hlort_port &port, void *host, std::size_t bytes) {
    if (!host || bytes != std::size_t(port.bytes))
      throw std::invalid_argument(std::string(module.name) + ": '" + port.name + "' takes " +
                                  std::to_string(port.bytes) + " bytes, not " +
                                  std::to_string(host ? bytes : 0));
    buffer = host;
  }

  const hlort_module &module;
  hlort_context *context;
  std::vector<void *> arguments, results; // null until bound or first used
  std::vector<void *> out;                // of the current run
  std::vector<Memory> own;
  Memory arena;
};

} // namespace hlort

#endif // HLORT_HLORT_HPP
