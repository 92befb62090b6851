// SPDX-License-Identifier: Apache-2.0
#include "codegen/object/Link.h"
#include "codegen/object/ScratchFile.h"
#include "lld/Common/Driver.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

LLD_HAS_DRIVER(elf)

namespace hloc {

llvm::Error runLinker(llvm::ArrayRef<std::string> arguments) {
  // LLD keeps its state in globals.
  static std::mutex lock;
  std::lock_guard<std::mutex> guard(lock);
  llvm::SmallVector<const char *> raw{"ld.lld"};
  for (const std::string &argument : arguments)
    raw.push_back(argument.c_str());
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  lld::Result done = lld::lldMain(raw, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (done.retCode != 0)
    return llvm::createStringError("linking failed: " + messages);
  return llvm::Error::success();
}

llvm::Error linkObjects(llvm::ArrayRef<llvm::ArrayRef<char>> objects,
                        llvm::SmallVectorImpl<char> &output) {
  // One archive with all of them: creating many files takes longer than linking them.
  std::vector<llvm::NewArchiveMember> members;
  for (llvm::ArrayRef<char> object : objects)
    members.emplace_back(llvm::MemoryBufferRef({object.data(), object.size()}, "unit.o"));
  auto archive = llvm::writeArchiveToBuffer(members, llvm::SymtabWritingMode::NoSymtab,
                                            llvm::object::Archive::K_GNU, /*Deterministic=*/true,
                                            /*Thin=*/false);
  if (!archive)
    return archive.takeError();
  llvm::StringRef text = (*archive)->getBuffer();
  llvm::Expected<ScratchFile> input = ScratchFile::create("a", {text.data(), text.size()});
  if (!input)
    return input.takeError();
  llvm::Expected<ScratchFile> linked = ScratchFile::create("o");
  if (!linked)
    return linked.takeError();
  if (llvm::Error error =
          runLinker({"-r", "--whole-archive", input->getPath(), "-o", linked->getPath()}))
    return error;
  return linked->read(output);
}

} // namespace hloc
