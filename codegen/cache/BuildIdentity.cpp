// SPDX-License-Identifier: Apache-2.0
#include "codegen/cache/BuildIdentity.h"
#include "compiler/text/Version.h"
#include "lld/Common/Driver.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <elf.h>
#include <link.h>

namespace hloc {

namespace {

/// An address, and the identifier of the file that is mapped there.
struct Search {
  uintptr_t address;
  std::string identifier;
};

} // namespace

/// The identifier in the notes of a loaded file, in hexadecimal; empty if there is none.
static std::string readNotes(const char *notes, size_t size, size_t alignment) {
  while (size >= sizeof(ElfW(Nhdr))) {
    auto *note = reinterpret_cast<const ElfW(Nhdr) *>(notes);
    size_t name = sizeof *note, value = name + llvm::alignTo(note->n_namesz, alignment),
           end = value + llvm::alignTo(note->n_descsz, alignment);
    if (end > size)
      break;
    if (note->n_type == NT_GNU_BUILD_ID &&
        llvm::StringRef(notes + name, note->n_namesz) == llvm::StringRef("GNU\0", 4))
      return llvm::toHex(llvm::StringRef(notes + value, note->n_descsz));
    notes += end;
    size -= end;
  }
  return {};
}

static int visitFile(dl_phdr_info *file, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  llvm::ArrayRef<ElfW(Phdr)> segments(file->dlpi_phdr, file->dlpi_phnum);
  bool isHere = llvm::any_of(segments, [&](const ElfW(Phdr) & segment) {
    return segment.p_type == PT_LOAD &&
           search.address - (file->dlpi_addr + segment.p_vaddr) < segment.p_memsz;
  });
  if (!isHere)
    return 0;
  for (const ElfW(Phdr) &segment : segments)
    if (segment.p_type == PT_NOTE && search.identifier.empty())
      search.identifier =
          readNotes(reinterpret_cast<const char *>(file->dlpi_addr + segment.p_vaddr),
                    segment.p_memsz, std::max<size_t>(segment.p_align, 4));
  return 1;
}

template <class Function> static std::string findIdentifier(Function *inside) {
  Search search{reinterpret_cast<uintptr_t>(inside), {}};
  dl_iterate_phdr(visitFile, &search);
  return search.identifier;
}

static std::string makeIdentity() {
  std::string identity = std::string("hloc ") + getVersion() + " LLVM " LLVM_VERSION_STRING;
  for (const std::string &identifier :
       {findIdentifier(&getBuildIdentity), findIdentifier(&llvm::errs),
        findIdentifier(&mlir::translateModuleToLLVMIR), findIdentifier(&lld::lldMain)}) {
    if (identifier.empty())
      return {};
    identity += " " + identifier;
  }
  return identity;
}

const std::string &getBuildIdentity() {
  static const auto *identity = new std::string(makeIdentity());
  return *identity;
}

} // namespace hloc
