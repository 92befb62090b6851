// SPDX-License-Identifier: Apache-2.0

#include "mpi/MpiTransport.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <thread>

namespace hloc::runtime {

static constexpr int kTag = 1;
static constexpr int64_t kChunkBytes = 256 << 10;
/// Chunks of one message that MPI holds at a time.
static constexpr int32_t kInFlight = 4;
/// How many cancelled conversations are remembered.
static constexpr size_t kDiscarded = 64;

MpiTransport::~MpiTransport() {
  int isFinalized = 0;
  MPI_Finalized(&isFinalized);
  if (isFinalized)
    return;
  // Messages in flight are the last that others receive from this process; but some processes may
  // be gone.
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (!chunks.empty() && std::chrono::steady_clock::now() < end)
    progress();
  for (Chunk &chunk : chunks) {
    MPI_Cancel(&chunk.request);
    MPI_Request_free(&chunk.request);
  }
  // MPI may still write to receives from processes that were killed.
  if (!arriving.empty())
    new std::list<Arriving>(std::move(arriving));
  // The communicator is not freed: MPI would give its number to the next one, which would then
  // receive messages that others have sent on this one and nobody has received, such as that they
  // leave.
}

int MpiTransport::processOf(int32_t participant) const {
  return int(std::upper_bound(ends.begin(), ends.end(), participant) - ends.begin());
}

//===- Sending -------------------------------------------------------------------------------===//

int32_t MpiTransport::postChunk(int process, const Envelope &envelope, const char *data,
                                hlort_delivery *transfer) {
  std::list<Chunk> made(1);
  Chunk &chunk = made.front();
  chunk.transfer = transfer;
  chunk.bytes.resize(sizeof envelope + size_t(std::max<int64_t>(envelope.bytes, 0)));
  std::memcpy(chunk.bytes.data(), &envelope, sizeof envelope);
  if (envelope.bytes > 0)
    std::memcpy(chunk.bytes.data() + sizeof envelope, data, size_t(envelope.bytes));
  int code = MPI_Isend(chunk.bytes.data(), int(chunk.bytes.size()), MPI_BYTE, process, kTag, comm,
                       &chunk.request);
  if (code != MPI_SUCCESS)
    return code;
  chunks.splice(chunks.end(), made);
  if (transfer)
    ++transfer->inFlight;
  return MPI_SUCCESS;
}

/// Posts chunks to MPI until kInFlight of this message are in flight.
int32_t MpiTransport::post(hlort_delivery &send) {
  int process = processOf(send.to);
  while (send.inFlight < kInFlight && (send.moved < send.room || send.moved == 0)) {
    Envelope envelope{send.from,
                      send.to,
                      send.tag,
                      send.id,
                      send.room,
                      send.moved,
                      std::min(kChunkBytes, send.room - send.moved)};
    if (int code = postChunk(process, envelope, send.source + send.moved, &send))
      return code;
    send.moved += envelope.bytes;
    if (send.room == 0)
      break;
  }
  if (send.moved < send.room)
    sending.insert(&send);
  else
    sending.erase(&send);
  return MPI_SUCCESS;
}

int32_t MpiTransport::send(int32_t self, int32_t peer, hlort_tag tag, const void *data,
                           int64_t bytes, hlort_delivery **transfer, hlort_status *status) {
  std::lock_guard lock(mutex);
  auto made = std::make_unique<hlort_delivery>(
      hlort_delivery{self, peer, tag, static_cast<const char *>(data), nullptr, bytes});
  made->id = nextId++;
  try {
    if (processOf(peer) == processOf(self)) {
      deliver({self, peer, tag, made->id, bytes, 0, bytes}, made->source);
      made->moved = bytes;
      made->isDone = true;
    } else if (post(*made) != MPI_SUCCESS) {
      forget(*made);
      return hlort_status_set(status, HLORT_CALL_FAILED, "MPI cannot send to participant %d", peer);
    }
  } catch (const std::bad_alloc &) {
    forget(*made);
    throw;
  }
  *transfer = made.release();
  return HLORT_OK;
}

bool MpiTransport::progressSends() {
  bool moved = false;
  for (auto chunk = chunks.begin(); chunk != chunks.end();) {
    int isDone = 0;
    int code = MPI_Test(&chunk->request, &isDone, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS)
      failure = code;
    if (code == MPI_SUCCESS && !isDone) {
      ++chunk;
      continue;
    }
    moved = true;
    hlort_delivery *transfer = chunk->transfer;
    chunk = chunks.erase(chunk);
    if (!transfer)
      continue;
    --transfer->inFlight;
    if (transfer->moved < transfer->room)
      failure = std::max(failure, post(*transfer));
    transfer->isDone = transfer->inFlight == 0 && transfer->moved == transfer->room;
  }
  return moved;
}

//===- Receiving -----------------------------------------------------------------------------===//

/// Passes a complete message to its receiver.
void MpiTransport::complete(hlort_delivery &receiver, const Unexpected &message) {
  receiver.isTooLong = int64_t(message.bytes.size()) > receiver.room;
  receiver.moved = int64_t(message.bytes.size());
  if (!receiver.isTooLong && receiver.moved)
    std::memcpy(receiver.target, message.bytes.data(), message.bytes.size());
  receiver.isDone = true;
}

/// A chunk has come.
void MpiTransport::deliver(const Envelope &envelope, const char *data) {
  MessageKey message{envelope.from, envelope.to, envelope.id};
  Key key = keyOf(envelope.from, envelope.to, envelope.tag);
  if (envelope.offset == 0 && envelope.bytes >= 0) {
    Assembly &assembly = assemblies[message]; // what may fail for lack of memory comes first
    auto receivers = posted.find(key);
    bool isDropped =
        std::find(discarded.begin(), discarded.end(),
                  std::pair(envelope.to, envelope.tag.conversation)) != discarded.end();
    if (receivers != posted.end() && envelope.total <= receivers->second.front()->room) {
      assembly.receiver = receivers->second.front();
      receivers->second.pop_front();
      if (receivers->second.empty())
        posted.erase(receivers);
    } else if (!isDropped) {
      assembly.unexpected = std::make_shared<Unexpected>();
      assembly.unexpected->bytes.resize(size_t(envelope.total));
      if (receivers != posted.end()) { // it is too long; the receiver is told when it is complete
        assembly.unexpected->receiver = receivers->second.front();
        receivers->second.pop_front();
        if (receivers->second.empty())
          posted.erase(receivers);
      } else {
        unexpected[key].push_back(assembly.unexpected);
      }
    }
  }
  auto place = assemblies.find(message);
  if (place == assemblies.end())
    return;
  Assembly &assembly = place->second;
  if (envelope.bytes < 0) { // cancelled by its sender: the receiver finds out by other means
    if (assembly.unexpected) {
      auto queue = unexpected.find(key);
      if (queue != unexpected.end()) {
        std::erase(queue->second, assembly.unexpected);
        if (queue->second.empty())
          unexpected.erase(queue);
      }
    }
    assemblies.erase(place);
    return;
  }
  bool isWhole = envelope.offset + envelope.bytes == envelope.total;
  if (assembly.receiver) {
    std::memcpy(assembly.receiver->target + envelope.offset, data, size_t(envelope.bytes));
    assembly.receiver->moved = envelope.offset + envelope.bytes;
    assembly.receiver->isDone = isWhole;
  } else if (assembly.unexpected) {
    Unexpected &waiting = *assembly.unexpected;
    std::memcpy(waiting.bytes.data() + envelope.offset, data, size_t(envelope.bytes));
    waiting.arrived += envelope.bytes;
    if (isWhole && waiting.receiver)
      complete(*waiting.receiver, waiting);
  }
  if (isWhole)
    assemblies.erase(place);
}

int32_t MpiTransport::receive(int32_t self, int32_t peer, hlort_tag tag, void *data, int64_t bytes,
                              hlort_delivery **transfer) {
  std::lock_guard lock(mutex);
  auto made = std::make_unique<hlort_delivery>(
      hlort_delivery{peer, self, tag, nullptr, static_cast<char *>(data), bytes});
  Key key = keyOf(peer, self, tag);
  auto waiting = unexpected.find(key);
  if (waiting == unexpected.end()) {
    posted[key].push_back(made.get());
    *transfer = made.release();
    return HLORT_OK;
  }
  std::shared_ptr<Unexpected> message = waiting->second.front();
  waiting->second.pop_front();
  if (waiting->second.empty())
    unexpected.erase(waiting);
  if (message->arrived == int64_t(message->bytes.size()))
    complete(*made, *message);
  else
    message->receiver = made.get();
  *transfer = made.release();
  return HLORT_OK;
}

/// Begins to receive all chunks that have been announced.
void MpiTransport::beginReceives() {
  while (true) {
    int isThere = 0, bytes = 0;
    MPI_Message message;
    MPI_Status status;
    int code = MPI_Improbe(MPI_ANY_SOURCE, kTag, comm, &isThere, &message, &status);
    if (code != MPI_SUCCESS)
      failure = code;
    if (code != MPI_SUCCESS || !isThere)
      return;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    std::list<Arriving> made(1);
    Arriving &chunk = made.front();
    chunk.process = status.MPI_SOURCE;
    if (!spare.empty()) {
      chunk.bytes = std::move(spare.back());
      spare.pop_back();
    }
    chunk.bytes.resize(std::max(chunk.bytes.size(), size_t(bytes)));
    code = MPI_Imrecv(chunk.bytes.data(), bytes, MPI_BYTE, &message, &chunk.request);
    if (code != MPI_SUCCESS) {
      failure = code;
      return;
    }
    arriving.splice(arriving.end(), made);
  }
}

/// Delivers what has arrived; chunks of one process in order.
bool MpiTransport::progressReceives() {
  beginReceives();
  bool moved = false;
  std::set<int> waiting;
  for (auto chunk = arriving.begin(); chunk != arriving.end();) {
    int isDone = 0;
    int code = waiting.count(chunk->process)
                   ? MPI_SUCCESS
                   : MPI_Test(&chunk->request, &isDone, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS)
      failure = code;
    if (!isDone) {
      waiting.insert(chunk->process);
      ++chunk;
      continue;
    }
    Envelope envelope;
    std::memcpy(&envelope, chunk->bytes.data(), sizeof envelope);
    deliver(envelope, chunk->bytes.data() + sizeof envelope);
    spare.push_back(std::move(chunk->bytes));
    chunk = arriving.erase(chunk);
    moved = true;
  }
  return moved;
}

bool MpiTransport::progress() {
  if (failure == kNoMemory)
    return false;
  try {
    bool isSent = progressSends();
    return progressReceives() || isSent;
  } catch (const std::bad_alloc &) {
    failure = kNoMemory;
    return false;
  }
}

//===- Both ----------------------------------------------------------------------------------===//

int32_t MpiTransport::test(hlort_delivery *transfer, int32_t *done, int64_t *bytes,
                           hlort_status *status) {
  std::lock_guard lock(mutex);
  if (!transfer->isDone)
    progress();
  if (!transfer->isDone && failure == MPI_SUCCESS) {
    *bytes = transfer->moved;
    return HLORT_OK;
  }
  std::unique_ptr<hlort_delivery> finished(transfer);
  if (!transfer->isDone) {
    forget(*transfer);
    return failure == kNoMemory
               ? hlort_status_set(status, HLORT_OUT_OF_MEMORY, "no memory for messages")
               : hlort_status_set(status, HLORT_CALL_FAILED, "MPI fails with code %d", failure);
  }
  *done = 1;
  *bytes = transfer->moved;
  if (transfer->isTooLong)
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT,
                            "a message of %lld bytes came where at most %lld were expected",
                            (long long)transfer->moved, (long long)transfer->room);
  return HLORT_OK;
}

