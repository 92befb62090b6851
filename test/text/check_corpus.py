#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the reader and the printer over collections of HLO files.

    check_corpus.py --tool build/release/bin/hlo-opt [--accepted accepted.jsonl] [--xla] PATH...

PATH is a .hlo file, or a folder in which all .hlo files are taken. Every file must be read and
printed, and what is printed must print again unchanged. With --accepted, a list of what XLA does
with each file (objects with `file`, `parse` and, if that is not "ok", `rejected`): what it accepts
must be read, what it rejects refused, unless it is "newer", syntax of a later XLA. With --xla,
XLA's own parser (jaxlib) must read what is printed as the module that it reads from the original:
the two are compared as XLA prints them. Prints one line for each difference, then the counts; the
exit code is 0 if there is none."""

import argparse
import concurrent.futures
import difflib
import json
import os
import re
import subprocess
import sys


def run(tool, *arguments, text=None):
    done = subprocess.run([tool, *arguments], input=text, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def canonical(parse, text, elided):
    """XLA's print of the module, without what names alone decide and, if some are `elided`, without
    constants: XLA makes those up, from numbers that grow from one module to the next."""
    printed = parse(text).to_string()
    if elided:
        printed = re.sub(r" constant\(.*?\)(?=, |$)", " constant()", printed, flags=re.MULTILINE)
    return re.sub(r"^HloModule [^,\n]*", "HloModule m", printed)


def check(tool, path, expect):
    """The outcome for one file, and the printed text if there is one."""
    code, printed, errors = run(tool, "--no-verify", path)
    first = errors.strip().splitlines()[0] if errors.strip() else ""
    if code not in (0, 1, 3):
        return "crashed", f"exit code {code}: {errors[-300:]}", None
    if expect == "rejected":
        if code == 0:
            return "accepted wrongly", "", None
        return ("refused", "", None) if re.search(r":\d+:\d+: error:", errors) or ": error:" in first \
            else ("no place", first, None)
    if code != 0:
        return ("newer refused" if expect == "newer" else "refused wrongly"), first, None
    code, again, errors = run(tool, "--no-verify", "-", text=printed)
    if code != 0:
        return "printed text refused", errors.strip().splitlines()[0], printed
    if again != printed:
        return "not a fixed point", next(difflib.unified_diff(
            printed.splitlines(), again.splitlines(), lineterm="", n=0), ""), printed
    return "ok", "", printed


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--accepted")
    parser.add_argument("--xla", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", type=int, default=1000, help="lines about files at most")
    parser.add_argument("paths", nargs="+")
    options = parser.parse_args()

    files = []
    for path in options.paths:
        if os.path.isfile(path):
            files.append(path)
        for folder, _, names in os.walk(path):
            files += [os.path.join(folder, name) for name in sorted(names) if name.endswith(".hlo")]
    expectations = {}
    if options.accepted:
        with open(options.accepted) as lines:
            for line in lines:
                entry = json.loads(line)
                verdict = entry.get("rejected", "ok")
                expectations[entry["file"]] = verdict if verdict in ("ok", "newer") else "rejected"
    expected = [expectations.get(os.path.basename(file), "ok") for file in files]

    counts, shown = {}, 0

    def report(outcome, file, detail):
        nonlocal shown
        counts[outcome] = counts.get(outcome, 0) + 1
        if outcome not in ("ok", "refused") and shown < options.show:
            shown += 1
            print(f"{outcome}: {os.path.basename(file) if options.accepted else file}: {detail}")

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda pair: check(options.tool, *pair), zip(files, expected)))
    for file, expect, (outcome, detail, printed) in zip(files, expected, results):
        if outcome == "ok" and options.xla and expect == "ok":
            from jaxlib import _hlo
            with open(file) as source:
                original = source.read()
            try:
                before = canonical(_hlo.hlo_module_from_text, original, "{...}" in original)
            except Exception:
                report("ok, not read by XLA", file, "")
                continue
            try:
                after = canonical(_hlo.hlo_module_from_text, printed, "{...}" in original)
            except Exception as error:
                report("XLA refuses", file, " ".join(str(error).split())[:400])
                continue
            if before != after:
                difference = [line for line in difflib.unified_diff(
                    before.splitlines(), after.splitlines(), lineterm="", n=0)][2:6]
                outcome, detail = "XLA reads another", " | ".join(line[:250] for line in difference)
        report(outcome, file, detail)
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())))
    return 0 if set(counts) <= {"ok", "refused", "ok, not read by XLA"} else 1


if __name__ == "__main__":
    sys.exit(main())
