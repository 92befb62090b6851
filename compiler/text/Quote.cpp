// SPDX-License-Identifier: Apache-2.0
#include "compiler/text/Quote.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace hloc::text {

bool unescape(StringRef text, std::string &value) {
  value.clear();
  value.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      value += text[i];
      continue;
    }
    if (++i == text.size())
      return false;
    static constexpr StringRef kLetters = "abfnrtv\\'\"?", kValues = "\a\b\f\n\r\t\v\\'\"?";
    if (size_t letter = kLetters.find(text[i]); letter != StringRef::npos) {
      value += kValues[letter];
    } else if (text[i] >= '0' && text[i] <= '7') {
      unsigned code = 0;
      size_t end = std::min(i + 3, text.size());
      for (; i < end && text[i] >= '0' && text[i] <= '7'; ++i)
        code = code * 8 + (text[i] - '0');
      --i;
      value += char(code);
    } else if (text[i] == 'x' || text[i] == 'X') {
      unsigned code = 0;
      size_t first = ++i;
      for (; i < text.size() && isHexDigit(text[i]); ++i)
        code = code * 16 + hexDigitValue(text[i]);
      if (i == first || i - first > 2)
        return false;
      --i;
      value += char(code);
    } else {
      return false;
    }
  }
  return true;
}

std::string quote(StringRef value) {
  std::string text = "\"";
  for (unsigned char c : value) {
    switch (c) {
    case '\n':
      text += "\\n";
      break;
    case '\r':
      text += "\\r";
      break;
    case '\t':
      text += "\\t";
      break;
    case '"':
    case '\\':
    case '\'':
      text += '\\';
      text += char(c);
      break;
    default:
      if (isPrint(c)) {
        text += char(c);
      } else {
        text += '\\';
        for (int shift : {6, 3, 0})
          text += char('0' + (c >> shift & 7));
      }
    }
  }
  return text + '"';
}

std::string squeeze(StringRef text) {
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    char c = text[i];
    if (c == '"' || c == '\'') {
      size_t end = i + 1;
      while (end < text.size() && text[end] != c)
        end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
      result.append(text.begin() + i, text.begin() + end);
      i = end;
    } else if (isSpace(c) ||
               (c == '/' && i + 1 < text.size() && (text[i + 1] == '*' || text[i + 1] == '/'))) {
      if (c == '/') {
        size_t end = text[i + 1] == '*' ? text.find("*/", i + 2) : text.find_first_of("\r\n", i);
        i = end == StringRef::npos ? text.size() : end + (text[i + 1] == '*' ? 2 : 0);
      } else {
        ++i;
      }
      if (!result.empty() && result.back() != ' ')
        result += ' ';
    } else {
      result += c;
      ++i;
    }
  }
  return result;
}

std::string unquote(StringRef verbatim) {
  std::string value;
  if (verbatim.size() >= 2 && verbatim.front() == verbatim.back() &&
      (verbatim.front() == '"' || verbatim.front() == '\'') &&
      unescape(verbatim.drop_front().drop_back(), value))
    return value;
  return verbatim.str();
}

} // namespace hloc::text
