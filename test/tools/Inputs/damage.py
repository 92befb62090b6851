# SPDX-License-Identifier: Apache-2.0
"""damage.py FOLDER cut|flip|empty|swap: does that to every entry of a compile cache."""

import pathlib
import sys

entries = sorted(pathlib.Path(sys.argv[1]).glob("llvmcache-*"))
contents = [entry.read_bytes() for entry in entries]
for i, entry in enumerate(entries):
    whole = contents[i]
    entry.write_bytes({
        "cut": whole[:-1],
        "flip": whole[:-1] + bytes([whole[-1] ^ 1]),
        "empty": b"",
        "swap": contents[i - 1],
    }[sys.argv[2]])
