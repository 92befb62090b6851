// SPDX-License-Identifier: Apache-2.0
#include "passes/schedule/SortProblem.h"
#include "compiler/hlo/ElementType.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hloc {

/// Buffers and their columns begin at cache lines.
static constexpr int64_t kColumnAlignment = 64;

SortProblem::SortProblem(hlo::SortOp op, hlo::ComputationOp comparator)
    : shape(cast<RankedTensorType>(op.getInputs()[0].getType()).getShape()),
      dimension(op.getDimension()), size(shape[dimension]) {
  for (auto [d, length] : llvm::enumerate(shape))
    if (int64_t(d) != dimension) {
      rowShape.push_back(length);
      rows *= length;
    }
  for (Value input : op.getInputs()) {
    elements.push_back(cast<RankedTensorType>(input.getType()).getElementType());
    sharesBytes |= hlo::getStorageBits(elements.back()) < 8;
  }
  // A position takes half of an entry.
  if (comparator && size < (int64_t(1) << 31))
    keys = SortKey::match(comparator);
}

SmallVector<Type> SortProblem::getColumns() const {
  return keys.empty() ? elements
                      : SmallVector<Type>{IntegerType::get(elements[0].getContext(), 64)};
}

int64_t SortProblem::countDigitPasses(int64_t values) const {
  int64_t passes = 0;
  for (const SortKey &key : keys)
    passes += llvm::divideCeil(key.getBits(), int64_t(llvm::Log2_64(uint64_t(values))));
  return passes;
}

int64_t SortProblem::getDigitsSharedBytes(int64_t values, int64_t parts) const {
  // Which buffer holds the entries before and after each pass, and how often each part has each
  // value.
  return int64_t(
      llvm::alignTo((countDigitPasses(values) + 1) * 8 + parts * values * 4, kColumnAlignment));
}

int64_t SortProblem::getBufferBytes() const { return getColumnBytes(size, getColumns()); }

bool SortProblem::hasWholeKeys() const {
  // 64-bit elements have two keys, the first of which says their full width.
  return elements.size() == 1 && !keys.empty() &&
         keys.size() == (keys[0].width > kKeyBits ? 2 : 1) && keys[0].isReversible();
}

int64_t SortProblem::getVectorBits() const {
  if (hasWholeKeys())
    return keys[0].width > 32 ? 64 : 32;
  return keys.size() == 1 ? 2 * kKeyBits : 0;
}

bool SortProblem::sortsInResult() const {
  return hasWholeKeys() && dimension == int64_t(shape.size()) - 1 &&
         hlo::getStorageBits(elements[0]) == getVectorBits();
}

int64_t SortProblem::getVectorBufferBytes(int64_t vectors, const Target &target) const {
  if (sortsInResult())
    return 0;
  return int64_t(llvm::alignTo(size * getVectorBits() / 8, kColumnAlignment)) +
         vectors * target.vectorBytes;
}

bool canCompress(const Target &target) { return target.hasMaskRegisters || target.hasWordPermute; }

int64_t getAsideBytes(const Target &target) { return target.machine.l1.bytes / 2; }

int64_t getSharedBytes(int64_t parts) {
  // For each part its pivot, where it begins, and whether some element is not what its key gives;
  // the end of the last part, and two places of elements with equal keys.
  return int64_t(llvm::alignTo((3 * parts + 3) * 8, kColumnAlignment));
}

int64_t getColumnBytes(int64_t size, ArrayRef<Type> columns) {
  int64_t bytes = 0;
  for (Type column : columns)
    bytes +=
        llvm::alignTo(llvm::divideCeil(size * hlo::getStorageBits(column), 8), kColumnAlignment);
  return bytes;
}

} // namespace hloc
