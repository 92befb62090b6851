// SPDX-License-Identifier: Apache-2.0
// libFuzzer's mutations of HLO text: by tokens and lines rather than bytes, so that many inputs get
// past the parser. Some changes keep a program valid (another element type or size throughout,
// another opcode of the same arity, lines of another program), others break it at one place.
#include "compiler/hlo/HloDialect.h"
#include "compiler/text/Opcodes.h"
#include "llvm/ADT/StringExtras.h"
#include <random>

using namespace mlir;

/// LLVM's allocators mark memory as unused; its own libraries, built without sanitizers, do not
/// mark it as used again.
extern "C" const char *__asan_default_options() { return "allow_user_poisoning=0"; }

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {

constexpr StringRef kTypes[] = {"pred",      "s1",         "s2",
                                "s4",        "s8",         "s16",
                                "s32",       "s64",        "u1",
                                "u2",        "u4",         "u8",
                                "u16",       "u32",        "u64",
                                "f16",       "bf16",       "f32",
                                "f64",       "c64",        "c128",
                                "f8e5m2",    "f8e4m3",     "f8e4m3fn",
                                "f8e3m4",    "f8e5m2fnuz", "f6e2m3fn",
                                "f6e3m2fn",  "f4e2m1fn",   "token",
                                "f8e8m0fnu", "opaque",     "f8e4m3b11fnuz",
                                "f8e4m3fnuz"};

constexpr StringRef kNumbers[] = {"0",
                                  "1",
                                  "2",
                                  "3",
                                  "4",
                                  "5",
                                  "7",
                                  "8",
                                  "16",
                                  "100",
                                  "-1",
                                  "-2",
                                  "127",
                                  "128",
                                  "255",
                                  "256",
                                  "65535",
                                  "65536",
                                  "2147483647",
                                  "2147483648",
                                  "4294967296",
                                  "9223372036854775807",
                                  "-9223372036854775808",
                                  "18446744073709551615",
                                  "1e30",
                                  "-0.5",
                                  "nan",
                                  "-nan(0x7)",
                                  "inf",
                                  "-inf",
                                  "1e-320",
                                  "<=3",
                                  "?"};

/// What may stand after an instruction's operands or inside its shapes.
constexpr StringRef kSnippets[] = {
    ", dimensions={0}",
    ", dimensions={1,0}",
    ", to_apply=add",
    ", calls={ p = f32[] parameter(0) ROOT n = f32[] negate(p) }",
    ", channel_id=1",
    ", replica_groups={{0,1},{2,3}}",
    ", replica_groups=[2,2]<=[2,2]T(1,0)",
    ", replica_groups=mesh[\"a\"=2,\"b\"=2] {\"a\",\"b\":(1)2}",
    ", source_target_pairs={{0,1},{1,0}}",
    ", use_global_device_ids=true",
    ", sharding={devices=[2,1]<=[2] metadata={op_name=\"x\"}}",
    ", sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual,replicated}}",
    ", sharding={mesh[\"x\"=2], [{\"x\"},{?}], replicated={\"y\"}}",
    ", sharding={{replicated},{manual},{maximal device=0}}",
    ", metadata={op_type=\"t\" op_name=\"n\" source_file=\"f.py\" source_line=3 stack_frame_id=1}",
    ", frontend_attributes={a=\"b\",c={\"d\":1}}",
    ", backend_config={\"a\":{\"b\":[1]}}",
    ", backend_config=\"a\\\"b\\x41\"",
    ", statistics={visualizing_index=0,a=1.5}",
    ", origin={(({\"a\" {0}}), {\"b\"})}",
    ", control-predecessors={a}",
    ", parameter_replication={true,false}",
    ", window={size=2x2 stride=1x2 pad=0_1x-1_0 lhs_dilate=1x2 rhs_dilate=2x1 rhs_reversal=0x1}",
    ", dim_labels=b01f_01io->b01f",
    ", slice={[0:2:1], [1:5]}",
    ", padding=1_1_1x-1_0",
    ", output_to_operand_aliasing={{0}: (0, {})}",
    ", async_execution_thread=\"t\"",
    ", result_accuracy={tolerance={atol=1,rtol=0.5,ulps=2}}",
    ", operand_precision={high,highest}",
    ", lhs_contracting_dims={1}, rhs_contracting_dims={0}",
    ", lhs_batch_dims={0}, rhs_batch_dims={0}",
    ", algorithm=dot_f32_f32_f32",
    ", literal=f32[2] {1, 2}",
    ", index=0",
    ", is_stable=true",
    ", unknown_attribute={ a b c }",
    "{1,0:T(8,128)(2,1)E(4)S(5)}",
    "{0:SC(0:1,2)M(8)}",
    "#0",
    "/*index=5*/",
    "// comment\n",
    "\"",
    "{",
    "}",
    "(",
    ")",
    "...",
    "ROOT ",
    "ENTRY ",
};

/// A program in pieces: words, numbers, strings, single other characters, runs of white space.
class Pieces {
public:
  explicit Pieces(StringRef text) {
    while (!text.empty()) {
      size_t size = measure(text);
      pieces.push_back(text.take_front(size).str());
      text = text.drop_front(size);
    }
  }

  std::vector<std::string> pieces;

  /// Numbers of the pieces that `wanted` accepts.
  SmallVector<size_t> find(llvm::function_ref<bool(StringRef)> wanted) const {
    SmallVector<size_t> found;
    for (auto [i, piece] : llvm::enumerate(pieces))
      if (wanted(piece))
        found.push_back(i);
    return found;
  }

  std::string join() const { return llvm::join(pieces, ""); }

private:
  static size_t measure(StringRef text) {
    auto run = [&](auto accepts) { return std::max<size_t>(1, text.take_while(accepts).size()); };
    if (isWord(text) || text[0] == '%')
      return 1 + text.drop_front()
                     .take_while([](char c) {
                       return llvm::isAlnum(c) || c == '_' || c == '.' || c == '-';
                     })
                     .size();
    if (llvm::isDigit(text[0]) || text[0] == '-')
      return 1 + text.drop_front()
                     .take_while([](char c) { return llvm::isAlnum(c) || c == '.'; })
                     .size();
    if (text[0] == '"')
      return std::min(text.size(),
                      text.find('"', 1) == StringRef::npos ? 1 : text.find('"', 1) + 1);
    return llvm::isSpace(text[0]) ? run([](char c) { return llvm::isSpace(c); }) : 1;
  }

public:
  static bool isWord(StringRef piece) { return llvm::isAlpha(piece[0]) || piece[0] == '_'; }
  static bool isNumber(StringRef piece) { return llvm::isDigit(piece[0]); }
  static bool isType(StringRef piece) { return llvm::is_contained(kTypes, piece); }
};

class Mutator {
public:
  Mutator(unsigned seed) : random(seed) {}

  std::string mutate(StringRef text) {
    unsigned changes = 1 + pick(3);
    std::string result = text.str();
    for (unsigned i = 0; i < changes && !result.empty(); ++i)
      result = changeOnce(result);
    return result;
  }

  /// `text` with some consecutive lines of `other` somewhere.
  std::string cross(StringRef text, StringRef other) {
    SmallVector<StringRef> lines, donors;
    text.split(lines, '\n');
    other.split(donors, '\n');
    size_t from = pick(donors.size()), count = 1 + pick(std::min<size_t>(donors.size() - from, 8));
    size_t at = pick(lines.size() + 1);
    lines.insert(lines.begin() + at, donors.begin() + from, donors.begin() + from + count);
    return llvm::join(lines, "\n");
  }

private:
  size_t pick(size_t count) { return count ? random() % count : 0; }
  template <size_t N> StringRef pick(const StringRef (&table)[N]) { return table[pick(N)]; }

  using Opcode = hloc::text::Opcode;

  static const hloc::text::OpcodeTable &getTable() {
    static MLIRContext context(MLIRContext::Threading::DISABLED);
    return hloc::text::OpcodeTable::get(&context);
  }

  static const std::vector<const Opcode *> &getOpcodes() {
    static const auto opcodes = [] {
      std::vector<const Opcode *> all;
      MLIRContext *context = getTable().getContext();
      for (RegisteredOperationName name : context->getRegisteredOperationsByDialect("hlo")) {
        std::string text = name.stripDialect().str();
        llvm::replace(text, '_', '-');
        if (const Opcode *opcode = getTable().find(text))
          all.push_back(opcode);
      }
      return all;
    }();
    return opcodes;
  }

  std::string changeOnce(StringRef text) {
    switch (pick(12)) {
    case 0:
    case 1:
      return changeEverywhere(text, Pieces::isType, pick(kTypes));
    case 2:
    case 3:
      return changeEverywhere(text, Pieces::isNumber, std::to_string(pick(9)));
    case 4:
      return changeHere(text, Pieces::isNumber, pick(kNumbers));
    case 5:
      return changeHere(text, Pieces::isType, pick(kTypes));
    case 6:
    case 7:
      return changeOpcode(text);
    case 8:
      return exchangeWords(text);
    case 9:
      return changeLines(text);
    case 10:
      return insertSnippet(text);
    default:
      return changeNesting(text);
    }
  }

  std::string changeEverywhere(StringRef text, llvm::function_ref<bool(StringRef)> wanted,
                               StringRef with) {
    Pieces parts(text);
    SmallVector<size_t> found = parts.find(wanted);
    if (found.empty())
      return text.str();
    std::string old = parts.pieces[found[pick(found.size())]];
    for (std::string &piece : parts.pieces)
      if (piece == old)
        piece = with.str();
    return parts.join();
  }

  std::string changeHere(StringRef text, llvm::function_ref<bool(StringRef)> wanted,
                         StringRef with) {
    Pieces parts(text);
    SmallVector<size_t> found = parts.find(wanted);
    if (!found.empty())
      parts.pieces[found[pick(found.size())]] = with.str();
    return parts.join();
  }

  /// Another opcode, mostly one that takes as many operands.
  std::string changeOpcode(StringRef text) {
    auto find = [](StringRef piece) -> const Opcode * {
      const Opcode *opcode = Pieces::isWord(piece) ? getTable().find(piece) : nullptr;
      return opcode && opcode->operation ? opcode : nullptr;
    };
    Pieces parts(text);
    SmallVector<size_t> found = parts.find([&](StringRef piece) { return find(piece); });
    if (found.empty())
      return text.str();
    std::string &piece = parts.pieces[found[pick(found.size())]];
    const Opcode *old = find(piece);
    SmallVector<StringRef> others;
    bool anyArity = pick(8) == 0;
    for (const Opcode *opcode : getOpcodes())
      if (anyArity ||
          (opcode->minOperands == old->minOperands && opcode->anyNumber == old->anyNumber))
        others.push_back(opcode->text);
    piece = others[pick(others.size())].str();
    return parts.join();
  }

  /// One word in the place of another: names, attributes, keywords.
  std::string exchangeWords(StringRef text) {
    Pieces parts(text);
    SmallVector<size_t> found =
        parts.find([](StringRef piece) { return Pieces::isWord(piece) && !Pieces::isType(piece); });
    if (!found.empty())
      parts.pieces[found[pick(found.size())]] = parts.pieces[found[pick(found.size())]];
    return parts.join();
  }

  std::string changeLines(StringRef text) {
    SmallVector<StringRef> lines;
    text.split(lines, '\n');
    size_t a = pick(lines.size()), b = pick(lines.size());
    switch (pick(4)) {
    case 0:
      lines.erase(lines.begin() + a);
      break;
    case 1:
      lines.insert(lines.begin() + b, StringRef(lines[a]));
      break;
    case 2:
      std::swap(lines[a], lines[b]);
      break;
    default:
      lines.truncate(a + 1);
      break;
    }
    return llvm::join(lines, "\n");
  }

  std::string insertSnippet(StringRef text) {
    Pieces parts(text);
    SmallVector<size_t> found = parts.find([](StringRef piece) {
      return piece == ")" || piece == "]" || piece == "}" || piece == "{";
    });
    size_t at = found.empty() ? 0 : found[pick(found.size())] + 1;
    parts.pieces.insert(parts.pieces.begin() + at, pick(kSnippets).str());
    return parts.join();
  }

  /// A bracketed part repeated in place, nested or emptied.
  std::string changeNesting(StringRef text) {
    Pieces parts(text);
    auto isOpen = [](StringRef piece) { return piece == "{" || piece == "(" || piece == "["; };
    SmallVector<size_t> found = parts.find(isOpen);
    if (found.empty())
      return text.str();
    size_t begin = found[pick(found.size())], end = begin, depth = 0;
    for (; end < parts.pieces.size(); ++end) {
      StringRef piece = parts.pieces[end];
      depth += isOpen(piece);
      if (piece == "}" || piece == ")" || piece == "]")
        if (--depth == 0)
          break;
    }
    if (end == parts.pieces.size())
      return text.str();
    std::string open = parts.pieces[begin], close = parts.pieces[end];
    std::string inside =
        llvm::join(llvm::ArrayRef(parts.pieces).slice(begin + 1, end - begin - 1), "");
    std::string whole = open + inside + close;
    size_t times = 1 + pick(pick(20) == 0 ? 2000 : 4);
    switch (pick(3)) {
    case 0:
      whole = open + close;
      break;
    case 1:
      for (size_t i = 1; i < std::min<size_t>(times, 16); ++i)
        inside += "," + (open + inside.substr(0, 64) + close);
      whole = open + inside + close;
      break;
    default: {
      std::string opens, closes;
      for (size_t i = 0; i < times; ++i) {
        opens += open;
        closes += close;
      }
      whole = opens + inside + closes;
      break;
    }
    }
    parts.pieces.erase(parts.pieces.begin() + begin, parts.pieces.begin() + end + 1);
    parts.pieces.insert(parts.pieces.begin() + begin, whole);
    return parts.join();
  }

  std::minstd_rand random;
};

} // namespace

static size_t store(StringRef text, uint8_t *data, size_t maxSize) {
  text = text.take_front(maxSize);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  if (seed % 8 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  StringRef text(reinterpret_cast<char *>(data), size);
  return store(Mutator(seed).mutate(text), data, maxSize);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1,
                                            const uint8_t *data2, size_t size2, uint8_t *out,
                                            size_t maxSize, unsigned seed) {
  StringRef text(reinterpret_cast<const char *>(data1), size1);
  StringRef other(reinterpret_cast<const char *>(data2), size2);
  return store(Mutator(seed).cross(text, other), out, maxSize);
}
