// SPDX-License-Identifier: Apache-2.0
// Messages of queues: arrays in memory of their own or in memory that the host has lent, and what
// errors say of them. Test: test/runtime/TransferTest.cpp.
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
  hloc::runtime::Name origin{0, 0}; ///< the instruction that gave it, or the host
  hlort_release release = nullptr;
  void *user = nullptr;
};

namespace hloc::runtime {

/// Frees a message that leaves its queue; lent memory goes back with HLORT_CANCELLED.
struct FreeMessage {
  void operator()(hlort_message *message) const;
};
using OwnedMessage = std::unique_ptr<hlort_message, FreeMessage>;

/// Bytes that an array takes in memory; -1 if its description makes no sense.
int64_t getBytes(const hlort_buffer &buffer);

/// Whether `count` buffers can be transferred; says why not.
int32_t checkBuffers(int64_t count, const hlort_buffer *buffers, hlort_status *status);

/// Arrays that messages are made of and copied to. Where `sizes` has an entry, those at `buffers`
/// lie in a module's memory as arrays of their bounds (transfer/Sizes.h); messages are as the host
/// sees them.
struct Arrays {
  int64_t count;
  const hlort_buffer *buffers;
  int64_t *const *sizes = nullptr;
};

/// A message with a copy of the arrays, or, if `lent`, of their descriptions alone. Null if there
/// is no memory. The arrays have been checked.
OwnedMessage makeMessage(const Arrays &arrays, bool lent, const Name &origin, hlort_status *status);

/// Copies the data of a message into `arrays`, which must be of its types, sizes and layouts; sizes
/// that are -1 are set. Otherwise nothing is copied, and the status says that `who` expected one
/// thing and the origin gave the other.
int32_t copyMessage(const hlort_message &message, const Arrays &arrays, const Name &who,
                    hlort_status *status);

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_TRANSFER_MESSAGE_H
