// SPDX-License-Identifier: Apache-2.0
// Transforms of one long array, and the cached plans.

#include "fft/Plan.h"

#include "fft/BlockGroup.h"
#include "threads/ParallelFor.h"

#include <algorithm>
#include <list>
#include <mutex>

namespace hloc::runtime {

/// Arrays below this length do not benefit from a second thread.
static constexpr int64_t parallelFrom = 1 << 14;

template <typename T>
void SinglePlan<T>::run(hlort_context *context, const T *in, T *out, bool inverse, T scale) const {
  if (convolution)
    runConvolution(context, in, out, inverse, scale);
  else
    runSplit(n >= parallelFrom ? context : nullptr, in, out, inverse, scale);
}

/// How many blocks a thread takes at a time: few enough for every thread to have a share.
template <typename T>
static int groupOf(hlort_context *context, const LanePlan<T> &plan, int64_t stride,
                   int64_t blocks) {
  int64_t threads = context ? hlort_context_threads(context) : 1;
  return int(
      std::min<int64_t>(groupSize<T>(plan.rows(), stride), (blocks + threads - 1) / threads));
}

// The columns of the a x b matrix, `lanes` of them per block, are transformed, multiplied by the
// factors between the two steps and written block after block. The second step gathers the rows of
// the result from short pieces of all blocks and transforms them as lanes again.
template <typename T>
void SinglePlan<T>::runSplit(hlort_context *context, const T *in, T *out, bool inverse,
                             T scale) const {
  const FftKernels<T> &kernels = fftKernels<T>();
  const int64_t lanes = kernels.lanes, block = 2 * a * lanes;
  Workspace<T> packed(blocks * block);

  const int columnGroup = groupOf<T>(context, *columns, b, blocks);
  const int64_t columnStep = columnGroup * lanes;
  parallelFor(context, (b + columnStep - 1) / columnStep, [&](int64_t begin, int64_t end) {
    BlockGroup<T> group(*columns, columnGroup);
    for (int64_t first = begin * columnStep; first < std::min(b, end * columnStep);
         first += columnStep) {
      int64_t width = std::min(columnStep, b - first);
      group.load(in + 2 * first, b, a, width, inverse);
      for (int i = 0; i < group.count(width); ++i) {
        int64_t number = first / lanes + i;
        group.run(i);
        bool whole = rowFactors.empty();
        kernels.storePacked(packed.data() + number * block, a, group.block(i),
                            laneFactors.data() + (whole ? number * block : 0),
                            whole ? nullptr : rowFactors.data() + number * a * 2);
      }
    }
  });

  const int rowGroup = groupOf<T>(context, *rows, a, (a + lanes - 1) / lanes);
  const int64_t rowStep = rowGroup * lanes;
  parallelFor(context, (a + rowStep - 1) / rowStep, [&](int64_t begin, int64_t end) {
    BlockGroup<T> group(*rows, rowGroup);
    for (int64_t first = begin * rowStep; first < std::min(a, end * rowStep); first += rowStep) {
      int64_t width = std::min(rowStep, a - first);
      for (int i = 0; i < group.count(width); ++i) {
        int64_t row = first + i * lanes;
        kernels.loadPacked(packed.data() + 2 * row * lanes, block, int(std::min(lanes, a - row)), b,
                           group.block(i));
        group.run(i);
      }
      group.store(out + 2 * first, a, b, width, inverse, scale);
    }
  });
}

template <typename T>
void SinglePlan<T>::runConvolution(hlort_context *context, const T *in, T *out, bool inverse,
                                   T scale) const {
  const FftKernels<T> &kernels = fftKernels<T>();
  int64_t m = convolution->n;
  Workspace<T> array(2 * m);
  kernels.multiply(in, chirp.data(), n, array.data(), inverse, false, T(1));
  std::fill(array.data() + 2 * n, array.data() + 2 * m, T(0));
  convolution->run(context, array.data(), array.data(), false, T(1));
  kernels.multiply(array.data(), spectrum.data(), m, array.data(), false, false, T(1));
  convolution->run(context, array.data(), array.data(), true, T(1));
  kernels.multiply(array.data(), chirp.data(), n, out, false, inverse, scale);
}

//===----------------------------------------------------------------------===//
// Plans kept for reuse
//===----------------------------------------------------------------------===//

namespace {

/// Recent values by number, the least recently used dropped first.
template <typename Value> class Cache {
public:
  template <typename Make> std::shared_ptr<const Value> get(int64_t key, Make make) {
    if (std::shared_ptr<const Value> found = find(key))
      return found;
    // Made outside the lock: it takes long and may ask for other plans.
    std::shared_ptr<const Value> made = make(key);
    std::lock_guard lock(mutex);
    entries.push_front({key, made});
    if (entries.size() > most)
      entries.pop_back();
    return made;
  }

  static Cache &instance() {
    static Cache &cache = *new Cache; // Never destroyed, so that threads may outlive main.
    return cache;
  }

private:
  std::shared_ptr<const Value> find(int64_t key) {
    std::lock_guard lock(mutex);
    for (auto entry = entries.begin(); entry != entries.end(); ++entry)
      if (entry->key == key) {
        entries.splice(entries.begin(), entries, entry);
        return entry->value;
      }
    return nullptr;
  }

  struct Entry {
    int64_t key;
    std::shared_ptr<const Value> value;
  };
  static constexpr size_t most = 24;
  std::mutex mutex;
  std::list<Entry> entries;
};

} // namespace

template <typename T> std::shared_ptr<const LanePlan<T>> lanePlan(int64_t n) {
  return Cache<LanePlan<T>>::instance().get(
      n, [](int64_t n) { return std::make_shared<const LanePlan<T>>(n); });
}

template <typename T> std::shared_ptr<const SinglePlan<T>> singlePlan(int64_t n) {
  return Cache<SinglePlan<T>>::instance().get(
      n, [](int64_t n) { return std::make_shared<const SinglePlan<T>>(n); });
}

template <typename T> PlanCosts planCosts(int64_t n) {
  // One cache for each T, because lanes differ.
  struct Costs : PlanCosts {};
  return *Cache<Costs>::instance().get(n, [](int64_t n) {
    return std::make_shared<const Costs>(Costs{estimateCosts(n, fftKernels<T>().lanes)});
  });
}

template <typename T> std::shared_ptr<const Table<T>> realTwiddles(int64_t n) {
  return Cache<Table<T>>::instance().get(n, [](int64_t n) {
    RootsOfUnity<T> roots(n);
    auto table = std::make_shared<Table<T>>(2 * (n / 4 + 1));
    for (int64_t k = 0; k <= n / 4; ++k)
      roots.write(k, table->data() + 2 * k);
    return table;
  });
}

template void SinglePlan<float>::run(hlort_context *, const float *, float *, bool, float) const;
template void SinglePlan<double>::run(hlort_context *, const double *, double *, bool,
                                      double) const;
template std::shared_ptr<const LanePlan<float>> lanePlan<float>(int64_t);
template std::shared_ptr<const LanePlan<double>> lanePlan<double>(int64_t);
template std::shared_ptr<const SinglePlan<float>> singlePlan<float>(int64_t);
template std::shared_ptr<const SinglePlan<double>> singlePlan<double>(int64_t);
template PlanCosts planCosts<float>(int64_t);
template PlanCosts planCosts<double>(int64_t);
template std::shared_ptr<const Table<float>> realTwiddles<float>(int64_t);
template std::shared_ptr<const Table<double>> realTwiddles<double>(int64_t);

} // namespace hloc::runtime
