// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/diff/ObjectContents.h"
#include "compiler/driver/diff/BuildRecord.h"
#include "compiler/text/Gunzip.h"
#include "compiler/text/InputFile.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace llvm::object;

namespace hloc {

/// An upper bound of any record.
static constexpr uint64_t kMostRecordBytes = uint64_t(1) << 30;

namespace {

class ObjectReader {
public:
  explicit ObjectReader(const ELFObjectFileBase &file) : file(file) {}

  Expected<ObjectContents> read();

private:
  Error readSections();
  Error readSymbols();
  Expected<uint64_t> hashFunction(const SectionRef &section, StringRef code, uint64_t begin);
  Expected<std::string> describe(const RelocationRef &relocation);

  const ELFObjectFileBase &file;
  ObjectContents contents;
  bool hasRecord = false;
  static void add(ObjectPart &part, StringRef bytes) {
    part.bytes += bytes.size();
    part.hash = hash_combine(part.hash, xxh3_64bits(bytes));
  }

  /// By the section that they apply to, in order.
  DenseMap<unsigned, std::vector<RelocationRef>> relocations;
};

} // namespace

Error ObjectReader::readSections() {
  for (const SectionRef &section : file.sections()) {
    Expected<StringRef> name = section.getName();
    if (!name)
      return name.takeError();
    if (section.isText()) {
      Expected<StringRef> bytes = section.getContents();
      if (!bytes)
        return bytes.takeError();
      add(contents.code, *bytes);
    }
    Expected<section_iterator> target = section.getRelocatedSection();
    if (!target)
      return target.takeError();
    if (*target != file.section_end())
      for (const RelocationRef &relocation : section.relocations())
        relocations[(*target)->getIndex()].push_back(relocation);
    if (*name != kRecordSection)
      continue;
    Expected<StringRef> packed = section.getContents();
    if (!packed)
      return packed.takeError();
    auto text = gunzip(MemoryBufferRef(*packed, kRecordSection), kMostRecordBytes);
    if (!text)
      return text.takeError();
    Expected<json::Value> record = json::parse((*text)->getBuffer());
    if (!record)
      return record.takeError();
    if (json::Object *object = record->getAsObject()) {
      contents.record = std::move(*object);
      hasRecord = true;
    }
  }
  for (auto &[section, list] : relocations)
    llvm::stable_sort(list, [](const RelocationRef &x, const RelocationRef &y) {
      return x.getOffset() < y.getOffset();
    });
  return Error::success();
}

/// A description of the relocation's target that does not depend on addresses in the object: the
/// bytes of constants in a pool, otherwise a name.
Expected<std::string> ObjectReader::describe(const RelocationRef &relocation) {
  std::string text;
  raw_string_ostream out(text);
  out << relocation.getType();
  if (Expected<int64_t> addend = ELFRelocationRef(relocation).getAddend())
    out << ' ' << *addend;
  else
    consumeError(addend.takeError());
  symbol_iterator symbol = relocation.getSymbol();
  if (symbol == file.symbol_end())
    return text;
  Expected<StringRef> name = symbol->getName();
  Expected<section_iterator> section = symbol->getSection();
  if (!name)
    return name.takeError();
  if (!section)
    return section.takeError();
  if (*section == file.section_end() || !name->starts_with(".L"))
    return text + " " + name->str();
  // Numbers of local labels depend on the functions and constants before them.
  ELFSectionRef place(**section);
  Expected<StringRef> bytes = place.getContents();
  Expected<uint64_t> offset = symbol->getValue();
  if (!bytes)
    return bytes.takeError();
  if (!offset)
    return offset.takeError();
  Expected<StringRef> placeName = place.getName();
  if (!placeName)
    return placeName.takeError();
  out << ' ' << *placeName;
  if (place.getFlags() & ELF::SHF_MERGE) {
    // The width of a constant is in its section's name: .rodata.cst16.
    uint64_t width = 0;
    StringRef digits = *placeName;
    if (digits.consume_front(".rodata.cst") && !digits.getAsInteger(10, width) &&
        *offset + width <= bytes->size())
      out << ' ' << bytes->substr(*offset, width);
  }
  return text;
}

Error ObjectReader::readSymbols() {
  std::string constants = contents.record.getString("name").value_or("").str() + ".constant.";
  for (const ELFSymbolRef &symbol : file.symbols()) {
    bool isFunction = symbol.getELFType() == ELF::STT_FUNC;
    Expected<StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    if (!isFunction && !name->starts_with(constants))
      continue;
    Expected<section_iterator> section = symbol.getSection();
    Expected<uint64_t> value = symbol.getValue();
    if (!section)
      return section.takeError();
    if (!value)
      return value.takeError();
    if (*section == file.section_end())
      continue; // only declared
    Expected<StringRef> bytes = (*section)->getContents();
    if (!bytes)
      return bytes.takeError();
    uint64_t begin = *value, size = symbol.getSize();
    if (begin > bytes->size() || size > bytes->size() - begin)
      return createStringError(*name + " is not inside of its section");
    if (!isFunction) {
      add(contents.constants, bytes->substr(begin, size));
      continue;
    }
    Expected<uint64_t> hash = hashFunction(**section, bytes->substr(begin, size), begin);
    if (!hash)
      return hash.takeError();
    contents.functions[*name] = {size, *hash};
  }
  return Error::success();
}

Expected<uint64_t> ObjectReader::hashFunction(const SectionRef &section, StringRef code,
                                              uint64_t begin) {
  std::string text(code);
  ArrayRef<RelocationRef> all = relocations[section.getIndex()];
  for (const RelocationRef &relocation :
       llvm::make_range(llvm::partition_point(
                            all, [&](const RelocationRef &r) { return r.getOffset() < begin; }),
                        all.end())) {
    uint64_t offset = relocation.getOffset() - begin;
    if (offset >= code.size())
      break;
    Expected<std::string> what = describe(relocation);
    if (!what)
      return what.takeError();
    text += "\n" + std::to_string(offset) + " " + *what;
  }
  return xxh3_64bits(text);
}

/// Checks the tables of symbols and relocations, whose entries LLVM reads without a way to return
/// an error.
static Error checkTables(const ELFFile<ELF64LE> &file) {
  auto sections = file.sections();
  if (!sections)
    return sections.takeError();
  for (const ELFFile<ELF64LE>::Elf_Shdr &section : *sections) {
    Error error = Error::success();
    auto check = [&](auto entries) {
      if (!entries)
        error = joinErrors(std::move(error), entries.takeError());
    };
    if (section.sh_type == ELF::SHT_SYMTAB)
      check(file.symbols(&section));
    else if (section.sh_type == ELF::SHT_RELA)
      check(file.relas(section));
    else if (section.sh_type == ELF::SHT_REL)
      check(file.rels(section));
    if (section.sh_type == ELF::SHT_RELA || section.sh_type == ELF::SHT_REL)
      check(file.getSection(section.sh_link)); // the table of their symbols
    if (error)
      return error;
  }
  return Error::success();
}

Expected<ObjectContents> ObjectReader::read() {
  if (Error error = readSections())
    return std::move(error);
  if (!hasRecord)
    return createStringError("is no object of this version of hloc: it has no section " +
                             kRecordSection + " (expected what hloc writes as .o)");
  if (Error error = readSymbols())
    return std::move(error);
  return std::move(contents);
}

Expected<ObjectContents> readObject(StringRef file) {
  Expected<std::unique_ptr<MemoryBuffer>> buffer = readInputFile(file, /*isText=*/false);
  if (!buffer)
    return createStringError("cannot read the file: " + toString(buffer.takeError()));
  Expected<std::unique_ptr<ObjectFile>> object =
      ObjectFile::createObjectFile((*buffer)->getMemBufferRef());
  auto *elf = object ? dyn_cast<ELF64LEObjectFile>(object->get()) : nullptr;
  if (!object)
    consumeError(object.takeError());
  if (!elf)
    return createStringError("expected an object file that hloc has made");
  if (Error error = checkTables(elf->getELFFile()))
    return std::move(error);
  return ObjectReader(*elf).read();
}

} // namespace hloc
