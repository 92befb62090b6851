// SPDX-License-Identifier: Apache-2.0
#include "codegen/object/SymbolNames.h"
#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/raw_ostream.h"

namespace hloc {

llvm::Error renameSymbols(llvm::SmallVectorImpl<char> &code,
                          llvm::ArrayRef<std::pair<std::string, std::string>> names) {
  llvm::MemoryBufferRef buffer(llvm::StringRef(code.data(), code.size()), "object");
  auto object = llvm::object::ObjectFile::createObjectFile(buffer);
  if (!object)
    return object.takeError();
  llvm::objcopy::ConfigManager config;
  for (const auto &[from, to] : names)
    config.Common.SymbolsToRename[from] = to;
  llvm::SmallVector<char, 0> renamed;
  llvm::raw_svector_ostream stream(renamed);
  if (llvm::Error error = llvm::objcopy::executeObjcopyOnBinary(config, **object, stream))
    return error;
  code.assign(renamed.begin(), renamed.end());
  return llvm::Error::success();
}

} // namespace hloc
