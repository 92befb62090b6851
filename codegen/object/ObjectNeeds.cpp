// SPDX-License-Identifier: Apache-2.0
#include "codegen/object/ObjectNeeds.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/LEB128.h"

using namespace llvm;
using namespace llvm::object;

namespace hloc {

/// What a frame may take beyond its recorded size: the return address, and the alignment of frames
/// with vectors to multiples of 64.
static constexpr int64_t kFrameSlack = 128;

namespace {

class Reader {
public:
  explicit Reader(const ELFObjectFileBase &file) : file(file) {}

  Expected<ObjectNeeds> read(StringRef entry);

private:
  void readSymbols();
  void readSizes();
  Error readStacks(SectionRef contents, SectionRef relocations);
  void readCalls(SectionRef code, SectionRef relocations);
  /// The number of the section that a relocation refers to, or -1.
  int64_t getTarget(const RelocationRef &relocation) const;
  Expected<int64_t> getDepth(uint64_t function);

  /// By section, as each function has its own.
  struct Function {
    std::string name;
    int64_t frame = -1, depth = -1;
    bool isOpen = false;
    SetVector<uint64_t> callees;
  };

  const ELFObjectFileBase &file;
  DenseMap<uint64_t, Function> functions;
  ObjectNeeds needs;
};

} // namespace

int64_t Reader::getTarget(const RelocationRef &relocation) const {
  symbol_iterator symbol = relocation.getSymbol();
  if (symbol == file.symbol_end())
    return -1;
  Expected<section_iterator> section = symbol->getSection();
  if (!section)
    return consumeError(section.takeError()), -1;
  return *section == file.section_end() ? -1 : int64_t((*section)->getIndex());
}

void Reader::readSymbols() {
  for (const ELFSymbolRef &symbol : file.symbols()) {
    Expected<StringRef> name = symbol.getName();
    Expected<uint32_t> flags = symbol.getFlags();
    Expected<section_iterator> section = symbol.getSection();
    if (name && flags && (*flags & SymbolRef::SF_Undefined) && !name->empty())
      needs.undefined.push_back(name->str());
    if (name && section && *section != file.section_end() && symbol.getELFType() == ELF::STT_FUNC)
      functions[(*section)->getIndex()].name = name->str();
    consumeError(name.takeError());
    consumeError(flags.takeError());
    consumeError(section.takeError());
  }
  sort(needs.undefined);
}

void Reader::readSizes() {
  for (const SectionRef &section : file.sections()) {
    uint64_t flags = ELFSectionRef(section).getFlags();
    if (!(flags & ELF::SHF_ALLOC))
      continue;
    (flags & ELF::SHF_EXECINSTR ? needs.codeBytes
     : flags & ELF::SHF_WRITE   ? needs.dataBytes
                                : needs.constantBytes) += int64_t(section.getSize());
  }
}

/// `contents` has entries of a function's address, which one of the `relocations` gives, and the
/// size of its frame.
Error Reader::readStacks(SectionRef contents, SectionRef relocations) {
  Expected<StringRef> bytes = contents.getContents();
  if (!bytes)
    return bytes.takeError();
  for (const RelocationRef &relocation : relocations.relocations()) {
    uint64_t at = relocation.getOffset() + sizeof(uint64_t);
    int64_t target = getTarget(relocation);
    if (target < 0 || at >= bytes->size())
      continue;
    const char *error = nullptr;
    uint64_t frame = decodeULEB128(bytes->bytes_begin() + at, nullptr, bytes->bytes_end(), &error);
    if (error)
      return createStringError("the object's stack sizes cannot be read");
    Function &function = functions[uint64_t(target)];
    function.frame = std::max(function.frame, int64_t(frame));
  }
  return Error::success();
}

/// Every function that the code refers to may be called from there.
void Reader::readCalls(SectionRef code, SectionRef relocations) {
  Function &caller = functions[code.getIndex()];
  for (const RelocationRef &relocation : relocations.relocations())
    if (int64_t target = getTarget(relocation); target >= 0 && uint64_t(target) != code.getIndex())
      caller.callees.insert(uint64_t(target));
}

Expected<int64_t> Reader::getDepth(uint64_t which) {
  Function &function = functions[which];
  if (function.depth >= 0)
    return function.depth;
  if (function.isOpen)
    return createStringError("the stack that '" + function.name +
                             "' needs has no bound: it may call itself");
  if (function.frame < 0)
    return createStringError("the stack that '" + function.name + "' needs is not known");
  function.isOpen = true;
  int64_t deepest = 0;
  for (uint64_t callee : function.callees) {
    auto known = functions.find(callee);
    if (known == functions.end() || known->second.name.empty())
      continue; // data
    Expected<int64_t> depth = getDepth(callee);
    if (!depth)
      return depth;
    deepest = std::max(deepest, *depth);
  }
  function.isOpen = false;
  return function.depth = function.frame + kFrameSlack + deepest;
}

Expected<ObjectNeeds> Reader::read(StringRef entry) {
  readSymbols();
  readSizes();
  for (const SectionRef &section : file.sections()) {
    Expected<section_iterator> relocated = section.getRelocatedSection();
    if (!relocated)
      return relocated.takeError();
    if (*relocated == file.section_end())
      continue;
    Expected<StringRef> name = (*relocated)->getName();
    if (!name)
      return name.takeError();
    if ((*relocated)->isText())
      readCalls(**relocated, section);
    else if (*name == ".stack_sizes")
      if (Error error = readStacks(**relocated, section))
        return std::move(error);
  }
  for (auto &[section, function] : functions) {
    if (function.name != entry)
      continue;
    Expected<int64_t> depth = getDepth(section);
    if (!depth)
      return depth.takeError();
    needs.stackBytes = *depth;
    return std::move(needs);
  }
  return createStringError("the object has no function '" + entry.str() + "'");
}

Expected<ObjectNeeds> findNeeds(ArrayRef<char> object, StringRef entry) {
  MemoryBufferRef buffer(StringRef(object.data(), object.size()), "object");
  auto file = ObjectFile::createObjectFile(buffer);
  if (!file)
    return file.takeError();
  auto *elf = dyn_cast<ELFObjectFileBase>(file->get());
  if (!elf)
    return createStringError("expected an ELF object");
  return Reader(*elf).read(entry);
}

} // namespace hloc
