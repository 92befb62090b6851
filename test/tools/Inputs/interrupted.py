# SPDX-License-Identifier: Apache-2.0
"""interrupted.py DIR HLOC MODULE: what stays in DIR when a compile does not come to its end.

The compile is ended by signals after various times, and then refused more than a few bytes of
output, as on a full disk. Afterwards DIR must hold either nothing, or all files, and these whole: the
compile may have been quicker than the signal."""

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


def clear():
    for file in folder.iterdir():
        file.unlink()


def check(what, finished, killed=False):
    left = {p.name: p.stat().st_size for p in folder.iterdir()}
    if killed:  # what cannot be caught may leave a temporary file, and stop between two names
        left = {name: size for name, size in left.items() if not name.endswith(".tmp")}
        good = left.items() <= whole.items()
    else:
        good = left == whole or not left
    if not good or (finished and left != whole):
        sys.exit(f"{what}: left behind {left}, of {whole}")
    clear()


compile_into(folder).communicate()
whole = {p.name: p.stat().st_size for p in folder.iterdir()}
if sorted(whole) != ["model.h", "model.o"]:
    sys.exit(f"not interrupted: made {whole}")
clear()

for milliseconds in (0, 5, 20, 50, 100, 200, 400):
    for sent in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
        process = compile_into(folder)
        try:
            process.wait(milliseconds / 1000)
        except subprocess.TimeoutExpired:
            process.send_signal(sent)
        process.communicate()
        check(f"{sent.name} after {milliseconds} ms", process.returncode == 0, sent == signal.SIGKILL)


def refuse_output():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))


process = compile_into(folder, preexec_fn=refuse_output)
message = process.communicate()[1].decode()
if process.returncode != 1 or "error: " not in message:
    sys.exit(f"full disk: exit status {process.returncode}, {message!r}")
check("full disk", False)
