// SPDX-License-Identifier: Apache-2.0
// The values that instructions compute: arrays, tuples and tokens. Copies share their memory; a
// value that is not shared may be changed in place.

#ifndef HLOC_COMPILER_EVALUATOR_VALUE_H
#define HLOC_COMPILER_EVALUATOR_VALUE_H

#include "compiler/evaluator/core/Scalar.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <atomic>
#include <functional>
#include <memory>

namespace hloc::evaluator {

using Shape = llvm::SmallVector<int64_t, 6>;

/// The product of the sizes; INT64_MAX if it is larger.
int64_t countElements(llvm::ArrayRef<int64_t> shape);

/// The strides of each dimension, row-major.
Shape rowMajorStrides(llvm::ArrayRef<int64_t> shape);

/// Advances `index` to the next one in row-major order; false after the last.
bool nextIndex(llvm::MutableArrayRef<int64_t> index, llvm::ArrayRef<int64_t> shape);

/// Counts the bytes of arrays, for the memory limit of an evaluation.
using MemoryCount = std::atomic<int64_t>;

/// While an object of this class exists, memory allocated on this thread is counted here.
class MemoryScope {
public:
  explicit MemoryScope(std::shared_ptr<MemoryCount> count);
  ~MemoryScope();
  MemoryScope(const MemoryScope &) = delete;

private:
  std::shared_ptr<MemoryCount> previous;
};

/// An array at its run-time size: of bounded dimensions only the valid part is stored. Elements are
/// row-major in the form that compiler/hlo/Literal.h describes, whatever layout the type has.
class Array {
public:
  ElementType type = ElementType::PRED;
  Shape shape;

  Array() = default;
  /// All zeros.
  Array(ElementType type, llvm::ArrayRef<int64_t> shape);

  int64_t getCount() const { return countElements(shape); }
  int64_t getByteCount() const { return getCount() * getBytes(type); }
  const char *data() const { return bytes->data(); }

  /// Memory to write to. It belongs to this array alone; other arrays that shared it keep the old
  /// one.
  char *mutableData();

  /// The same elements in another shape with as many, without a copy.
  Array reshaped(llvm::ArrayRef<int64_t> newShape) const;

  Scalar get(int64_t linearIndex) const { return loadOne(type, data(), linearIndex); }
  void set(int64_t linearIndex, Scalar value) { storeOne(type, value, mutableData(), linearIndex); }
  int64_t getIndex(int64_t linearIndex) const { return asIndex(type, get(linearIndex)); }

private:
  struct Bytes {
    explicit Bytes(int64_t count);
    ~Bytes();
    char *data() const { return memory.get(); }
    int64_t count;
    std::unique_ptr<char[], void (*)(void *)> memory;
    std::shared_ptr<MemoryCount> counter;
  };
  std::shared_ptr<Bytes> bytes;
};

class Value;

/// The result of an operation in flight, which its done operation waits for.
using Pending = std::function<mlir::FailureOr<Value>(mlir::Operation *done)>;

class Value {
public:
  enum Kind { TokenKind, ArrayKind, TupleKind };
  Value() = default; // a token
  Value(Array array) : kind(ArrayKind), array(std::move(array)) {}
  static Value makeTuple(std::vector<Value> elements);

  bool isToken() const { return kind == TokenKind; }
  bool isArray() const { return kind == ArrayKind; }
  bool isTuple() const { return kind == TupleKind; }

  Array &getArray() {
    assert(isArray());
    return array;
  }
  const Array &getArray() const {
    assert(isArray());
    return array;
  }
  size_t getTupleSize() const { return tuple->elements.size(); }
  const Value &getElement(size_t index) const { return tuple->elements[index]; }
  /// An element of a tuple that is not used again: moved out if it is not shared, otherwise copied.
  Value takeElement(size_t index);

  /// The operation in flight whose start made this tuple; null for others.
  std::shared_ptr<Pending> getPending() const { return tuple ? tuple->pending : nullptr; }
  void setPending(Pending pending);

  /// Appends the arrays of the value (and its tokens if `withTokens`), depth first.
  void flatten(llvm::SmallVectorImpl<Value> &leaves, bool withTokens = false) const;

private:
  struct Tuple {
    std::vector<Value> elements;
    std::shared_ptr<Pending> pending;
  };
  Kind kind = TokenKind;
  Array array;
  std::shared_ptr<Tuple> tuple;
};

//===- From and to MLIR ----------------------------------------------------===//

/// Element type and shape of an array type; dimensions without a size have their bound. Nothing if
/// the type is not an array of HLO or has a dimension without a bound.
std::optional<std::pair<ElementType, Shape>> getArrayType(mlir::Type type);

/// Bytes of a value of the type at its bounds; the sum for tuples, saturating.
int64_t getByteCount(mlir::Type type);

/// Zeros of any type.
Value makeZero(mlir::Type type);

/// The value of a literal: an ElementsAttr, or an array attribute for a tuple.
Value fromAttribute(mlir::Attribute literal);

/// The literal of an array. A large one shares the array's memory.
mlir::ElementsAttr toAttribute(mlir::MLIRContext *context, const Array &array);

} // namespace hloc::evaluator

#endif
