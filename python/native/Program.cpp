// SPDX-License-Identifier: Apache-2.0
#include "Program.h"
#include "Arrays.h"

namespace hloc::python {

Program::Program(SharedResult result, bool isOpened, std::shared_ptr<CustomCalls> calls)
    : result(std::move(result)), isOpened(isOpened), calls(std::move(calls)) {}

Program::~Program() {
  for (void *arena : arenas)
    hlort_arena_free(arena);
}

void *Program::takeArena(hlort_status &status) {
  {
    std::lock_guard lock(mutex);
    if (!arenas.empty()) {
      void *arena = arenas.back();
      arenas.pop_back();
      return arena;
    }
  }
  const hlort_module &module = getModule();
  return hlort_arena_allocate(module.arena_bytes, module.arena_alignment, &status);
}

void Program::giveBack(void *arena) {
  std::lock_guard lock(mutex);
  arenas.push_back(arena);
}

hlort_context *Program::getContext(Threads *threads, hlort_status &status) {
  if (calls)
    return calls->getContext(threads ? threads->getCount() : 1, getModule(), status);
  return threads ? threads->get(result, isOpened, status) : nullptr;
}

int32_t Program::run(Threads *threads, const void *const *arguments, void *const *results,
                     hlort_status &status) {
  hlort_context *native = getContext(threads, status);
  void *arena = status.code ? nullptr : takeArena(status);
  if (!arena)
    return status.code;
  int32_t code = getModule().run(native, arguments, results, arena, &status);
  giveBack(arena);
  return code;
}

namespace {

/// An argument in memory, valid as long as this object.
struct Argument {
  nb::object object;
  nb::ndarray<nb::ro> array;
  bool isWritable = false;

  /// True if `object` is an array that fits the port.
  bool look(const hlort_port &port, bool raw, bool wantsWritable) {
    nb::ndarray<> writable;
    if (wantsWritable && nb::try_cast(object, writable, /*convert=*/false)) {
      isWritable = true;
      array = nb::ndarray<nb::ro>(writable);
    } else if (!nb::try_cast(object, array, /*convert=*/false)) {
      PyErr_Clear();
      return false;
    }
    return array.device_type() == nb::device::cpu::value && fits(array, port, raw);
  }
};

/// The argument, converted by convert(number, argument) if it does not fit the module's.
static Argument take(const hlort_module &module, int64_t number, nb::object object,
                     const nb::callable &convert, bool wantsWritable) {
  const hlort_port &port = module.arguments[number];
  Argument argument;
  argument.object = std::move(object);
  if (argument.look(port, /*raw=*/false, wantsWritable))
    return argument;
  argument.object = convert(number, argument.object);
  if (!argument.look(port, /*raw=*/true, /*wantsWritable=*/false))
    throw nb::type_error("an argument was not converted to what the module takes");
  argument.isWritable = false;
  return argument;
}

/// The memory of a result: an argument's, or its own.
struct Target {
  void *memory = nullptr;
  nb::object array;
};

} // namespace

/// Whether runs, or the preparation, read the argument.
static bool isRead(const hlort_module &module, int64_t number, int64_t reader) {
  const hlort_preparation *about = module.preparation;
  return !about || number >= about->argument || (about->uses[number] & reader);
}

static Target makeTarget(const hlort_port &port) {
  hlort_status status = {};
  void *memory = hlort_arena_allocate(port.bytes, 0, &status);
  if (!memory)
    throwRunError(status);
  nb::capsule owner(memory, [](void *memory) noexcept { hlort_arena_free(memory); });
  return {memory, makeArray(port, memory, owner)};
}

nb::list Program::call(const Context *context, nb::sequence arguments, nb::callable convert,
                       bool inPlace) {
  const hlort_module &module = getModule();
  std::vector<bool> isShared(module.argument_count);
  for (int64_t i = 0; i < module.result_count && inPlace; ++i)
    if (module.results[i].alias >= 0)
      isShared[module.results[i].alias] = true;
  std::vector<Argument> given(module.argument_count);
  std::vector<const void *> pointers;
  for (int64_t i = 0; i < module.argument_count; ++i) {
    nb::object argument = arguments[i];
    if (isRead(module, i, HLORT_READ_BY_RUN))
      given[i] = take(module, i, std::move(argument), convert, isShared[i]);
    pointers.push_back(given[i].array.is_valid() ? given[i].array.data() : nullptr);
  }
  std::vector<Target> targets;
  std::vector<void *> memory;
  for (int64_t i = 0; i < module.result_count; ++i) {
    const hlort_port &port = module.results[i];
    bool shares = inPlace && port.alias >= 0 && given[port.alias].isWritable;
    targets.push_back(shares ? Target{const_cast<void *>(given[port.alias].array.data()),
                                      given[port.alias].object}
                             : makeTarget(port));
    memory.push_back(targets.back().memory);
  }
  hlort_status status = {};
  {
    nb::gil_scoped_release unlocked;
    run(context ? context->threads.get() : nullptr, pointers.data(), memory.data(), status);
  }
  if (status.code)
    throwRunError(status);
  nb::list results;
  for (Target &target : targets)
    results.append(std::move(target.array));
  return results;
}

nb::tuple Program::prepare(const Context *context, nb::sequence arguments, nb::callable convert) {
  const hlort_module &module = getModule();
  const hlort_preparation &about = *module.preparation;
  std::vector<Argument> given(about.argument);
  std::vector<const void *> pointers;
  nb::list kept;
  for (int64_t i = 0; i < about.argument; ++i) {
    if (about.uses[i] & HLORT_PREPARED_PARAMETER)
      given[i] = take(module, i, arguments[i], convert, /*wantsWritable=*/false);
    bool isPassed = given[i].array.is_valid() && isRead(module, i, HLORT_READ_BY_PREPARE);
    pointers.push_back(isPassed ? given[i].array.data() : nullptr);
    bool isKept = given[i].array.is_valid() && isRead(module, i, HLORT_READ_BY_RUN);
    kept.append(isKept ? given[i].object : nb::none());
  }
  Target block = makeTarget(module.arguments[about.argument]);
  hlort_status status = {};
  {
    nb::gil_scoped_release unlocked;
    hlort_context *native = getContext(context ? context->threads.get() : nullptr, status);
    if (!status.code)
      about.prepare(native, pointers.data(), block.memory, /*arena=*/nullptr, &status);
  }
  if (status.code)
    throwRunError(status);
  return nb::make_tuple(block.array, kept);
}

} // namespace hloc::python
