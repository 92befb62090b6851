#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the fuzzers, seeded with real modules, and says how to repeat what they found.

    test/fuzz/run.py [--seconds S | --rounds R] [--seed N] [--programs build/fuzz/bin] [--work DIR] [NAME...]

NAME is fuzz-parse or fuzz-evaluate; both if none is given, half the time each. Seeds are the small
modules of ../shared/public and ../shared/jax if these are there, and the project's own examples.
With --seconds the fuzzers search: which inputs they try depends on the code. With --rounds they
try R mutations of each module, which depend on the module and the seed alone. --work keeps the
corpus from one run to the next. The seed of the random numbers is printed. Exit code 1 if a fuzzer
found a fault, whose input then stands in the work folder."""

import argparse
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MAX_BYTES = 4096


def seeds():
    """Small modules, real ones first."""
    for folder in ("public/xla-modules", "public/xla-values", "public/stablehlo", "jax"):
        yield from sorted((ROOT.parent / "shared" / folder).rglob("*.hlo"))
    for folder in ("hlo", "text", "evaluator"):
        yield from sorted((ROOT / "test" / folder).rglob("*.hlo"))


def list_search(options, name, modules, work):
    """The arguments of a fuzzer that searches from the modules for new inputs."""
    corpus, own = work / "seeds", work / name
    for folder in (corpus, own):
        folder.mkdir(parents=True, exist_ok=True)
    copies = []
    for path in modules:
        copies.append(str(corpus / f"{len(copies)}.hlo"))
        shutil.copyfile(path, copies[-1])
    # A list, because a folder is read in the order of the file system, which differs by machine.
    order = work / "seeds.txt"
    order.write_text(",".join(copies))
    # Participants are threads, and what nests deeply needs stack: the limit is generous.
    return [f"-seed={options.seed}", f"-max_len={MAX_BYTES}", f"-max_total_time={options.seconds}", "-timeout=30",
            "-rss_limit_mb=3000", "-print_final_stats=1", f"-artifact_prefix={work}/{name}-fault-",
            f"-seed_inputs=@{order}", str(own)]


def list_fixed(options, name, modules, work):
    """The arguments of a fuzzer that tries fixed inputs (FixedInputs.cpp)."""
    order = work / "modules.txt"
    order.write_text("".join(f"{path}\n" for path in modules))
    return [f"--fixed={options.rounds},{options.seed},{work}/{name}-fault-input,{order}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seed", type=int, default=random.randrange(1, 1 << 31))
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "build/fuzz/bin")
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    names = options.names or ["fuzz-parse", "fuzz-evaluate"]
    work = options.work or pathlib.Path(tempfile.mkdtemp(prefix="hloc-fuzz-"))
    work.mkdir(parents=True, exist_ok=True)
    modules = [path for path in seeds() if path.stat().st_size <= MAX_BYTES]
    options.seconds = max(1, options.seconds // len(names))
    found = []
    for name in names:
        print(f"{name}: seed {options.seed}, {len(modules)} modules, in {work}", flush=True)
        arguments = (list_fixed if options.rounds else list_search)(options, name, modules, work)
        done = subprocess.run([options.programs / name, *arguments], stderr=subprocess.PIPE, text=True, errors="replace")
        lines = done.stderr.splitlines()
        if done.returncode:
            print("\n".join(lines[-200:]))
            found += [f"{name}: {line}" for line in lines
                      if re.match(r"SUMMARY|fault:|.*runtime error:", line)] or [name]
        print("\n".join(line for line in lines if line.startswith(("stat::", "Done"))), flush=True)
    if found:
        print(f"inputs with faults: {work}/*-fault-*", *found, sep="\n")
    elif not options.work:
        shutil.rmtree(work)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
