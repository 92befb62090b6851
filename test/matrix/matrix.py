# SPDX-License-Identifier: Apache-2.0
"""Runs every operation in every element type, and keeps what came of it in test/matrix/matrix.json.

    python3 test/matrix/matrix.py --programs build/release/bin [--match OPCODE] [--jobs 2]
    python3 test/matrix/matrix.py --programs build/release/bin --check [--share 0.1]

An operation's examples are test/hlo/operations/OPCODE.hlo. They are written anew with each of HLO's
element types in place of one of theirs, and some of those with other sizes in place of one of theirs
or with other layouts; what the verifier refuses is passed over. Each is compiled in one of several
configurations and compared with the evaluator. An entry of the matrix is an opcode and the element
type of its first result, or of its first parameter where the result is of type pred: how many cases
ran, how many of them were refused (exit code 3) and failed (differ by more than the operations'
errors, or end otherwise), and the greatest distance from the evaluator's result in ulp (in ones for
integers). docs/generate.py makes the table in docs/operations.md from it.

--check runs a share of the cases, always the same ones, and fails where an entry is worse than the
one that is kept: refused or failed where there was code, or further from the evaluator."""

import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KEPT = ROOT / "test/matrix/matrix.json"
TYPES = ("pred s1 s2 s4 s8 s16 s32 s64 u1 u2 u4 u8 u16 u32 u64 f4e2m1fn f8e3m4 f8e4m3 f8e4m3b11fnuz f8e4m3fn "
         "f8e4m3fnuz f8e5m2 f8e5m2fnuz f8e8m0fnu f16 bf16 f32 f64 c64 c128").split()
TYPE = re.compile(r"\b(" + "|".join(TYPES) + r")\[")
SHAPE = re.compile(r"\b(" + "|".join(TYPES) + r")\[([0-9,]*)\](\{[0-9,]*\})?")
# Sizes in place of one of an example's, and shapes in place of an elementwise one's: none, one,
# primes, a lane more or less than vectors have, ranks 0 to 6.
SIZES = [0, 1, 7, 15, 17, 33]
SHAPES = ["", "0", "1", "15", "17", "3,5", "2,3,7", "1,2,3,4", "2,1,2,1,5", "2,1,2,1,2,3"]
# The first is that of the machine at hand, and takes no part in distances.
CONFIGURATIONS = ["-O3", "-O3 --mcpu=x86-64-v3", "-O3 --mcpu=x86-64-v2", "-O0 --mcpu=x86-64-v3"]
SECONDS = 60
# Of some examples a part is replaced before: a narrow type does not count to 10, and offsets and sizes of slices that
# fit are not to be had at random.
REPLACED = {
    "while": [("constant(10)", "constant(1)")],
    "ragged-all-to-all": [
        ("parameter(2)", "constant({0, 3})"), ("parameter(3)", "constant({2, 2})"),
        ("output_offsets = s32[2] parameter(4)", """number = u32[] replica-id()
  index = s32[] convert(number)
  four = s32[] constant(4)
  offset = s32[] multiply(index, four)
  output_offsets = s32[2] broadcast(offset), dimensions={}"""),
        ("parameter(5)", "constant({2, 2})")]}
WIDTHS = {kind: int(re.search(r"\d+", kind)[0]) for kind in TYPES if kind != "pred"}
WIDER = [("f32", "f64"), ("c64", "c128")]
FLAGS = [("negate(x)", "not(x)")]
# Further variants of some examples, for element types that no single replacement reaches.
FURTHER = {
    **{opcode: [FLAGS] for opcode in ("async-done", "async-start", "async-update", "call", "conditional", "fusion")},
    "compare": [[(", type=TOTALORDER", "")], [("direction=LT, type=TOTALORDER", "direction=NE")]],
    "complex": [WIDER], "real": [WIDER], "imag": [WIDER],
    "constant": [[("{{1, 2}, {3, -inf}}", numbers)] for numbers in
                 ("{{1, 0}, {0, 1}}", "{{-1, 0}, {0, -1}}", "{{true, false}, {false, true}}", "{{(1, 2), (0, -inf)}, {(nan, 0), (-0, 3)}}")],
    "convert": [[("bf16[4] convert", "pred[4] convert")]],
    "fft": [WIDER] + [replaced + wider for wider in ([], WIDER) for replaced in (
        [("fft_type=RFFT", "fft_type=FFT"), ("f32[8]", "c64[8]"), ("c64[5]", "c64[8]")],
        [("fft_type=RFFT", "fft_type=IFFT"), ("f32[8]", "c64[8]"), ("c64[5]", "c64[8]")],
        [("fft_type=RFFT", "fft_type=IRFFT"), ("c64[5]", "c32[8]"), ("f32[8]", "c64[5]"), ("c32[8]", "f32[8]")])],
    # Types of the same width, and several elements in one.
    "bitcast-convert": [[("x = f32[4]", f"x = {old}[4]"), ("u8[4,4]", new)] for old, new in [
        pair for kind, width in WIDTHS.items() if width < 128 for pair in ((kind, f"u{width}[4]"), (f"u{width}", f"{kind}[4]"))] + [
            ("u64", "s16[4,4]"), ("f64", "f16[4,4]"), ("c128", "c64[4,2]"), ("c128", "f32[4,4]"), ("c64", "s8[4,8]"), ("f64", "f32[4,2]"),
            ("u16", "u4[4,4]"), ("s64", "bf16[4,4]"), ("s16", "s2[4,8]"), ("u8", "u1[4,8]"), ("f64", "c64[4]"), ("c64", "c64[4]")]],
}
# The custom call is LAPACK's function for the type, of which there are four.
FACTORIZATIONS = {f"{kind}[": f"lapack_{letter}potrf_ffi"
                  for kind, letter in (("f32", "s"), ("f64", "d"), ("c64", "c"), ("c128", "z"))}
