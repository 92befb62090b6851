# SPDX-License-Identifier: Apache-2.0
"""Changes protocol buffers at random and reads what comes out: hlo-opt must refuse it, with an error at a
place, or read it, and never end otherwise.

mutate.py HLO_OPT FOLDER COUNT [--seed N] SEED.pb..."""

import argparse
import pathlib
import random
import re
import subprocess
import sys

NUMBERS = [0, 1, 2, 3, 7, 8, 31, 32, 63, 64, 127, 128, 255, 1 << 16, 1 << 24, (1 << 31) - 1, 1 << 31, 1 << 32,
           1 << 40, (1 << 62), (1 << 63) - 1, 1 << 63, (1 << 64) - 2, (1 << 64) - 1]


def write_varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_varint(data, at):
    value = shift = 0
    while at < len(data) and shift < 64:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at
    raise ValueError


def decode(data):
    """[number, kind, value] of each field; a value is a number, bytes, or a list of fields."""
    fields, at = [], 0
    while at < len(data):
        key, at = read_varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, at = read_varint(data, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            value, at = data[at:at + size], at + size
        elif kind == 2:
            size, at = read_varint(data, at)
            value, at = data[at:at + size], at + size
            if at > len(data):
                raise ValueError
            try:
                value = decode(value) if value else value
            except ValueError:
                pass
        else:
            raise ValueError
        if number == 0:
            raise ValueError
        fields.append([number, kind, value])
    return fields


def encode(fields):
    out = bytearray()
    for number, kind, value in fields:
        out += write_varint(number << 3 | kind)
        if kind == 0:
            out += write_varint(value % (1 << 64))
        elif kind == 2:
            data = encode(value) if isinstance(value, list) else value
            out += write_varint(len(data)) + data
        else:
            out += value
    return bytes(out)


def lists(fields):
    found = [fields]
    for field in fields:
        if isinstance(field[2], list):
            found += lists(field[2])
    return found


def change_fields(rng, seeds, fields):
    """Changes some fields; the lengths around them stay right."""
    for _ in range(rng.choice([1, 1, 2, 4])):
        place = rng.choice([l for l in lists(fields) if l] or [fields])
        if not place:
            return
        at = rng.randrange(len(place))
        number, kind, value = place[at]
        what = rng.randrange(6)
        if what == 0:
            del place[at]
        elif what == 1:
            place.insert(rng.randrange(len(place) + 1), place[at])
        elif what == 2:
            place[at] = [rng.choice([number, rng.randrange(1, 100)]), kind, value]
        elif what == 3:
            other = rng.choice(lists(decode(rng.choice(seeds))))
            if other:
                place[at] = rng.choice(other)
        elif kind == 0:
            place[at] = [number, 0, rng.choice(NUMBERS + [value + 1, value - 1])]
        elif kind == 2 and not isinstance(value, list):
            place[at] = [number, 2, rng.choice([b"", value * 2, value[:-1], b"\xff\0\"}", b"constant", b"tuple",
                                                b"while", b"fusion", b"custom-call", b"parameter",
                                                write_varint(rng.choice(NUMBERS))])]


def change_bytes(rng, data):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 3, 10])):
        at = rng.randrange(len(data)) if data else 0
        what = rng.randrange(4)
        if what == 0 and data:
            data[at] = rng.randrange(256)
        elif what == 1:
            del data[at:at + rng.choice([1, 2, 10, 100])]
        elif what == 2:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.choice([1, 2, 8])))
        else:
            del data[rng.randrange(len(data) + 1):]
    return bytes(data)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("hlo_opt")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("count", type=int)
    parser.add_argument("seeds", nargs="+", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("seed", options.seed)
    rng = random.Random(options.seed)
    seeds = [path.read_bytes() for path in options.seeds]
    options.folder.mkdir(parents=True, exist_ok=True)
    accepted = 0
    for first in range(0, options.count, 100):
        files = []
        for i in range(first, min(first + 100, options.count)):
            data = rng.choice(seeds)
            if rng.random() < 0.75:
                fields = decode(data)
                change_fields(rng, seeds, fields)
                data = encode(fields)
            else:
                data = change_bytes(rng, data)
            files.append(options.folder / f"{i}.pb")
            files[-1].write_bytes(data)
        run = subprocess.run([options.hlo_opt, "--verify-only", *files], capture_output=True, text=True,
                             errors="replace", timeout=300)
        lines = [line for line in run.stdout.splitlines() if line.startswith(str(options.folder))]
        good = re.compile(r"\S+\.pb: ok$|\S+\.pb:\d+:\d+: error: .|"
                          r"\S+\.pb: error: (the file is empty|a binary file|the HloModuleProto is cut off)")
        wrong = [line for line in lines if not good.match(line)]
        if run.returncode not in (0, 1) or len(lines) != len(files) or wrong:
            print(f"{options.hlo_opt} --verify-only: status {run.returncode}, {len(lines)} lines for {len(files)} files",
                  *wrong, run.stderr[-2000:], sep="\n")
            return 1
        accepted += sum(line.endswith(": ok") for line in lines)
        for file in files:
            file.unlink()
    print(f"{accepted} of {options.count} are read")
    return 0


if __name__ == "__main__":
    sys.exit(main())
