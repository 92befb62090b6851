# SPDX-License-Identifier: Apache-2.0
"""change_floats.py FILE COPY NUMBER...: copies the file, in which this run of f32 numbers must stand, with the
first of them negated wherever it does."""

import pathlib
import shutil
import struct
import sys

source, target, numbers = sys.argv[1], sys.argv[2], [float(number) for number in sys.argv[3:]]
data = pathlib.Path(source).read_bytes()
run = struct.pack(f"<{len(numbers)}f", *numbers)
if run not in data:
    sys.exit(f"{source}: the numbers are not there")
shutil.copy(source, target)
numbers[0] = -numbers[0]
pathlib.Path(target).write_bytes(data.replace(run, struct.pack(f"<{len(numbers)}f", *numbers)))
