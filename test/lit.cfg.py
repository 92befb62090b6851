# SPDX-License-Identifier: Apache-2.0
"""The lit suite: every .hlo, .mlir and .test file below this folder that is a test by itself.

RUN lines use the programs by their plain names: hloc, hlo-opt, hlo-run of this build, and LLVM's
FileCheck, not, count, split-file, mlir-opt, llvm-objdump and so on. Substitutions beside lit's
own (%s, %t, ...): %exits N (runs the command after it, which must exit with status N), %python,
%cc and %cxx (the compilers of this build), %runtime_include and %runtime_lib (the runtime's
headers and library).

Features for REQUIRES lines: avx2, avx512 and avx512bf16 (what this processor runs), numpy (%python
has it), mpi (%mpirun N starts N processes of what follows), hosts (mpirun is OpenMPI's, and network
namespaces can be made, as root alone can), emulators (of AArch64 and RISC-V, with clang and lld to make code for
them), matrices (what follows %matrices can use matrix registers, of the processor or emulated, and
it can run the other code for Sapphire Rapids), and chromium (a browser, such as Debian's package
`chromium`)."""

import os
import shutil
import subprocess

import lit.formats

config.name = "hloc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".hlo", ".mlir", ".test"]
config.test_source_root = config.source_dir
config.test_exec_root = config.build_dir

# Folders whose .hlo files are the data of other tests.
config.excludes = ["Inputs", "benchmark", "cases", "digits", "language_model", "package", "participants",
                   "reproducible"]

config.environment["PATH"] = os.pathsep.join(
    [config.program_dir, config.llvm_dir, os.environ.get("PATH", "")])
config.environment["FILECHECK_OPTS"] = "--dump-input-filter=all"
# glibc fills fresh memory with bytes of 0x7f, so that what reads or returns memory that was never
# written shows: as floats these are huge or NaN.
config.environment["MALLOC_PERTURB_"] = "128"
for variable in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]

# The plan of memory is checked in every run.
config.substitutions += [
    (r"(?<![\w/-])hlo-run(?= )", "hlo-run --check-buffers"),
    ("%exits", f"{config.python} {config.source_dir}/tools/Inputs/exits.py"),
    ("%python", config.python),
    ("%cxx", config.cxx_compiler),
    ("%cc", config.c_compiler),
    ("%runtime_include", config.runtime_include_dir),
    ("%runtime_lib", config.runtime_library_dir),
]


def processor_flags():
    with open("/proc/cpuinfo") as info:
        for line in info:
            if line.startswith("flags"):
                return set(line.split())
    return set()


flags = processor_flags()
for feature, flag in (("avx2", "avx2"), ("avx512", "avx512f"), ("avx512bf16", "avx512_bf16")):
    if flag in flags:
        config.available_features.add(feature)

if os.path.exists(os.path.join(config.runtime_library_dir, "libhlort_mpi_process.so")):
    config.available_features.add("mpi")
    config.substitutions.append(("%mpirun", f"{config.mpirun} -n"))
    # OpenMPI's leave to run in a container, and with more processes than cores.
    for variable in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                     "OMPI_MCA_rmaps_base_oversubscribe"):
        config.environment[variable] = "1"


def can_make_hosts():
    trial = ("set -e; mkdir -p /run/netns; mount -t tmpfs hosts /run/netns; ip netns add trial; "
             f"ip netns exec trial {config.mpirun} --version")
    if os.geteuid() != 0:
        return False
    try:
        result = subprocess.run(["unshare", "--mount", "sh", "-c", trial], capture_output=True, text=True)
    except OSError:
        return False
    return result.returncode == 0 and ("Open MPI" in result.stdout or "OpenRTE" in result.stdout)


if "mpi" in config.available_features and can_make_hosts():
    config.available_features.add("hosts")

if all(map(shutil.which, ("qemu-aarch64", "qemu-riscv64", "ld.lld"))) and "clang" in config.c_compiler:
    config.available_features.add("emulators")

# Of the features of Sapphire Rapids the rarest, and the emulator of those that may be missing.
emulator = os.path.join(config.program_dir, "matrix-emulator.so")
if "avx512_fp16" in flags and os.path.exists(emulator):
    config.available_features.add("matrices")
    config.substitutions.append(("%matrices", f"env LD_PRELOAD={emulator}"))

if any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))):
    config.available_features.add("chromium")

if subprocess.run([config.python, "-c", "import numpy"], stderr=subprocess.DEVNULL).returncode == 0:
    config.available_features.add("numpy")
