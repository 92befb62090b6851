// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/Execute.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"

namespace hloc {

LoadedModule::LoadedModule(std::unique_ptr<llvm::orc::LLJIT> jit, Run *run) : jit(std::move(jit)), run(run) {}
LoadedModule::LoadedModule(LoadedModule &&) = default;
LoadedModule::~LoadedModule() = default;

llvm::Expected<LoadedModule> LoadedModule::load(llvm::ArrayRef<char> object, llvm::StringRef name) {
  llvm::InitializeNativeTarget();
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  // What generated code may call; everything else it needs (memcpy) is the C library's.
  llvm::orc::SymbolMap symbols;
  auto define = [&](llvm::StringRef symbol, auto *function) {
    symbols[(*jit)->mangleAndIntern(symbol)] = llvm::orc::ExecutorSymbolDef::fromPtr(function, llvm::JITSymbolFlags::Exported);
  };
  define("hlort_parallel_for", &hlort_parallel_for);
  define("hlort_arena_allocate", &hlort_arena_allocate);
  define("hlort_arena_free", &hlort_arena_free);
  define("hlort_custom_call", &hlort_custom_call);
  define("hlort_fft", &hlort_fft);
  define("hlort_trace_begin", &hlort_trace_begin);
  define("hlort_trace_end", &hlort_trace_end);
  llvm::orc::JITDylib &library = (*jit)->getMainJITDylib();
  if (llvm::Error error = library.define(llvm::orc::absoluteSymbols(std::move(symbols))))
    return std::move(error);
  auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess((*jit)->getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  library.addGenerator(std::move(*process));
  auto buffer = llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(object.data(), object.size()), name, /*RequiresNullTerminator=*/false);
  if (llvm::Error error = (*jit)->addObjectFile(std::move(buffer)))
    return std::move(error);
  auto address = (*jit)->lookup((name + "_run").str());
  if (!address)
    return address.takeError();
  Run *run = address->toPtr<Run *>();
  return LoadedModule(std::move(*jit), run);
}

} // namespace hloc
