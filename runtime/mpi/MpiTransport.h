// SPDX-License-Identifier: Apache-2.0
// Messages of bytes over MPI. MPI's tags are too small for hlort's, and MPI cannot cancel a message
// that it has begun to send, so every message is sent in chunks that are copied to memory of the
// transport, each with an envelope: MPI never has the address of a host's or a module's array,
// whatever fails.
//
// Every call makes progress on all messages of the process. One lock is held around MPI.
// Test: test/runtime/collective/MpiTest.cpp.
#ifndef HLOC_RUNTIME_MPI_TRANSPORT_H
#define HLOC_RUNTIME_MPI_TRANSPORT_H

#include "hlort/mpi.h"

#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <tuple>
#include <vector>

/// A message that this process sends or receives.
struct hlort_delivery {
  int32_t from, to;
  hlort_tag tag;
  const char *source; // of a send
  char *target;       // of a receive
  int64_t room;       // bytes of either
  int64_t moved = 0;
  bool isDone = false, isTooLong = false;
  uint64_t id = 0; // of a send
  int32_t inFlight = 0;
};

namespace hloc::runtime {

class MpiTransport {
public:
  /// `ends`: by process, the first participant after its own.
  MpiTransport(MPI_Comm comm, std::vector<int32_t> ends) : comm(comm), ends(std::move(ends)) {}
  ~MpiTransport();

  int32_t send(int32_t self, int32_t peer, hlort_tag tag, const void *data, int64_t bytes,
               hlort_delivery **transfer, hlort_status *status);
  int32_t receive(int32_t self, int32_t peer, hlort_tag tag, void *data, int64_t bytes,
                  hlort_delivery **transfer);
  int32_t test(hlort_delivery *transfer, int32_t *done, int64_t *bytes, hlort_status *status);
  void cancel(hlort_delivery *transfer);
  void wait(int64_t microseconds);
  void discard(int32_t self, uint64_t conversation);

private:
  /// There was no memory for a chunk, which may be lost.
  static constexpr int32_t kNoMemory = MPI_ERR_NO_MEM;
  /// The beginning of a chunk.
  struct Envelope {
    int32_t from, to;
    hlort_tag tag;
    uint64_t id; // of the message, by its sender
    int64_t total, offset;
    int64_t bytes; // in this chunk; -1: the message ends here, unfinished
  };
  /// A chunk that MPI is sending.
  struct Chunk {
    std::vector<char> bytes;
    MPI_Request request = MPI_REQUEST_NULL;
    hlort_delivery *transfer; // null if it was cancelled
  };
  /// A chunk that MPI is receiving: in several steps if it is long, and forever if its sender is
  /// killed in the meantime.
  struct Arriving {
    int process;
    std::vector<char> bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  /// A message that has not been asked for yet.
  struct Unexpected {
    std::vector<char> bytes;
    int64_t arrived = 0;
    hlort_delivery *receiver = nullptr; // that has asked for it since
  };
  /// Where the next chunks of a message are stored; if neither is set, they are dropped.
  struct Assembly {
    hlort_delivery *receiver = nullptr;
    std::shared_ptr<Unexpected> unexpected;
  };
  using Key = std::tuple<int32_t, int32_t, uint64_t, uint64_t>; // from, to, tag
  using MessageKey = std::tuple<int32_t, int32_t, uint64_t>;    // from, to, id

  static Key keyOf(int32_t from, int32_t to, hlort_tag tag) {
    return {from, to, tag.conversation, tag.number};
  }
  int processOf(int32_t participant) const;
  int32_t post(hlort_delivery &send);
  int32_t postChunk(int process, const Envelope &envelope, const char *data,
                    hlort_delivery *transfer);
  void deliver(const Envelope &envelope, const char *data);
  void forget(hlort_delivery &transfer);
  void complete(hlort_delivery &receiver, const Unexpected &message);
  bool progress();
  bool progressSends();
  bool progressReceives();
  void beginReceives();

  MPI_Comm comm;
  const std::vector<int32_t> ends;
  std::mutex mutex;
  uint64_t nextId = 1;
  std::list<Chunk> chunks;
  std::set<hlort_delivery *> sending; // with chunks that are not posted yet
  std::map<Key, std::deque<hlort_delivery *>> posted;
  std::map<Key, std::deque<std::shared_ptr<Unexpected>>> unexpected;
  std::map<MessageKey, Assembly> assemblies;
  std::deque<std::pair<int32_t, uint64_t>>
      discarded;                        // participants and conversations, the last ones
  std::list<Arriving> arriving;         // in the order in which they were sent
  std::vector<std::vector<char>> spare; // memory of chunks that have arrived
  int32_t failure = MPI_SUCCESS;        // of MPI; with kNoMemory there is no further progress
};

/// Makes a transport of an MpiTransport: hlort_mpi_create without the communicator.
int32_t openMpiTransport(MPI_Comm processes, int32_t participantsHere, int32_t *first,
                         hlort_transport *transport, hlort_status *status);

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_MPI_TRANSPORT_H
