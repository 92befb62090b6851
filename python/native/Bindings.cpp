// SPDX-License-Identifier: Apache-2.0
// The module hloc._native: Python bindings of libhloc.so. The public classes in python/hloc are
// based on it.
#include "Ffi.h"
#include "Program.h"
#include "hlort/weights.h"
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;
using namespace hloc::python;

static nb::tuple makeTuple(const int64_t *numbers, int64_t count) {
  nb::list list;
  for (int64_t i = 0; i < count; ++i)
    list.append(numbers[i]);
  return nb::tuple(list);
}

/// (severity, code, text, file, line, column) of each message.
static nb::list getMessages(const hloc_result *result) {
  size_t count = 0;
  const hloc_message *messages = hloc_get_messages(result, &count);
  auto text = [](const char *bytes) {
    return nb::steal(PyUnicode_DecodeUTF8(bytes, Py_ssize_t(strlen(bytes)), "replace"));
  };
  nb::list list;
  for (size_t i = 0; i < count; ++i)
    list.append(nb::make_tuple(messages[i].severity, messages[i].code, text(messages[i].text),
                               text(messages[i].file), messages[i].line, messages[i].column));
  return list;
}

/// (outcome, messages, messages as printed, program or None).
static nb::tuple describe(SharedResult result, bool isOpened, nb::dict customCalls) {
  const char *printed = hloc_get_printed_messages(result.get());
  nb::object text =
      nb::steal(PyUnicode_DecodeUTF8(printed, Py_ssize_t(strlen(printed)), "replace"));
  nb::object program = nb::none();
  int32_t outcome = hloc_get_outcome(result.get());
  nb::list messages = getMessages(result.get());
  std::shared_ptr<CustomCalls> calls =
      customCalls.size() ? std::make_shared<CustomCalls>(customCalls) : nullptr;
  if (outcome == HLOC_DONE)
    program = nb::cast(new Program(std::move(result), isOpened, std::move(calls)),
                       nb::rv_policy::take_ownership);
  return nb::make_tuple(outcome, messages, text, program);
}

/// A parameter's name, its element type, its sizes and its bytes.
using BoundArray = std::tuple<std::string, int32_t, std::vector<int64_t>,
                              nb::ndarray<nb::ro, uint8_t, nb::c_contig, nb::device::cpu>>;

static nb::tuple
compile(std::optional<nb::bytes> text, const std::string &file, std::optional<std::string> name,
        std::optional<std::string> cpu, int level, int threads, bool fastMath, bool flushSubnormals,
        bool excessPrecision, int bf16Dot, bool reproducible, nb::dict customCalls,
        const std::vector<std::string> &bind, const std::vector<std::string> &bindAll,
        const std::vector<BoundArray> &arrays, std::optional<std::string> cache, uint64_t cacheSize,
        double timeBudget, const std::vector<std::string> &prepare) {
  std::vector<const char *> bindTexts, bindAllTexts, prepareTexts;
  for (const std::string &one : bind)
    bindTexts.push_back(one.c_str());
  for (const std::string &all : bindAll)
    bindAllTexts.push_back(all.c_str());
  for (const std::string &one : prepare)
    prepareTexts.push_back(one.c_str());
  std::vector<hloc_bound_array> bound;
  for (const auto &[arrayName, type, dims, bytes] : arrays)
    bound.push_back({arrayName.c_str(), type, int32_t(dims.size()), dims.data(), bytes.data()});
  hloc_options options = {};
  options.bind = bindTexts.data();
  options.bind_count = bindTexts.size();
  options.bind_all = bindAllTexts.data();
  options.bind_all_count = bindAllTexts.size();
  options.arrays = bound.data();
  options.array_count = bound.size();
  options.file = file.c_str();
  options.text = text ? text->c_str() : nullptr;
  options.text_size = text ? text->size() : 0;
  options.name = name ? name->c_str() : nullptr;
  options.cpu = cpu ? cpu->c_str() : nullptr;
  options.level = level + 1;
  options.threads = threads;
  options.fast_math = fastMath;
  options.flush_subnormals = flushSubnormals;
  options.excess_precision = excessPrecision;
  options.bf16_dot = bf16Dot;
  options.cache = cache ? cache->c_str() : nullptr;
  options.cache_size = cacheSize;
  options.time_budget = timeBudget;
  options.reproducible = reproducible;
  options.prepare = prepareTexts.data();
  options.prepare_count = prepareTexts.size();
  SharedResult result;
  {
    nb::gil_scoped_release unlocked;
    result.reset(hloc_compile(&options), hloc_destroy);
  }
  return describe(std::move(result), /*isOpened=*/false, customCalls);
}

static nb::tuple open(const std::string &file) {
  return describe(SharedResult(hloc_open(file.c_str()), hloc_destroy), /*isOpened=*/true,
                  nb::dict());
}

static void save(const Program &program, const std::string &file) {
  hlort_status status = {};
  {
    nb::gil_scoped_release unlocked;
    hloc_save(program.getResult().get(), file.c_str(), &status);
  }
  if (status.code)
    throwRunError(status);
}

static void loadWeights(const Program &program, const std::string &file) {
  hlort_status status = {};
  hloc_load_weights(program.getResult().get(), file.c_str(), &status);
  if (status.code)
    throwRunError(status);
}

