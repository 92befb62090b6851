// SPDX-License-Identifier: Apache-2.0
// Files of weights, mapped.

#include "hlort/weights.h"
#include "WeightsFormat.h"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace hloc::runtime;

namespace {

const void *getData(const hlort_weights &weights) {
  return __atomic_load_n(&weights.data, __ATOMIC_ACQUIRE);
}

/// The path of the file that is mapped at `address`; empty if there is none.
std::string findFileOf(const void *address) {
  std::string found;
  std::FILE *maps = std::fopen("/proc/self/maps", "re");
  if (!maps)
    return found;
  char *line = nullptr;
  size_t room = 0;
  auto wanted = reinterpret_cast<uintptr_t>(address);
  while (found.empty() && getline(&line, &room, maps) > 0) {
    uintptr_t begin = 0, end = 0;
    int path = 0;
    if (std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %*s %n", &begin, &end, &path) ==
            2 &&
        begin <= wanted && wanted < end && path > 0 && line[path] == '/')
      found.assign(line + path, std::strcspn(line + path, "\n"));
  }
  std::free(line);
  std::fclose(maps);
  return found;
}

/// What is wrong with a file's contents; empty if they are valid.
std::string findFault(const hlort_weights &weights, const void *memory, int64_t bytes) {
  WeightsHeader header;
  if (bytes < int64_t(sizeof header))
    return "are cut off: there are " + std::to_string(bytes) + " bytes";
  std::memcpy(&header, memory, sizeof header);
  if (std::memcmp(header.magic, weightsMagic, sizeof weightsMagic) != 0)
    return "are not weights that hloc has written";
  if (header.version != weightsVersion)
    return "are of version " + std::to_string(header.version) + ", expected " +
           std::to_string(weightsVersion);
  if (header.hash != weights.hash) {
    char text[96];
    std::snprintf(text, sizeof text,
                  "are those of another build: their hash is %016" PRIx64 ", expected %016" PRIx64,
                  header.hash, weights.hash);
    return text;
  }
  if (header.bytes != weights.bytes)
    return "are damaged";
  if (bytes != weights.bytes)
    return (bytes < weights.bytes ? "are cut off: " : "are too long: ") + std::to_string(bytes) +
           " bytes, expected " + std::to_string(weights.bytes);
  if (header.count < 0 ||
      header.count > (bytes - int64_t(sizeof header)) / int64_t(sizeof(WeightsEntry)))
    return "are damaged";
  const auto *table = static_cast<const char *>(memory) + sizeof header;
  if (hashWeights(table, size_t(header.count) * sizeof(WeightsEntry)) != header.hash)
    return "are damaged";
  return {};
}

/// Makes `data` the weights, unless another thread was first. Returns true if it did.
bool publish(hlort_weights &weights, const void *data) {
  const void *none = nullptr;
  return __atomic_compare_exchange_n(&weights.data, &none, data, /*weak=*/false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE);
}

/// Maps the file. If a message is too long, the file's path is cut, not the reason.
int32_t map(hlort_weights &weights, const std::string &path, hlort_status *status) {
  auto fail = [&](int32_t code, const std::string &why) {
    constexpr size_t most = 120;
    std::string shown = path.size() <= most ? path : "..." + path.substr(path.size() - most);
    return hlort_status_set(status, code, "%s: the weights in %s %s", weights.module, shown.c_str(),
                            why.c_str());
  };
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return fail(errno == ENOENT || errno == ENOTDIR ? HLORT_NOT_FOUND : HLORT_INVALID_ARGUMENT,
                std::string("cannot be opened: ") + std::strerror(errno));
  struct stat about = {};
  void *data = MAP_FAILED;
  int32_t code = HLORT_OK;
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode))
    code = fail(HLORT_INVALID_ARGUMENT, "are not a regular file");
  else if (about.st_size < off_t(sizeof(WeightsHeader)))
    code = fail(HLORT_INVALID_ARGUMENT, findFault(weights, nullptr, about.st_size));
  else if ((data = mmap(nullptr, size_t(about.st_size), PROT_READ, MAP_SHARED, file, 0)) ==
           MAP_FAILED)
    code = fail(HLORT_OUT_OF_MEMORY, std::string("cannot be mapped: ") + std::strerror(errno));
  close(file);
  if (code != HLORT_OK)
    return code;
  if (std::string fault = findFault(weights, data, about.st_size); !fault.empty()) {
    munmap(data, size_t(about.st_size));
    return fail(HLORT_INVALID_ARGUMENT, fault);
  }
  if (publish(weights, data))
    weights.mapped = data;
  else // another thread has mapped it
    munmap(data, size_t(about.st_size));
  return HLORT_OK;
}

} // namespace

int32_t hlort_weights_load(hlort_weights *weights, const char *path, hlort_status *status) {
  if (!weights || getData(*weights))
    return HLORT_OK;
  if (path)
    return map(*weights, path, status);
  std::string own = findFileOf(weights);
  size_t folder = own.rfind('/');
  if (folder == std::string::npos)
    return hlort_status_set(status, HLORT_NOT_FOUND,
                            "%s: expected the host to load %s (hlort_weights_load): the module is "
                            "not in a file next to which it could be",
                            weights->module, weights->file);
  return map(*weights, own.substr(0, folder + 1) + weights->file, status);
}

int32_t hlort_weights_use(hlort_weights *weights, const void *memory, int64_t bytes,
                          hlort_status *status) {
  if (!weights)
    return HLORT_OK;
  auto fail = [&](const std::string &why) {
    return hlort_status_set(status, HLORT_INVALID_ARGUMENT, "%s: the weights in memory %s",
                            weights->module, why.c_str());
  };
  if (!memory || bytes < 0 || uintptr_t(memory) % weightsAlignment != 0)
    return fail("are not at a multiple of 64 bytes");
  if (std::string fault = findFault(*weights, memory, bytes); !fault.empty())
    return fail(fault);
  return publish(*weights, memory) ? HLORT_OK
                                   : fail("come too late: the module has weights already");
}

int32_t hlort_weights_verify(hlort_weights *weights, hlort_status *status) {
  if (int32_t code = hlort_weights_load(weights, nullptr, status); code != HLORT_OK || !weights)
    return code;
  const char *data = static_cast<const char *>(getData(*weights));
  WeightsHeader header;
  std::memcpy(&header, data, sizeof header);
  for (int64_t i = 0; i < header.count; ++i) {
    WeightsEntry entry;
    std::memcpy(&entry, data + sizeof header + size_t(i) * sizeof entry, sizeof entry);
    bool isInside = entry.offset >= 0 && entry.bytes >= 0 && entry.offset <= header.bytes &&
                    entry.bytes <= header.bytes - entry.offset;
    if (!isInside || hashWeights(data + entry.offset, size_t(entry.bytes)) != entry.hash)
      return hlort_status_set(status, HLORT_CALL_FAILED,
                              "%s: the weights at byte %" PRId64 " of %s have changed",
                              weights->module, entry.offset, weights->file);
  }
  return HLORT_OK;
}

void hlort_weights_unload(hlort_weights *weights) {
  if (!weights)
    return;
  const void *mapped = weights->mapped;
  weights->mapped = nullptr;
  __atomic_store_n(&weights->data, nullptr, __ATOMIC_RELEASE);
  if (mapped)
    munmap(const_cast<void *>(mapped), size_t(weights->bytes));
}
