// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/Interleave.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/Sequence.h"

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

/// The lanes of all `parts`, a power of two, one part after the other.
static Value concatenate(ImplicitLocOpBuilder &b, SmallVector<Value> parts) {
  while (parts.size() > 1) {
    int64_t lanes = cast<VectorType>(parts[0].getType()).getNumElements();
    auto order = llvm::to_vector(llvm::seq<int64_t>(0, 2 * lanes));
    for (size_t i = 0; i < parts.size() / 2; ++i)
      parts[i] = vector::ShuffleOp::create(b, parts[2 * i], parts[2 * i + 1], order);
    parts.truncate(parts.size() / 2);
  }
  return parts[0];
}

/// Takes the vectors for pieces of as many lanes as there are vectors: in each piece, lane i of the
/// result is lane `which` of vector i. Lanes move only within pieces, for which processors have
/// instructions.
static Value transposePieces(ImplicitLocOpBuilder &b, SmallVector<Value> vectors, int64_t which) {
  int64_t size = vectors.size(), lanes = cast<VectorType>(vectors[0].getType()).getNumElements();
  // Each step pairs vectors, interleaves runs of `run` lanes, and keeps the half with lane `which`.
  for (int64_t run = 1; run < size; run *= 2) {
    int64_t half = size / 2, first = which & (half / run) ? half : 0;
    SmallVector<int64_t> order;
    for (int64_t piece = 0; piece < lanes; piece += size)
      for (int64_t lane = first; lane < first + half; lane += run)
        for (int64_t of : {int64_t(0), lanes})
          for (int64_t i = 0; i < run; ++i)
            order.push_back(of + piece + lane + i);
    for (size_t i = 0; i < vectors.size() / 2; ++i)
      vectors[i] = vector::ShuffleOp::create(b, vectors[2 * i], vectors[2 * i + 1], order);
    vectors.truncate(vectors.size() / 2);
  }
  return vectors[0];
}

Value takeColumn(ImplicitLocOpBuilder &b, ArrayRef<Value> rows, int64_t column) {
  size_t columns = cast<VectorType>(rows[0].getType()).getNumElements();
  // Piece q of vector j is row number q * columns + j.
  SmallVector<Value> vectors;
  for (size_t j = 0; j < columns; ++j) {
    SmallVector<Value> pieces;
    for (size_t row = j; row < rows.size(); row += columns)
      pieces.push_back(rows[row]);
    vectors.push_back(concatenate(b, pieces));
  }
  return transposePieces(b, vectors, column);
}

Value takeRow(ImplicitLocOpBuilder &b, ArrayRef<Value> columns, int64_t row) {
  int64_t size = columns.size();
  Value rows = transposePieces(b, llvm::to_vector(columns), row % size);
  int64_t first = row / size * size;
  auto piece = llvm::to_vector(llvm::seq<int64_t>(first, first + size));
  return vector::ShuffleOp::create(b, rows, rows, piece);
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
