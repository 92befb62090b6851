// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/Interleave.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace hloc {

Value pickLanes(ImplicitLocOpBuilder &b, ArrayRef<Value> sources,
                function_ref<int64_t(int64_t)> from) {
  int64_t lanes = cast<VectorType>(sources[0].getType()).getNumElements();
  Value result = sources[0];
  for (int64_t k = 1; k < int64_t(sources.size()); ++k) {
    SmallVector<int64_t> order;
    for (int64_t i = 0; i < lanes; ++i) {
      int64_t number = from(i), source = number / lanes;
      // The lane comes from this source, or from a later one and is undefined so far, or from an
      // earlier one: the first step picks it from source 0, later steps keep it in place.
      order.push_back(source == k ? lanes + number % lanes : source > k ? 0 : k == 1 ? number : i);
    }
    result = vector::ShuffleOp::create(b, result, sources[k], order);
  }
  return result;
}

Value deinterleave(ImplicitLocOpBuilder &b, SmallVector<Value> sources, int64_t which) {
  int64_t lanes = cast<VectorType>(sources[0].getType()).getNumElements();
  while (sources.size() % 2 == 0) {
    SmallVector<int64_t> order;
    for (int64_t i = 0; i < lanes; ++i)
      order.push_back(2 * i + which % 2);
    for (size_t i = 0; i < sources.size() / 2; ++i)
      sources[i] = vector::ShuffleOp::create(b, sources[2 * i], sources[2 * i + 1], order);
    sources.truncate(sources.size() / 2);
    which /= 2;
  }
  return pickLanes(b, sources,
                   [&](int64_t lane) { return lane * int64_t(sources.size()) + which; });
}

SmallVector<Value> interleave(ImplicitLocOpBuilder &b, ArrayRef<Value> sources) {
  int64_t lanes = cast<VectorType>(sources[0].getType()).getNumElements(),
          half = sources.size() / 2;
  SmallVector<Value> result;
  if (sources.size() == 1)
    return {sources[0]};
  if (sources.size() % 2 == 1) {
    int64_t count = sources.size();
    for (int64_t i = 0; i < count; ++i)
      result.push_back(pickLanes(b, sources, [&](int64_t lane) {
        int64_t unit = i * lanes + lane;
        return unit % count * lanes + unit / count;
      }));
    return result;
  }
  // Combine adjacent lanes of vectors that are half of the sources apart; those made from lower
  // lanes precede those made from upper lanes.
  for (int64_t upper : {0, 1}) {
    SmallVector<int64_t> order;
    for (int64_t i = 0; i < lanes; ++i)
      order.push_back(i % 2 * lanes + upper * (lanes / 2) + i / 2);
    SmallVector<Value> pairs;
    for (int64_t i = 0; i < half; ++i)
      pairs.push_back(vector::ShuffleOp::create(b, sources[i], sources[half + i], order));
    result.append(interleave(b, pairs));
  }
  return result;
}

} // namespace hloc
