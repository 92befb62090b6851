// SPDX-License-Identifier: Apache-2.0
// Lists the functions that runs of a program call, in the order of their first calls, for the
// linker's --symbol-ordering-file:
//
//   symbol-order OUTPUT PROGRAM INPUT... -- OPTION...   runs `PROGRAM INPUT OPTION...` for each
//   INPUT
//
// A breakpoint stands on every function; each is taken away when it is met, so a run costs one stop
// for each function called, and the program needs no instrumentation. Where the system forbids to
// trace a process the list is empty, which any linker takes: the program then has the order it
// would have had.
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>
#include <fcntl.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace {

constexpr uint8_t kBreakpoint = 0xCC; // int3, one byte

/// The code of a program, as its file has it.
struct Program {
  DenseMap<uint64_t, StringRef> functions; // by address in the file
  uint64_t textAddress = 0;
  StringRef text;
  bool movable = false; // loaded at an address of the system's choice
};

Expected<Program> read(const object::ELF64LEObjectFile &file) {
  Program program;
  program.movable = file.getELFFile().getHeader().e_type == ELF::ET_DYN;
  for (const object::ELFSectionRef section : file.sections()) {
    Expected<StringRef> name = section.getName();
    if (!name)
      return name.takeError();
    if (*name != ".text")
      continue;
    Expected<StringRef> contents = section.getContents();
    if (!contents)
      return contents.takeError();
    program.text = *contents;
    program.textAddress = section.getAddress();
  }
  for (const object::ELFSymbolRef symbol : file.symbols()) {
    if (symbol.getELFType() != ELF::STT_FUNC || symbol.getSize() == 0)
      continue;
    Expected<uint64_t> address = symbol.getAddress();
    if (!address)
      return address.takeError();
    Expected<StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    if (*address - program.textAddress < program.text.size())
      program.functions.try_emplace(*address, *name);
  }
  return program;
}

/// How far from its address in the file the first mapping of process `child` is; nothing if
/// unknown.
std::optional<uint64_t> findBase(pid_t child, bool movable) {
  if (!movable)
    return 0;
  ErrorOr<std::unique_ptr<MemoryBuffer>> maps =
      MemoryBuffer::getFileAsStream("/proc/" + std::to_string(child) + "/maps");
  uint64_t base = 0;
  if (!maps || (*maps)->getBuffer().split('-').first.getAsInteger(16, base))
    return std::nullopt;
  return base;
}

/// Runs `command` and appends the functions it calls that `order` does not have; false if it cannot
/// be traced or fails.
bool trace(const Program &program, ArrayRef<const char *> command, SetVector<StringRef> &order) {
  pid_t child = fork();
  if (child < 0)
    return false;
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0)
      execv(command[0], const_cast<char *const *>(command.data()));
    _exit(127);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
    return false;
  std::optional<uint64_t> base = findBase(child, program.movable);
  int memory = open(("/proc/" + std::to_string(child) + "/mem").c_str(), O_RDWR | O_CLOEXEC);
  auto write = [&](uint64_t address, const void *bytes, size_t size) {
    return pwrite(memory, bytes, size, address) == ssize_t(size);
  };
  std::string text = program.text.str();
  for (const auto &[address, name] : program.functions)
    if (!order.contains(name))
      text[address - program.textAddress] = char(kBreakpoint);
  if (!base || memory < 0 || !write(*base + program.textAddress, text.data(), text.size()) ||
      ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL) != 0) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    return false;
  }

  ptrace(PTRACE_CONT, child, nullptr, nullptr);
  bool succeeded = false;
  for (pid_t thread; (thread = waitpid(-1, &status, __WALL)) > 0;) {
    if (!WIFSTOPPED(status)) {
      if (thread == child)
        succeeded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
      continue;
    }
    int signal = WSTOPSIG(status);
    user_regs_struct registers;
    if (signal == SIGTRAP && status >> 8 == SIGTRAP &&
        ptrace(PTRACE_GETREGS, thread, nullptr, &registers) == 0) {
      uint64_t address = registers.rip - 1 - *base; // the breakpoint has been executed
      auto function = program.functions.find(address);
      if (function != program.functions.end()) {
        // Another thread may have met it before: it is then written a second time.
        order.insert(function->second);
        write(*base + address, program.text.data() + (address - program.textAddress), 1);
        --registers.rip;
        ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
      }
      signal = 0;
    } else if (signal == SIGTRAP || signal == SIGSTOP) {
      signal = 0; // a new thread, or the stop with which it begins
    }
    ptrace(PTRACE_CONT, thread, nullptr, signal);
  }
  close(memory);
  return succeeded;
}

} // namespace

int main(int argc, char **argv) {
  ArrayRef<char *> arguments(argv, argc);
  auto options = llvm::find_if(arguments, [](StringRef argument) { return argument == "--"; });
  if (options - arguments.begin() < 4 || options == arguments.end()) {
    errs() << "usage: symbol-order OUTPUT PROGRAM INPUT... -- OPTION...\n";
    return 1;
  }
  ExitOnError check("symbol-order: ");
  object::OwningBinary<object::ObjectFile> binary =
      check(object::ObjectFile::createObjectFile(argv[2]));
  auto *file = dyn_cast<object::ELF64LEObjectFile>(binary.getBinary());
  SetVector<StringRef> order;
  if (file && file->getArch() == Triple::x86_64) {
    Program program = check(read(*file));
    for (const char *input : ArrayRef(arguments.begin() + 3, options)) {
      SmallVector<const char *> command{argv[2], input};
      command.append(options + 1, arguments.end());
      command.push_back(nullptr);
      if (!trace(program, command, order))
        errs() << "warning: " << argv[2] << " was not traced on " << input
               << "; programs will take longer to start\n";
    }
  }
  std::error_code error;
  raw_fd_ostream out(argv[1], error);
  for (StringRef name : order)
    out << name << '\n';
  out.close();
  if (error || out.has_error()) {
    errs() << "error: " << argv[1] << " cannot be written\n";
    return 1;
  }
  return 0;
}