/// (name, element type, shape, source) of each.
static nb::list getBound(const Program &program) {
  const hlort_module &module = program.getModule();
  nb::list list;
  for (int64_t i = 0; i < module.bound_count; ++i) {
    const hlort_bound &bound = module.bound[i];
    list.append(nb::make_tuple(bound.name, bound.element_type, makeTuple(bound.dims, bound.rank),
                               bound.source));
  }
  return list;
}

static nb::list getPorts(const hlort_port *ports, int64_t count) {
  nb::list list;
  for (int64_t i = 0; i < count; ++i)
    list.append(nb::cast(&ports[i], nb::rv_policy::reference));
  return list;
}

/// For each argument, except the block of prepared arrays, whether it is a prepared parameter.
static nb::list getPrepared(const Program &program) {
  const hlort_module &module = program.getModule();
  const hlort_preparation *about = module.preparation;
  nb::list list;
  for (int64_t i = 0; i < (about ? about->argument : module.argument_count); ++i)
    list.append(about && (about->uses[i] & HLORT_PREPARED_PARAMETER));
  return list;
}

static void bindPort(nb::module_ &m) {
  nb::class_<hlort_port>(m, "Port")
      .def_ro("name", &hlort_port::name)
      .def_ro("element_type", &hlort_port::element_type)
      .def_ro("nbytes", &hlort_port::bytes)
      .def_ro("alias", &hlort_port::alias)
      .def_prop_ro("shape", [](const hlort_port &port) { return makeTuple(port.dims, port.rank); })
      .def_prop_ro("minor_to_major",
                   [](const hlort_port &port) { return makeTuple(port.minor_to_major, port.rank); })
      .def_prop_ro("has_sizes", [](const hlort_port &port) { return port.sizes != nullptr; });
}

/// Functions of a program's custom calls may refer to the program: the garbage collector has to
/// know.
static int traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  auto *calls =
      nb::inst_ready(self) ? nb::inst_ptr<Program>(self)->getCustomCalls().get() : nullptr;
  return calls ? calls->traverse(visit, arg) : 0;
}

static int clear(PyObject *self) {
  if (auto *calls = nb::inst_ptr<Program>(self)->getCustomCalls().get())
    calls->clear();
  return 0;
}

static PyType_Slot programSlots[] = {{Py_tp_traverse, reinterpret_cast<void *>(traverse)},
                                     {Py_tp_clear, reinterpret_cast<void *>(clear)},
                                     {0, nullptr}};

NB_MODULE(_native, m) {
  bindPort(m);
  nb::class_<Context>(m, "Context")
      .def(
          "__init__",
          [](Context *self, int threads) {
            new (self) Context{std::make_shared<Threads>(threads)};
          },
          "threads"_a)
      .def_prop_ro("threads", [](const Context &context) { return context.threads->getCount(); });
  nb::class_<Program>(m, "Program", nb::type_slots(programSlots))
      .def("call", &Program::call, "context"_a.none(), "arguments"_a, "convert"_a, "in_place"_a)
      .def("prepare", &Program::prepare, "context"_a.none(), "arguments"_a, "convert"_a)
      .def_prop_ro("prepared", &getPrepared)
      .def("save", &save, "file"_a)
      .def("load_weights", &loadWeights, "file"_a)
      .def_prop_ro("bound", &getBound)
      .def_prop_ro("weights_file",
                   [](const Program &program) {
                     const hlort_weights *weights = program.getModule().weights;
                     return std::string(weights ? weights->file : "");
                   })
      .def_prop_ro("weights",
                   [](const Program &program) {
                     size_t size = 0;
                     const char *bytes = hloc_get_weights(program.getResult().get(), &size);
                     return nb::bytes(bytes, size);
                   })
      .def_prop_ro("name", [](const Program &program) { return program.getModule().name; })
      .def_prop_ro("target", [](const Program &program) { return program.getModule().target; })
      .def_prop_ro("arena_bytes",
                   [](const Program &program) { return program.getModule().arena_bytes; })
      .def_prop_ro("needs_participants",
                   [](const Program &program) { return program.getModule().program != nullptr; })
      .def_prop_ro("arguments",
                   [](const Program &program) {
                     const hlort_module &module = program.getModule();
                     return getPorts(module.arguments, module.argument_count);
                   })
      .def_prop_ro("results",
                   [](const Program &program) {
                     const hlort_module &module = program.getModule();
                     return getPorts(module.results, module.result_count);
                   })
      .def_prop_ro("object",
                   [](const Program &program) {
                     size_t size = 0;
                     const char *bytes = hloc_get_object(program.getResult().get(), &size);
                     return nb::bytes(bytes, size);
                   })
      .def_prop_ro("header", [](const Program &program) {
        size_t size = 0;
        const char *text = hloc_get_header(program.getResult().get(), &size);
        return nb::str(text ? text : "", size);
      });
  m.def("compile", &compile, "text"_a.none(), "file"_a, "name"_a.none(), "cpu"_a.none(), "level"_a,
        "threads"_a, "fast_math"_a, "flush_subnormals"_a, "excess_precision"_a, "bf16_dot"_a,
        "reproducible"_a, "custom_calls"_a, "bind"_a, "bind_all"_a, "arrays"_a, "cache"_a.none(),
        "cache_size"_a, "time_budget"_a, "prepare"_a);
  m.def("open", &open, "file"_a);
  m.def("version", &hloc_version);
  bindFfi(m);
}