/// Removes all references to the transfer.
void MpiTransport::forget(hlort_delivery &transfer) {
  sending.erase(&transfer);
  for (Chunk &chunk : chunks)
    if (chunk.transfer == &transfer)
      chunk.transfer = nullptr;
  auto receivers = posted.find(keyOf(transfer.from, transfer.to, transfer.tag));
  if (receivers != posted.end()) {
    std::erase(receivers->second, &transfer);
    if (receivers->second.empty())
      posted.erase(receivers);
  }
  for (auto &[key, assembly] : assemblies) {
    if (assembly.receiver == &transfer)
      assembly.receiver = nullptr;
    if (assembly.unexpected && assembly.unexpected->receiver == &transfer)
      assembly.unexpected.reset();
  }
}

void MpiTransport::cancel(hlort_delivery *transfer) {
  std::lock_guard lock(mutex);
  std::unique_ptr<hlort_delivery> given(transfer);
  forget(*transfer);
  bool isSend = transfer->source || !transfer->target;
  if (!isSend || transfer->moved == transfer->room)
    return;
  try {
    postChunk(processOf(transfer->to),
              {transfer->from, transfer->to, transfer->tag, transfer->id, transfer->room,
               transfer->moved, -1},
              nullptr, nullptr);
  } catch (const std::bad_alloc &) {
    failure = kNoMemory;
  }
}

void MpiTransport::wait(int64_t microseconds) {
  auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
  do {
    {
      std::lock_guard lock(mutex);
      if (progress())
        return;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(10));
  } while (std::chrono::steady_clock::now() < end);
}

void MpiTransport::discard(int32_t self, uint64_t conversation) {
  std::lock_guard lock(mutex);
  std::erase_if(unexpected, [&](const auto &entry) {
    return std::get<1>(entry.first) == self && std::get<2>(entry.first) == conversation;
  });
  try {
    discarded.emplace_back(self, conversation);
  } catch (const std::bad_alloc &) {
    failure = kNoMemory;
    return;
  }
  if (discarded.size() > kDiscarded)
    discarded.pop_front();
}

} // namespace hloc::runtime
