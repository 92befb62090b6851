// SPDX-License-Identifier: Apache-2.0
// Transforms of one long array, and the plans kept for reuse.

#include "fft/Plan.h"

#include "fft/Workspace.h"
#include "threads/ParallelFor.h"

#include <algorithm>
#include <list>
#include <mutex>

namespace hloc::runtime {

/// Arrays below this length are not worth a second thread.
static constexpr int64_t parallelFrom = 1 << 14;

template <typename T>
void SinglePlan<T>::run(hlort_context *context, const T *in, T *out, bool inverse, T scale) const {
  if (convolution)
    runConvolution(context, in, out, inverse, scale);
  else
    runSplit(n >= parallelFrom ? context : nullptr, in, out, inverse, scale);
}

template <typename T>
void SinglePlan<T>::runSplit(hlort_context *context, const T *in, T *out, bool inverse,
                             T scale) const {
  const FftKernels<T> &kernels = fftKernels<T>();
  const int64_t lanes = kernels.lanes;
  // One more vector than needed keeps the rows from falling on the same cache sets.
  const int64_t stride = (blocks + 1) * lanes;
  Workspace<T> packed(2 * stride * a);
  int64_t offsets[maxLanes];
  for (int64_t lane = 0; lane < lanes; ++lane)
    offsets[lane] = lane;

  const int64_t columnBlock = columns->rows() * 2 * lanes;
  parallelFor(context, blocks, [&](int64_t begin, int64_t end) {
    Workspace<T> scratch(2 * columnBlock);
    for (int64_t block = begin; block < end; ++block) {
      int64_t first = block * lanes, count = std::min(lanes, b - first);
      if (count == lanes)
        kernels.loadColumns(in + 2 * first, b, a, scratch.data(), inverse);
      else
        kernels.loadAny(in + 2 * first, offsets, int(count), b, a, scratch.data(), inverse);
      T *result = columns->run(kernels, scratch.data(), scratch.data() + columnBlock);
      if (rowFactors.empty())
        kernels.storePacked(packed.data() + 2 * first, stride, a, result,
                            laneFactors.data() + block * a * 2 * lanes, nullptr);
      else
        kernels.storePacked(packed.data() + 2 * first, stride, a, result, laneFactors.data(),
                            rowFactors.data() + block * a * 2);
    }
  });

  const int64_t rowBlock = rows->rows() * 2 * lanes;
  parallelFor(context, (a + lanes - 1) / lanes, [&](int64_t begin, int64_t end) {
    Workspace<T> scratch(2 * rowBlock);
    for (int64_t block = begin; block < end; ++block) {
      int64_t first = block * lanes, count = std::min(lanes, a - first);
      kernels.loadPacked(packed.data() + 2 * first * stride, stride, int(count), b, scratch.data());
      T *result = rows->run(kernels, scratch.data(), scratch.data() + rowBlock);
      if (count == lanes)
        kernels.storeColumns(out + 2 * first, a, b, result, inverse, scale);
      else
        kernels.storeAny(out + 2 * first, offsets, int(count), a, b, result, inverse, scale);
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
