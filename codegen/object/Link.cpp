// SPDX-License-Identifier: Apache-2.0
#include "codegen/object/Link.h"
#include "codegen/object/ScratchFile.h"
#include "lld/Common/Driver.h"
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
  std::vector<ScratchFile> files;
  std::vector<std::string> arguments{"-r"};
  for (llvm::ArrayRef<char> object : objects) {
    llvm::Expected<ScratchFile> file = ScratchFile::create("o", object);
    if (!file)
      return file.takeError();
    arguments.push_back(file->getPath());
    files.push_back(std::move(*file));
  }
  llvm::Expected<ScratchFile> linked = ScratchFile::create("o");
  if (!linked)
    return linked.takeError();
  arguments.insert(arguments.end(), {"-o", linked->getPath()});
  if (llvm::Error error = runLinker(arguments))
    return error;
  return linked->read(output);
}

} // namespace hloc
