# SPDX-License-Identifier: Apache-2.0
"""at_once.py N COMMAND...: starts N of the command at once, each with an output of its own, and compares those."""

import pathlib
import subprocess
import sys

count, command = int(sys.argv[1]), sys.argv[2:]
outputs = [pathlib.Path(f"at-once-{i}.o") for i in range(count)]
processes = [subprocess.Popen([*command, "-o", output], stderr=subprocess.PIPE, text=True) for output in outputs]
for process in processes:
    _, said = process.communicate()
    assert process.returncode == 0 and not said, said
assert len({output.read_bytes() for output in outputs}) == 1
