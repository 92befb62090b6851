// SPDX-License-Identifier: Apache-2.0
// Scratch memory for one call. Freed blocks are kept for the next call, up to a bound, because
// touching fresh pages costs as much as a pass over the data.
#ifndef HLOC_RUNTIME_FFT_WORKSPACE_H
#define HLOC_RUNTIME_FFT_WORKSPACE_H

#include <cstddef>
#include <mutex>
#include <new>
#include <vector>

namespace hloc::runtime {

class WorkspacePool {
public:
  struct Block {
    void *memory;
    size_t size;
  };

  /// A block of at least size bytes; throws std::bad_alloc.
  Block take(size_t size) {
    {
      std::lock_guard lock(mutex);
      for (Block &block : free)
        if (block.size >= size && block.size <= 4 * size) {
          Block found = block;
          block = free.back();
          free.pop_back();
          kept -= found.size;
          return found;
        }
    }
    return {::operator new(size, std::align_val_t(4096)), size};
  }

  void give(Block block) {
    {
      std::lock_guard lock(mutex);
      if (free.size() < mostBlocks && kept + block.size <= mostBytes) {
        free.push_back(block);
        kept += block.size;
        return;
      }
    }
    ::operator delete(block.memory, std::align_val_t(4096));
  }

  /// The one pool of the process; never destroyed, so that threads may outlive main.
  static WorkspacePool &get() {
    static WorkspacePool &pool = *new WorkspacePool;
    return pool;
  }

  WorkspacePool() { free.reserve(mostBlocks); }

private:
  static constexpr size_t mostBlocks = 64, mostBytes = size_t(64) << 20;
  std::mutex mutex;
  std::vector<Block> free;
  size_t kept = 0;
};

/// Scratch for count numbers, aligned to a page.
template <typename T> class Workspace {
public:
  explicit Workspace(size_t count)
      : block(WorkspacePool::get().take((count ? count : 1) * sizeof(T))) {}
  ~Workspace() { WorkspacePool::get().give(block); }
  Workspace(const Workspace &) = delete;
  Workspace &operator=(const Workspace &) = delete;

  T *data() const { return static_cast<T *>(block.memory); }

private:
  WorkspacePool::Block block;
};

} // namespace hloc::runtime

#endif // HLOC_RUNTIME_FFT_WORKSPACE_H
