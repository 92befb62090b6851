// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/Execute.h"
#include "hlort/async.h"
#include "hlort/collective.h"
#include "hlort/transfer.h"
#include "hlort/weights.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/Support/MemoryBuffer.h"

namespace hloc {

using namespace llvm::orc;

/// Owns the memory of what is linked. (LLVM's ready-made JIT would start a thread and create two
/// target machines, though the code is an object already.)
class LoadedModule::Linker {
public:
  explicit Linker(std::unique_ptr<ExecutorProcessControl> process)
      : execution(std::move(process)), layer(execution),
        library(execution.createBareJITDylib("main")) {}
  ~Linker() {
    if (llvm::Error error = execution.endSession())
      execution.reportError(std::move(error));
  }

  ExecutionSession execution;
  ObjectLinkingLayer layer;
  JITDylib &library;
};

LoadedModule::LoadedModule(std::unique_ptr<Linker> linker, Run *run, const hlort_module *descriptor)
    : linker(std::move(linker)), run(run), descriptor(descriptor) {}
LoadedModule::LoadedModule(LoadedModule &&) = default;
LoadedModule &LoadedModule::operator=(LoadedModule &&) = default;
LoadedModule::~LoadedModule() = default;

llvm::Expected<LoadedModule> LoadedModule::load(llvm::ArrayRef<char> object, llvm::StringRef name) {
  auto process =
      SelfExecutorProcessControl::Create(nullptr, std::make_unique<InPlaceTaskDispatcher>());
  if (!process)
    return process.takeError();
  auto linker = std::make_unique<Linker>(std::move(*process));
  // The functions of the runtime that generated code may call; everything else (memcpy) is in the C
  // library.
  SymbolMap symbols;
  auto define = [&](llvm::StringRef symbol, auto *function) {
    symbols[linker->execution.intern(symbol)] =
        ExecutorSymbolDef::fromPtr(function, llvm::JITSymbolFlags::Exported);
  };
  define("hlort_parallel_for", &hlort_parallel_for);
  define("hlort_arena_allocate", &hlort_arena_allocate);
  define("hlort_arena_free", &hlort_arena_free);
  define("hlort_custom_call", &hlort_custom_call);
  define("hlort_fft", &hlort_fft);
  define("hlort_transfer_run", &hlort_transfer_run);
  define("hlort_program_begin", &hlort_program_begin);
  define("hlort_program_end", &hlort_program_end);
  define("hlort_replica_id", &hlort_replica_id);
  define("hlort_partition_id", &hlort_partition_id);
  define("hlort_collective_start", &hlort_collective_start);
  define("hlort_collective_done", &hlort_collective_done);
  define("hlort_collective_run", &hlort_collective_run);
  define("hlort_require", &hlort_require);
  define("hlort_matrices_request", &hlort_matrices_request);
  define("hlort_random_state", &hlort_random_state);
  define("hlort_async_start", &hlort_async_start);
  define("hlort_async_wait", &hlort_async_wait);
  define("hlort_async_abandon", &hlort_async_abandon);
  define("hlort_weights_load", &hlort_weights_load);
  define("hlort_trace_begin", &hlort_trace_begin);
  define("hlort_trace_end", &hlort_trace_end);
  if (llvm::Error error = linker->library.define(absoluteSymbols(std::move(symbols))))
    return std::move(error);
  auto library = DynamicLibrarySearchGenerator::GetForCurrentProcess(/*GlobalPrefix=*/'\0');
  if (!library)
    return library.takeError();
  linker->library.addGenerator(std::move(*library));
  auto buffer =
      llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(object.data(), object.size()), name,
                                       /*RequiresNullTerminator=*/false);
  if (llvm::Error error = linker->layer.add(linker->library, std::move(buffer)))
    return std::move(error);
  auto symbol = linker->execution.lookup({&linker->library}, (name + "_run").str());
  if (!symbol)
    return symbol.takeError();
  Run *run = symbol->getAddress().toPtr<Run *>();
  const hlort_module *descriptor = nullptr;
  if (auto record = linker->execution.lookup({&linker->library}, (name + "_module").str()))
    descriptor = record->getAddress().toPtr<const hlort_module *>();
  else // compileProgram leaves this to its caller
    llvm::consumeError(record.takeError());
  return LoadedModule(std::move(linker), run, descriptor);
}

} // namespace hloc
