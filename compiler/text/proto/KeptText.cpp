// SPDX-License-Identifier: Apache-2.0
#include "compiler/text/proto/KeptText.h"
#include "compiler/text/Lexer.h"
#include "compiler/text/PrintValues.h"
#include "compiler/text/Quote.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace llvm;

namespace hloc::text {

static bool isNamePart(char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '-'; }

std::string makeName(StringRef name) {
  std::string result;
  for (char c : name)
    result += isNamePart(c) ? c : '_';
  if (result.empty() || !(llvm::isAlpha(result[0]) || result[0] == '_'))
    result.insert(result.begin(), '_');
  return result;
}

std::string writeMetadata(const proto::OpMetadata &metadata) {
  SmallVector<std::string> fields;
  auto text = [&](StringRef name, StringRef value) {
    if (!value.empty())
      fields.push_back((name + "=" + quote(value)).str());
  };
  auto number = [&](StringRef name, int64_t value) {
    if (value)
      fields.push_back((name + "=" + Twine(value)).str());
  };
  text("op_type", metadata.op_type());
  text("op_name", metadata.op_name());
  text("source_file", metadata.source_file());
  number("source_line", metadata.source_line());
  number("source_end_line", metadata.source_end_line());
  number("source_column", metadata.source_column());
  number("source_end_column", metadata.source_end_column());
  if (metadata.profile_type_size()) {
    std::string types;
    llvm::raw_string_ostream out(types);
    llvm::interleave(metadata.profile_type(), out, ",");
    fields.push_back("profile_type={" + types + "}");
  }
  text("deduplicated_name", metadata.deduplicated_name());
  text("scheduling_name", metadata.scheduling_name());
  number("stack_frame_id", metadata.stack_frame_id());
  return llvm::join(fields, " ");
}

/// True if the text contains the value without quotes.
static bool isJson(StringRef value) {
  std::string text = value.str(); // ends in a NUL byte
  Lexer lexer(text);
  return value.starts_with("{") && !value.contains('\n') && !value.contains('\0') &&
         lexer.findClosingBrace(/*singleQuotes=*/false) == text.data() + text.size();
}

std::string writeConfig(StringRef config) { return isJson(config) ? config.str() : quote(config); }

bool writeFrontendAttributes(const proto::FrontendAttributes &attributes, std::string &text) {
  if (attributes.map().empty())
    return true;
  SmallVector<std::pair<StringRef, StringRef>> sorted;
  for (auto &[key, value] : attributes.map())
    sorted.push_back({key, value});
  llvm::sort(sorted);
  SmallVector<std::string> entries;
  for (auto [key, value] : sorted) {
    if (key.empty() || !llvm::all_of(key, isNamePart) || llvm::isDigit(key[0])) {
      text = quote(key);
      return false;
    }
    entries.push_back((key + "=" + writeConfig(value)).str());
  }
  text = "{" + llvm::join(entries, ",") + "}";
  return true;
}

std::string writeStatistics(const proto::StatisticsViz &statistics) {
  if (statistics.statistics().empty())
    return "";
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "{visualizing_index=" << statistics.stat_index_to_visualize();
  for (const proto::Statistic &statistic : statistics.statistics()) {
    out << ',' << makeName(statistic.stat_name()) << '=';
    printNumber(statistic.stat_val(), out);
  }
  out << '}';
  return text;
}

std::string writeReplication(const proto::ParameterReplication &replication) {
  SmallVector<StringRef> flags;
  for (bool flag : replication.replicated_at_leaf_buffers())
    flags.push_back(flag ? "true" : "false");
  return "{" + llvm::join(flags, ",") + "}";
}

//===- Origins -------------------------------------------------------------===//

/// Types in a protocol buffer are nested at most this deep.
static constexpr int kMaxOriginDepth = 100;

namespace {
/// The origin of the arrays of a value: a tree as deep as the indices of its elements.
struct OriginTree {
  const proto::OriginalValueElementProto *element = nullptr;
  std::map<int64_t, OriginTree> children;

  void write(llvm::raw_ostream &out) const {
    if (!children.empty()) {
      out << '(';
      llvm::interleave(children, out, [&](const auto &child) { child.second.write(out); }, ", ");
      out << ')';
      return;
    }
    out << '{';
    if (element && element->has_original_array()) {
      const proto::OriginalArrayProto &array = element->original_array();
      out << quote(array.instruction_name());
      if (array.shape_index_size()) {
        out << " {";
        llvm::interleave(array.shape_index(), out, ",");
        out << '}';
      }
    }
    out << '}';
  }
};
} // namespace

std::string writeOrigin(const proto::OriginalValueProto &origin) {
  if (origin.is_synthetic_call())
    return "{[synthetic_call]}";
  OriginTree root;
  for (const proto::OriginalValueElementProto &element : origin.elements()) {
    OriginTree *tree = &root;
    int depth = std::min(element.shape_index_size(), kMaxOriginDepth);
    for (int i = 0; i < depth; ++i)
      tree = &tree->children[element.shape_index(i)];
    tree->element = &element;
  }
  std::string text;
  llvm::raw_string_ostream out(text);
  out << '{';
  root.write(out);
  out << '}';
  return text;
}

} // namespace hloc::text
