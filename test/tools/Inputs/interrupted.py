# SPDX-License-Identifier: Apache-2.0
"""interrupted.py DIR HLOC MODULE: what stays in DIR when a compile does not come to its end.

The compile is ended by a signal after various times, and then refused more than a few bytes of
output, as on a full disk. DIR must hold no file afterwards, or, if the compile was quicker than
the signal, a whole object."""

import os
import pathlib
import resource
import signal
import subprocess
import sys

folder, hloc, module = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
folder.mkdir()


def compile_into(folder, **options):
    return subprocess.Popen([hloc, module, "-o", folder / "model.o"], stderr=subprocess.PIPE, **options)


def check(what, finished):
    left = sorted(p.name for p in folder.iterdir())
    if left != (["model.h", "model.o"] if finished else []):
        sys.exit(f"{what}: left behind {left}")
    for file in folder.iterdir():
        file.unlink()


for milliseconds in (0, 5, 20, 50, 100, 200, 400):
    for sent in (signal.SIGTERM, signal.SIGINT):
        process = compile_into(folder)
        try:
            process.wait(milliseconds / 1000)
        except subprocess.TimeoutExpired:
            process.send_signal(sent)
        process.communicate()
        check(f"{sent.name} after {milliseconds} ms", process.returncode == 0)


# What cannot be caught may leave a temporary file, but never a part under a name that was asked for.
process = compile_into(folder)
process.communicate()
whole = {p.name: p.stat().st_size for p in folder.iterdir()}
for milliseconds in (5, 50, 100, 200, 300):
    for file in folder.iterdir():
        file.unlink()
    process = compile_into(folder)
    try:
        process.wait(milliseconds / 1000)
    except subprocess.TimeoutExpired:
        process.kill()
    process.communicate()
    for file in folder.iterdir():
        if file.suffix != ".tmp" and file.stat().st_size != whole[file.name]:
            sys.exit(f"killed after {milliseconds} ms: {file.name} is cut")
for file in folder.iterdir():
    file.unlink()


def refuse_output():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))


process = compile_into(folder, preexec_fn=refuse_output)
message = process.communicate()[1].decode()
if process.returncode != 1 or "error: " not in message:
    sys.exit(f"full disk: exit status {process.returncode}, {message!r}")
check("full disk", False)
