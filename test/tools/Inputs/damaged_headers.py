# SPDX-License-Identifier: Apache-2.0
"""damaged_headers.py OBJECT DAMAGED COMMAND...: runs the command on copies of an ELF file in which one field of
one section's header is wrong. Each run has to end with status 0 or 1 and without an internal error."""

import struct
import subprocess
import sys

# Offset and size of sh_type, sh_flags, sh_offset, sh_size, sh_link, sh_info and sh_entsize.
FIELDS = [(4, 4), (8, 8), (24, 8), (32, 8), (40, 4), (44, 4), (56, 8)]
HEADER_BYTES = 64

source, damaged, *command = sys.argv[1:]
original = open(source, "rb").read()
table, = struct.unpack_from("<Q", original, 40)
count, = struct.unpack_from("<H", original, 60)
runs = 0
for section in range(count):
    for offset, size in FIELDS:
        for value in (1, (1 << (8 * size - 1)) - 1):
            at = table + section * HEADER_BYTES + offset
            data = bytearray(original)
            data[at:at + size] = value.to_bytes(size, "little")
            open(damaged, "wb").write(data)
            result = subprocess.run(command, capture_output=True, text=True)
            runs += 1
            if result.returncode not in (0, 1) or "internal error" in result.stderr:
                sys.exit(f"section {section}, offset {offset}, value {value}: status {result.returncode}\n{result.stderr}")
print(f"{runs} runs")
