// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/OutputFiles.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace hloc {

static Error fault(StringRef path, const Twine &why) {
  return createStringError(path + ": error: " + why);
}

OutputFiles::~OutputFiles() {
  for (Pending &file : pending)
    consumeError(file.file.discard());
}

static Error writeTo(StringRef path, raw_fd_ostream &stream,
                     function_ref<void(raw_ostream &)> write) {
  write(stream);
  stream.flush();
  if (!stream.has_error())
    return Error::success();
  std::string why = stream.error().message();
  stream.clear_error();
  return fault(path, "cannot write: " + why);
}

Error OutputFiles::add(StringRef path, StringRef contents, bool executable) {
  return add(path, [&](raw_ostream &stream) { stream << contents; }, executable);
}

Error OutputFiles::add(StringRef path, function_ref<void(raw_ostream &)> write, bool executable) {
  if (path == "-") {
    raw_fd_ostream stream(1, /*shouldClose=*/false);
    return writeTo("<stdout>", stream, write);
  }
  // An existing file that is not a regular one (a device, a pipe) is written to, never replaced.
  sys::fs::file_status status;
  if (!sys::fs::status(path, status) && !sys::fs::is_regular_file(status)) {
    if (sys::fs::is_directory(status))
      return fault(path, "is a directory");
    std::error_code error;
    raw_fd_ostream stream(path, error);
    if (error)
      return fault(path, "cannot write: " + error.message());
    return writeTo(path, stream, write);
  }
  Expected<sys::fs::TempFile> file =
      sys::fs::TempFile::create(path + ".%%%%%%%%.tmp", executable ? 0777 : 0666);
  if (!file)
    return fault(path, "cannot write: " + toString(file.takeError()));
  pending.push_back({std::move(*file), path.str()});
  raw_fd_ostream stream(pending.back().file.FD, /*shouldClose=*/false);
  return writeTo(path, stream, write);
}

Error OutputFiles::commit() {
  // Between the first rename and the last, a signal must not leave only some of the files.
  for (Pending &file : pending)
    sys::RemoveFileOnSignal(file.path);
  Error result = Error::success();
  for (Pending &file : pending) {
    if (result)
      break;
    if (Error error = file.file.keep(file.path))
      result = joinErrors(std::move(result),
                          fault(file.path, "cannot write: " + toString(std::move(error))));
  }
  for (Pending &file : pending) {
    if (result)
      sys::fs::remove(file.path);
    sys::DontRemoveFileOnSignal(file.path);
  }
  pending.clear();
  return result;
}

bool writeFile(llvm::StringRef path, llvm::StringRef contents) {
  OutputFiles files;
  llvm::Error error = files.add(path, contents);
  if (!error)
    error = files.commit();
  if (!error)
    return true;
  llvm::errs() << llvm::toString(std::move(error)) << '\n';
  return false;
}

} // namespace hloc
