// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/CacheOptions.h"
#include "llvm/Support/MathExtras.h"
#include <cstdlib>

namespace cl = llvm::cl;

namespace hloc {

std::string getCacheFolderOfEnvironment() {
  const char *folder = std::getenv("HLOC_CACHE");
  return folder ? folder : "";
}

CacheOptions::CacheOptions(cl::OptionCategory &category)
    : folder("cache",
             cl::desc("Keep compiled code in this folder and reuse it (default: the variable "
                      "HLOC_CACHE, or else none)"),
             cl::value_desc("folder"), cl::cat(category)),
      size("cache-size",
           cl::desc("Limit of the cache's size, in bytes or with K, M, G (default 1G); the least "
                    "recently used entries are removed"),
           cl::value_desc("size"), cl::cat(category)),
      off("no-cache", cl::desc("Use no cache, even if HLOC_CACHE is set"), cl::cat(category)),
      counts(
          "cache-stats",
          cl::desc("Print on the error stream what was found in the cache and what was compiled"),
          cl::cat(category)) {}

/// Bytes; nothing if the text is not a size.
static std::optional<uint64_t> readSize(llvm::StringRef text) {
  uint64_t number;
  if (text.consumeInteger(10, number))
    return std::nullopt;
  size_t unit = text.empty() ? 0 : llvm::StringRef("KMGT").find(text.front()) + 1;
  if (text.size() > 1 || (!text.empty() && !unit))
    return std::nullopt;
  bool overflows = false;
  uint64_t bytes = llvm::SaturatingMultiply(number, uint64_t(1) << (10 * unit), &overflows);
  return bytes && !overflows ? std::optional(bytes) : std::nullopt;
}

bool CacheOptions::read(CacheSettings &settings, std::string &fault) const {
  settings.folder = folder.getNumOccurrences() ? folder.getValue() : getCacheFolderOfEnvironment();
  if (off)
    settings.folder.clear();
  settings.printsCounts = counts;
  if (!size.getNumOccurrences())
    return true;
  std::optional<uint64_t> bytes = readSize(size);
  if (bytes)
    settings.maxBytes = *bytes;
  else
    fault = "expected --cache-size to be a size, such as 500M, but got '" + size + "'";
  return bytes.has_value();
}

} // namespace hloc
