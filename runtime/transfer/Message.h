// SPDX-License-Identifier: Apache-2.0
// Messages of queues: arrays in separate memory or in memory that the host has lent, and their
// descriptions in errors. Test: test/runtime/TransferTest.cpp.
#ifndef HLOC_RUNTIME_TRANSFER_MESSAGE_H
#define HLOC_RUNTIME_TRANSFER_MESSAGE_H

#include "transfer/Name.h"

#include <cstddef>
#include <memory>

/// One allocation: this, the buffers' descriptions and, unless lent, their data.
struct hlort_message {
  hlort_message *next = nullptr; ///< in a queue
  hlort_buffer *buffers = nullptr;
  int64_t count = 0;
  hloc::runtime::Name origin{0, 0}; ///< the instruction that sent it, or the host
  hlort_release release = nullptr;
  void *user = nullptr;
};

namespace hloc::runtime {

/// Frees a message that leaves its queue; lent memory is released with HLORT_CANCELLED.
struct FreeMessage {
  void operator()(hlort_message *message) const;
};
using OwnedMessage = std::unique_ptr<hlort_message, FreeMessage>;

/// Bytes of an array in memory; -1 if its description is invalid.
int64_t getBytes(const hlort_buffer &buffer);

/// HLORT_OK if `count` buffers can be transferred; otherwise the status says why not.
int32_t checkBuffers(int64_t count, const hlort_buffer *buffers, hlort_status *status);

/// Arrays that messages are made from and copied to. Those with an entry in `sizes` have the
/// positions of arrays of their bounds in a module's memory (transfer/Sizes.h); messages have the
/// form that the host sees.
struct Arrays {
  int64_t count;
  const hlort_buffer *buffers;
  int64_t *const *sizes = nullptr;
};

/// A message with a copy of the arrays, or, if `lent`, only of their descriptions. Null if there is
/// no memory. The arrays have been checked.
OwnedMessage makeMessage(const Arrays &arrays, bool lent, const Name &origin, hlort_status *status);

/// Copies the data of a message into `arrays`, which must have its types, sizes and layouts; sizes
/// that are -1 are set. Otherwise nothing is copied, and the status says what `who` expected and
/// what the origin gave.
int32_t copyMessage(const hlort_message &message, const Arrays &arrays, const Name &who,
                    hlort_status *status);

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_TRANSFER_MESSAGE_H
