// SPDX-License-Identifier: Apache-2.0

#include "program/NpyHeader.h"

#include <charconv>

namespace hloc::runtime {

static constexpr std::string_view magic = "\x93NUMPY";

/// Removes `prefix` from the front of `text`. Returns false if it is not there.
static bool consume(std::string_view &text, std::string_view prefix) {
  if (!text.starts_with(prefix))
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

static void skipBlanks(std::string_view &text) {
  while (!text.empty() && text[0] == ' ')
    text.remove_prefix(1);
}

/// Text after `'key':` in the header's dictionary, without leading blanks; empty if it is not
/// there.
static std::string_view findField(std::string_view dictionary, std::string_view key) {
  std::string quoted = "'" + std::string(key) + "'";
  size_t at = dictionary.find(quoted);
  if (at == std::string_view::npos)
    return {};
  std::string_view rest = dictionary.substr(at + quoted.size());
  skipBlanks(rest);
  if (!consume(rest, ":"))
    return {};
  skipBlanks(rest);
  return rest;
}

/// Reads "2, 3)" or "2,)".
static bool readShape(std::string_view text, std::vector<int64_t> &shape) {
  while (true) {
    skipBlanks(text);
    if (consume(text, ")"))
      return true;
    int64_t size = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || size < 0)
      return false;
    shape.push_back(size);
    text.remove_prefix(size_t(end - text.data()));
    skipBlanks(text);
    if (!consume(text, ",") && !text.starts_with(")"))
      return false;
  }
}

std::optional<NpyHeader> readNpyHeader(std::string_view file) {
  if (!file.starts_with(magic) || file.size() < 12)
    return std::nullopt;
  auto byte = [&](size_t at) { return size_t(uint8_t(file[at])); };
  bool first = file[6] == 1;
  size_t start = first ? 10 : 12, length = byte(8) | byte(9) << 8;
  if (!first)
    length |= byte(10) << 16 | byte(11) << 24;
  if (length > file.size() - start)
    return std::nullopt;
  std::string_view dictionary = file.substr(start, length);
  NpyHeader header;
  header.dataOffset = start + length;

  std::string_view type = findField(dictionary, "descr");
  if (!consume(type, "'"))
    return std::nullopt;
  type = type.substr(0, type.find('\''));
  if (type.starts_with("<") || type.starts_with("|") || type.starts_with("="))
    type.remove_prefix(1);
  header.type = type;

  std::string_view order = findField(dictionary, "fortran_order");
  header.columnMajor = order.starts_with("True");
  if (!header.columnMajor && !order.starts_with("False"))
    return std::nullopt;

  std::string_view shape = findField(dictionary, "shape");
  if (!consume(shape, "(") || !readShape(shape, header.shape))
    return std::nullopt;
  return header;
}

std::string joinSizes(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : ",") + std::to_string(size);
  return text;
}

std::string makeNpyHeader(const std::string &type, const std::vector<int64_t> &shape) {
  bool single = type.substr(1) == "1";
  std::string text = std::string("{'descr': '") + (single ? "|" : "<") + type +
                     "', 'fortran_order': False, 'shape': (" + joinSizes(shape) +
                     (shape.size() == 1 ? ",), }" : "), }");
  // Blanks up to a multiple of 64, where the elements begin, and a line end.
  constexpr size_t before = 10;
  size_t total = (before + text.size() + 1 + 63) / 64 * 64, length = total - before;
  text.resize(length - 1, ' ');
  std::string header(magic);
  header += {1, 0, char(length & 255), char(length >> 8)};
  return header + text + '\n';
}

} // namespace hloc::runtime
