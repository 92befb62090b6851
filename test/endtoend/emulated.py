#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stands in for hlo-run where code is made for another machine: compiles a module for it, freestanding, links
it with host.c and runs it in an emulator. Needs clang, the other machine's C library and qemu-user.

    emulated.py MODULE --inputs-from=DIR --outputs-to=DIR --hloc=PATH --clang=PATH --include=DIR
                --triple=aarch64-linux-gnu [--mcpu=NAME] [--emulate=CPU] [-O3]

Exit status 0 if it ran, 3 if the object needs the runtime (custom calls, Fourier transforms), which is not
built for the other machine, or an instruction that the emulator has not; else 1 with a message."""

import argparse
import pathlib
import subprocess
import sys
import tempfile

# The processor to emulate by default: with vectors, of the length that code for any processor counts on.
PROCESSOR = {"riscv64": "rv64,v=true,vext_spec=v1.0,vlen=128"}
HOST = pathlib.Path(__file__).resolve().parent / "host.c"


def run(command, status=1):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if "decode_save_opc" in done.stderr:  # QEMU 7 ends so where RISC-V vectors become integers; 8 does not
        print("needs a newer emulator")
        sys.exit(3)
    if done.returncode != 0:
        print("error:", " ".join(map(str, command)), file=sys.stderr)
        print((done.stdout + done.stderr)[-2000:], file=sys.stderr)
        sys.exit(status)
    return done.stdout


def run_hloc(command):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode == 3:
        print("needs the runtime:", done.stderr.splitlines()[0])
        sys.exit(3)
    if done.returncode != 0:
        sys.exit(done.stderr[-2000:] or "hloc failed")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("module")
    for name in ("inputs-from", "outputs-to", "hloc", "clang", "include", "triple"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--mcpu", help="the processor to compile for")
    parser.add_argument("--emulate", help="the processor to emulate, by the emulator's name of it")
    options, rest = parser.parse_known_args()
    machine = options.triple.split("-")[0]
    with tempfile.TemporaryDirectory() as scratch:
        code, program = f"{scratch}/model.o", f"{scratch}/model"
        run_hloc([options.hloc, options.module, "-o", code, "--name=model", "--freestanding", f"--mtriple={options.triple}",
             *([f"--mcpu={options.mcpu}"] if options.mcpu else []), *rest])
        symbols = run(["/usr/bin/env", "llvm-nm-22", "--undefined-only", code])
        if "hlort_" in symbols:
            print("needs the runtime:", ", ".join(s for s in symbols.split() if s.startswith("hlort_")))
            sys.exit(3)
        run([options.clang, f"--target={options.triple}", "-O1", "-std=c11", "-fuse-ld=lld", "-static",
             f"-I{options.include}", HOST, code, "-lm", "-o", program])
        processor = options.emulate or PROCESSOR.get(machine)
        run([f"qemu-{machine}", *(["-cpu", processor] if processor else []), program, getattr(options, "inputs_from"), getattr(options, "outputs_to")])


if __name__ == "__main__":
    main()
