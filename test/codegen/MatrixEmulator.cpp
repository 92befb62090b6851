// SPDX-License-Identifier: Apache-2.0
// Executes the instructions on matrix registers (AMX) of a program on processors that lack them; on
// others the processor does.
// The library is preloaded: the instructions are invalid there, and its handler of SIGILL does what
// Intel's manual ("Intel AMX Instruction Set Reference") says of them. What the manual forbids, for
// instance shapes that do not fit each other, ends the program with a message.

#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace {

constexpr int kRegisters = 8, kRows = 16, kRowBytes = 64;

struct Matrix {
  int rows = 0, rowBytes = 0;
  uint8_t data[kRows][kRowBytes] = {};
};

thread_local std::array<Matrix, kRegisters> matrices;
thread_local bool isConfigured = false;

[[noreturn]] void fail(const char *what) {
  std::fprintf(stderr, "matrix emulator: %s\n", what);
  _exit(1);
}

void require(bool holds, const char *what) {
  if (!holds)
    fail(what);
}

Matrix &getMatrix(int number) {
  require(isConfigured, "there is no configuration");
  require(number < kRegisters && matrices[number].rows > 0, "a register without a shape");
  return matrices[number];
}

/// The 64 bytes of a configuration.
void configure(const uint8_t *memory) {
  require(memory[0] == 1, "expected palette 1");
  for (int i = 0; i < kRegisters; ++i) {
    Matrix &matrix = matrices[i] = {};
    uint16_t rowBytes;
    std::memcpy(&rowBytes, memory + 16 + 2 * i, 2);
    matrix.rowBytes = rowBytes;
    matrix.rows = memory[48 + i];
    require(matrix.rows <= kRows && matrix.rowBytes <= kRowBytes, "a shape that is too large");
    require((matrix.rows == 0) == (matrix.rowBytes == 0), "a shape that is half empty");
  }
  isConfigured = true;
}

void checkShapes(const Matrix &sum, const Matrix &left, const Matrix &right) {
  require(sum.rows == left.rows && sum.rowBytes == right.rowBytes &&
              left.rowBytes == 4 * right.rows,
          "shapes that do not fit each other");
}

template <typename Left, typename Right>
void multiplyBytes(Matrix &sum, const Matrix &left, const Matrix &right) {
  checkShapes(sum, left, right);
  for (int m = 0; m < sum.rows; ++m)
    for (int n = 0; n < sum.rowBytes / 4; ++n) {
      uint32_t total;
      std::memcpy(&total, &sum.data[m][4 * n], 4);
      for (int k = 0; k < right.rows; ++k)
        for (int i = 0; i < 4; ++i)
          total += uint32_t(int32_t(Left(left.data[m][4 * k + i])) *
                            int32_t(Right(right.data[k][4 * n + i])));
      std::memcpy(&sum.data[m][4 * n], &total, 4);
    }
}

float flush(float value) { return std::fpclassify(value) == FP_SUBNORMAL ? value * 0 : value; }

float readBf16(const uint8_t *memory) {
  uint16_t bits;
  std::memcpy(&bits, memory, 2);
  uint32_t wide = uint32_t(bits) << 16;
  float value;
  std::memcpy(&value, &wide, 4);
  return flush(value);
}

void multiplyBf16(Matrix &sum, const Matrix &left, const Matrix &right) {
  checkShapes(sum, left, right);
  for (int m = 0; m < sum.rows; ++m)
    for (int n = 0; n < sum.rowBytes / 4; ++n) {
      float parts[2] = {}, total;
      for (int k = 0; k < right.rows; ++k)
        for (int i = 0; i < 2; ++i)
          parts[i] = flush(std::fma(readBf16(&left.data[m][4 * k + 2 * i]),
                                    readBf16(&right.data[k][4 * n + 2 * i]), parts[i]));
      std::memcpy(&total, &sum.data[m][4 * n], 4);
      total = flush(flush(total) + flush(parts[0] + parts[1]));
      std::memcpy(&sum.data[m][4 * n], &total, 4);
    }
}