# Slices that fit into arrays of one size alone.
ONE_SIZE = ["ragged-all-to-all"]
# Random numbers are not the evaluator's, nor is what LAPACK leaves of a matrix that has no factors: these are only run.
NOT_COMPARED = ["custom-call", "rng"]


def make_variants(text, other_sizes):
    """The example in other types, layouts and, perhaps, sizes."""
    texts = [text]
    for old in sorted(set(TYPE.findall(text))):
        texts += [re.sub(rf"\b{old}\[", f"{new}[", text) for new in TYPES if new != old]
    shapes = {match[1] for match in SHAPE.findall(text)}
    typed = list(texts)
    for number, one in enumerate(typed):
        if len(shapes) == 1:
            options = [SHAPE.sub(lambda m, s=shape: f"{m[1]}[{s}]", one) for shape in SHAPES]
        else:
            sizes = sorted({size for shape in shapes for size in shape.split(",") if size})
            options = [re.sub(rf"(?<![\w.-]){size}(?![\w.-])", str(other), one)
                       for size in sizes for other in SIZES]
        # All of them in the example's own type, some in others.
        step = 1 if number == 0 else 24
        if other_sizes:
            texts += options[number % step::step]
    return texts + [add_layouts(one) for one in typed[::8]]


def make_further(opcode, text):
    """Further variants of an example, each also with every other type in place of one of its types."""
    texts = []
    for replacements in FURTHER.get(opcode, []):
        other = text
        for old, new in replacements:
            other = other.replace(old, new)
        texts += [other] + [re.sub(rf"\b{old}\[", f"{new}[", other)
                            for old in sorted(set(TYPE.findall(other))) for new in TYPES if new != old]
    return texts


def name_function(text):
    """The custom call with the function for its type; nothing where there is none."""
    called = re.search(r"\((\w+\[)\S*, s32\[\]\) custom-call", text)
    function = FACTORIZATIONS.get(called[1]) if called else None
    return function and text.replace("lapack_spotrf_ffi", function)


def add_layouts(text):
    """The parameters' first dimension varies fastest."""
    def reverse(match):
        rank = len(match[2].split(",")) if match[2] else 0
        return f"{match[1]}[{match[2]}]" + ("{" + ",".join(map(str, range(rank))) + "}") + match[4]
    return re.sub(SHAPE.pattern + r"( parameter\()", reverse, text)


def kind_of(text):
    """The element type of the entry's first result, or of its first parameter where that is pred."""
    entry = text[text.rfind("ENTRY"):]
    root = re.findall(r"^\s*ROOT\b(.*)", entry, re.MULTILINE)
    found = TYPE.search(root[-1]) if root else None
    first = re.search(r"= " + TYPE.pattern + r".* parameter\(0\)", entry)
    if first and (not found or found[1] == "pred"):
        found = first
    return found[1] if found else "none"


