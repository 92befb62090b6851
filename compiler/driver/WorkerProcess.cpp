// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/WorkerProcess.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace hloc {

/// Number of digits of the longest message's length.
static constexpr size_t kMostDigits = 18;
/// How often, and at which interval, the parent checks whether a process has ended.
static constexpr int kLooks = 20, kLookMicroseconds = 10'000;

namespace {

/// Waits for a socket until a point in time.
class Deadline {
public:
  explicit Deadline(double seconds)
      : end(std::chrono::steady_clock::now() +
            std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                std::chrono::duration<double>(seconds))) {}

  bool waitFor(int socket, short events) const {
    while (true) {
      auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          end - std::chrono::steady_clock::now());
      if (left.count() < 0)
        return false;
      pollfd one{socket, events, 0};
      int ready = poll(&one, 1, int(std::min<int64_t>(left.count() + 1, 1000)));
      if (ready > 0)
        return true;
      if (ready < 0 && errno != EINTR)
        return false;
    }
  }

private:
  std::chrono::steady_clock::time_point end;
};

} // namespace

/// Reads `size` bytes. False if the other side has closed the socket or is late.
static bool readBytes(int socket, char *bytes, size_t size, const Deadline &deadline) {
  while (size > 0) {
    if (!deadline.waitFor(socket, POLLIN))
      return false;
    ssize_t count = recv(socket, bytes, size, 0);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    bytes += count;
    size -= size_t(count);
  }
  return true;
}

std::optional<std::string> readMessage(int socket, double seconds) {
  Deadline deadline(seconds);
  std::string digits;
  for (char next = 0; next != '\n';) {
    if (digits.size() > kMostDigits || !readBytes(socket, &next, 1, deadline))
      return std::nullopt;
    digits += next;
  }
  size_t size = 0;
  if (llvm::StringRef(digits).drop_back().getAsInteger(10, size))
    return std::nullopt;
  std::string message(size, '\0');
  if (!readBytes(socket, message.data(), size, deadline))
    return std::nullopt;
  return message;
}

bool writeMessage(int socket, llvm::StringRef message, double seconds) {
  Deadline deadline(seconds);
  std::string framed = std::to_string(message.size()) + "\n" + message.str();
  for (llvm::StringRef rest = framed; !rest.empty();) {
    if (!deadline.waitFor(socket, POLLOUT))
      return false;
    ssize_t count = ::send(socket, rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno != EINTR && errno != EAGAIN)
      return false;
    rest = rest.drop_front(size_t(std::max<ssize_t>(count, 0)));
  }
  return true;
}

static llvm::Error fault(llvm::StringRef what, int code) {
  return llvm::createStringError("cannot " + what + ": " + std::generic_category().message(code));
}

llvm::Expected<std::unique_ptr<WorkerProcess>>
WorkerProcess::start(llvm::ArrayRef<std::string> command) {
  std::unique_ptr<WorkerProcess> worker(new WorkerProcess());
  worker->printed.reset(std::tmpfile());
  int ends[2];
  if (!worker->printed || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return fault("speak to another process", errno);
  worker->socket = ends[0];
  llvm::SmallVector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
  for (int stream : {1, 2})
    posix_spawn_file_actions_adddup2(&actions, fileno(worker->printed.get()), stream);
  pid_t process = -1;
  int error = posix_spawn(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error)
    return fault("start " + command.front(), error);
  worker->process = process;
  return worker;
}

WorkerProcess::~WorkerProcess() {
  if (socket >= 0)
    close(socket);
  if (process < 0)
    return;
  kill(process, SIGKILL);
  while (waitpid(process, nullptr, 0) < 0 && errno == EINTR)
    ;
}

std::optional<std::string> WorkerProcess::ask(llvm::StringRef request, double seconds) {
  if (!writeMessage(socket, request, seconds))
    return std::nullopt;
  return readMessage(socket, seconds);
}

bool WorkerProcess::hasEnded() {
  // Its end of the socket is closed a little before the process ends.
  for (int look = 0; look < kLooks; ++look) {
    siginfo_t state = {};
    if (waitid(P_PID, id_t(process), &state, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        state.si_pid == process)
      return true;
    usleep(kLookMicroseconds);
  }
  return false;
}

std::string WorkerProcess::getComplaint() {
  std::string text;
  std::fflush(printed.get());
  std::rewind(printed.get());
  for (int next; (next = std::fgetc(printed.get())) != EOF;)
    text += char(next);
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines)
    if (line.contains("error"))
      return line.str();
  return lines.empty() ? "" : lines.back().str();
}

} // namespace hloc