/// Registers by their numbers in instructions.
constexpr int kGeneral[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                            REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

/// An instruction with a VEX prefix of three bytes.
class Instruction {
public:
  explicit Instruction(ucontext_t &context) : registers(context.uc_mcontext.gregs) {
    at = reinterpret_cast<const uint8_t *>(registers[REG_RIP]);
    require(at[0] == 0xc4 && (at[1] & 0x1f) == 2, "not an instruction on matrix registers");
  }

  void execute();

private:
  enum Prefix { None, P66, PF3, PF2 };
  Prefix prefix() const { return Prefix(at[2] & 3); }
  int third() const { return ~(at[2] >> 3) & 15; }
  uint8_t operands() const { return at[4]; }
  int first() const { return operands() >> 3 & 7; }
  int second() const { return operands() & 7; }
  int64_t general(int number) const { return registers[kGeneral[number]]; }

  /// Decodes the address; `stride` becomes the scaled index, which is not part of it.
  uint8_t *locate(int64_t &stride) {
    int mode = operands() >> 6, base = second() | (at[1] & 0x20 ? 0 : 8);
    stride = 0;
    length = 5;
    int64_t address;
    if (second() == 4) {
      uint8_t sib = at[length++];
      int number = (sib >> 3 & 7) | (at[1] & 0x40 ? 0 : 8);
      if (number != 4)
        stride = general(number) << (sib >> 6);
      base = (sib & 7) | (at[1] & 0x20 ? 0 : 8);
      address = (sib & 7) == 5 && mode == 0 ? 0 : general(base);
      if ((sib & 7) == 5 && mode == 0)
        mode = 2;
    } else if (second() == 5 && mode == 0) {
      int32_t offset;
      std::memcpy(&offset, at + length, 4);
      length += 4;
      return const_cast<uint8_t *>(at) + length + offset;
    } else {
      address = general(base);
    }
    if (mode == 1)
      address += int8_t(at[length++]);
    if (mode == 2) {
      int32_t offset;
      std::memcpy(&offset, at + length, 4);
      length += 4;
      address += offset;
    }
    return reinterpret_cast<uint8_t *>(address);
  }

  void executeControl();
  void executeMemory();
  void executeProduct();

  greg_t *registers;
  const uint8_t *at;
  int length = 5;
};

void Instruction::executeControl() {
  bool isMemory = operands() >> 6 != 3;
  if (prefix() == None && isMemory) { // ldtilecfg
    int64_t index;
    const uint8_t *memory = locate(index);
    configure(memory + index);
  } else if (prefix() == None && operands() == 0xc0) { // tilerelease
    isConfigured = false;
  } else if (prefix() == PF2 && !isMemory) { // tilezero
    std::memset(getMatrix(first()).data, 0, sizeof(Matrix::data));
  } else {
    fail("an unknown instruction");
  }
}

void Instruction::executeMemory() {
  int64_t stride;
  uint8_t *memory = locate(stride);
  Matrix &matrix = getMatrix(first());
  require(prefix() != None, "an unknown instruction");
  if (prefix() != PF3)
    std::memset(matrix.data, 0, sizeof matrix.data);
  for (int row = 0; row < matrix.rows; ++row) {
    uint8_t *other = memory + row * stride;
    if (prefix() == PF3) // tilestored
      std::memcpy(other, matrix.data[row], matrix.rowBytes);
    else // tileloadd, tileloaddt1
      std::memcpy(matrix.data[row], other, matrix.rowBytes);
  }
}

void Instruction::executeProduct() {
  Matrix &sum = getMatrix(first());
  const Matrix &left = getMatrix(second()), &right = getMatrix(third());
  require(&sum != &left && &sum != &right && &left != &right, "one register for two operands");
  if (at[3] == 0x5c) {
    require(prefix() == PF3, "an unknown instruction");
    multiplyBf16(sum, left, right); // tdpbf16ps
  } else if (prefix() == PF2) {
    multiplyBytes<int8_t, int8_t>(sum, left, right); // tdpbssd
  } else if (prefix() == PF3) {
    multiplyBytes<int8_t, uint8_t>(sum, left, right); // tdpbsud
  } else if (prefix() == P66) {
    multiplyBytes<uint8_t, int8_t>(sum, left, right); // tdpbusd
  } else {
    multiplyBytes<uint8_t, uint8_t>(sum, left, right); // tdpbuud
  }
}

void Instruction::execute() {
  switch (at[3]) {
  case 0x49:
    executeControl();
    break;
  case 0x4b:
    executeMemory();
    break;
  case 0x5c:
  case 0x5e:
    executeProduct();
    break;
  default:
    fail("an unknown instruction");
  }
  registers[REG_RIP] += length;
}

void handle(int, siginfo_t *, void *context) {
  Instruction(*static_cast<ucontext_t *>(context)).execute();
}

int setAction(int number, const struct sigaction *action, struct sigaction *before) {
  using Function = int (*)(int, const struct sigaction *, struct sigaction *);
  static auto next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "sigaction"));
  return next(number, action, before);
}

/// Requests of arch_prctl: the states that the system supports, and permission to use one.
constexpr long kGetStates = 0x1021, kRequestState = 0x1023, kTileData = 18;

long callSystem(long number, std::array<long, 6> arguments) {
  register long r10 __asm__("r10") = arguments[3], r8 __asm__("r8") = arguments[4],
                    r9 __asm__("r9") = arguments[5];
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(arguments[0]), "S"(arguments[1]), "d"(arguments[2]), "r"(r10),
                     "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  if (result >= 0 || result < -4095)
    return result;
  errno = int(-result);
  return -1;
}

/// True if the processor has matrix registers, so that nothing is to be emulated.
bool hasMatrices() {
  uint64_t states = 0;
  return callSystem(SYS_arch_prctl, {kGetStates, long(&states)}) == 0 && (states >> kTileData & 1);
}

__attribute__((constructor)) void install() {
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  setAction(SIGILL, &action, nullptr);
}

} // namespace

/// The program's own handlers of SIGILL are not installed.
extern "C" int sigaction(int number, const struct sigaction *action, struct sigaction *before) {
  return setAction(number, number == SIGILL ? nullptr : action, before);
}

/// A request for matrix registers is granted by the system if the processor has them, else by the
/// emulator; or it is refused. Other calls are the system's.
extern "C" long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  std::array<long, 6> arguments;
  for (long &argument : arguments)
    argument = va_arg(list, long);
  va_end(list);
  if (number != SYS_arch_prctl || arguments[0] != kRequestState || arguments[1] != kTileData)
    return callSystem(number, arguments);
  if (std::getenv("MATRIX_EMULATOR_REFUSES")) {
    errno = EPERM;
    return -1;
  }
  return hasMatrices() ? callSystem(number, arguments) : 0;
}