def collect_cases(programs, folder, match, share=1):
    """(opcode, path, configuration) of the variants that the verifier admits, or of a share of them."""
    named, seen = {}, set()
    for example in sorted((ROOT / "test/hlo/operations").glob("*.hlo")):
        if not re.search(match, example.stem):
            continue
        text = "\n".join(line for line in example.read_text().split("\n") if not line.startswith("//"))
        for old, new in REPLACED.get(example.stem, []):
            text = text.replace(old, new)
        variants = make_variants(text, example.stem not in ONE_SIZE) + make_further(example.stem, text)
        if example.stem == "custom-call":
            variants = list(filter(None, map(name_function, variants)))
        for number, variant in enumerate(variants):
            turn = int(hashlib.sha256(variant.encode()).hexdigest(), 16)
            if variant not in seen and turn % 1009 < share * 1009:
                seen.add(variant)
                path = folder / f"{example.stem}.{number}.hlo"
                path.write_text(variant)
                named[str(path)] = example.stem, CONFIGURATIONS[turn // 1009 % len(CONFIGURATIONS)]
    right, paths = [], list(named)
    for first in range(0, len(paths), 200):
        done = subprocess.run([programs / "hlo-opt", "--verify-only", *paths[first:first + 200]],
                              capture_output=True, text=True, check=False)
        right += [line[:-len(": ok")] for line in done.stdout.splitlines() if line.endswith(": ok")]
    return [(named[path][0], path, named[path][1]) for path in right]


def participants_of(text):
    """The options for as many participants as the text names."""
    groups = re.findall(r"(?:replica_groups|source_target_pairs)=\{((?:\{[0-9, ]*\},? ?)+)\}", text)
    count = max((int(number) for group in groups for number in re.findall(r"\d+", group)), default=0) + 1
    if count == 1:
        return []
    return [f"--partitions={count}" if "channel_id=" in text else f"--replicas={count}"]


def run_case(programs, case):
    """(outcome, ulp, what was said) of one."""
    opcode, path, configuration = case
    command = [programs / "hlo-run", path, "--max-seconds=20", *configuration.split(),
               *participants_of(pathlib.Path(path).read_text())]
    if opcode not in NOT_COMPARED:
        command.append("--compare")
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return "failed", 0, "no end"
    if done.returncode != 0:
        said = (done.stderr.strip().splitlines() or [""])[0]
        return "refused" if done.returncode == 3 else "failed", 0, f"exit {done.returncode}: {said}"
    apart = [float(number) for number in re.findall(r"^compare out\d+: (\S+)", done.stdout, re.MULTILINE)]
    return "same", max(apart, default=0) if "--mcpu" in configuration else 0, ""


def gather(programs, cases, jobs, verbose):
    matrix = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for case, (outcome, ulp, said) in zip(cases, pool.map(lambda one: run_case(programs, one), cases)):
            kind = kind_of(pathlib.Path(case[1]).read_text())
            entry = matrix.setdefault(case[0], {}).setdefault(
                kind, {"cases": 0, "refused": 0, "failed": 0, "ulp": 0})
            entry["cases"] += 1
            entry["ulp"] = max(entry["ulp"], ulp)
            if outcome != "same":
                entry[outcome] += 1
                if verbose or outcome == "failed":
                    print(f"{outcome} {kind} {case[2]}: {pathlib.Path(case[1]).name}: {said}", flush=True)
    return matrix


def compare(kept, found):
    """Entries that are worse than the ones kept, in words."""
    worse = []
    for opcode, types in found.items():
        for kind, entry in types.items():
            before = kept.get(opcode, {}).get(kind)
            if before is None:
                worse.append(f"{opcode} {kind}: not in the matrix")
                continue
            worse += [f"{opcode} {kind}: {entry[word]} {word}, were {before[word]} of all"
                      for word in ("refused", "failed") if entry[word] > before[word]]
            if entry["ulp"] > before["ulp"] + 1:  # libraries of the machine differ by as much
                worse.append(f"{opcode} {kind}: {entry['ulp']:g} ulp apart, were {before['ulp']:g}")
    return worse


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--match", default="", help="opcodes, a regular expression")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--share", type=float, default=1, help="of the cases to run")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cases = collect_cases(options.programs, pathlib.Path(folder), options.match, options.share)
        found = gather(options.programs, cases, options.jobs, verbose=not options.check)
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    print(f"{len(cases)} cases of {len(found)} operations")
    if options.check:
        worse = compare(kept, found)
        sys.exit("\n".join(worse) or None)
    kept.update(found)
    lines = [f'  "{opcode}": {{\n' + ",\n".join(
        f'    "{kind}": {json.dumps(entry)}' for kind, entry in sorted(
            kept[opcode].items(), key=lambda item: (TYPES + ["none"]).index(item[0]))) + "\n  }"
             for opcode in sorted(kept)]
    KEPT.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
