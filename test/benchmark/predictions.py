#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How well the cost model predicts what kernels take: predicted and measured times of all kernels.

    predictions.py [--threads N] [--mcpu NAME] [--match REGEX] [--seconds S] [--worst N]
                   [--least R] [--json FILE] [--hlo-run PATH] MODULE.hlo|FOLDER...

Runs `hlo-run --profile` of each module, or of NAME/module.hlo in each folder NAME of a folder, on
the arrays in0.npy, ... beside the module if there are any, else on random ones. Prints, for the
kernels of all modules together and for each kind:

    rank       Spearman's rank correlation of predicted and measured time of one launch
    ratio      the median of measured over predicted time
    within 2   the share of kernels whose time is between half and twice the predicted one

and the kernels that are furthest from their prediction, both ways. The exit status is 0 if every
module ran and the rank correlation over all kernels is at least R."""

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parent.parent / "build/release/bin"


def ranks(values):
    """The position of each value in ascending order; equal ones share the mean of theirs."""
    order = sorted(range(len(values)), key=values.__getitem__)
    result, begin = [0.0] * len(values), 0
    while begin < len(order):
        end = begin
        while end < len(order) and values[order[end]] == values[order[begin]]:
            end += 1
        for i in order[begin:end]:
            result[i] = (begin + end - 1) / 2
        begin = end
    return result


def rank_correlation(x, y):
    """Spearman's; nan if there is nothing to order."""
    if len(set(x)) < 2 or len(set(y)) < 2:
        return float("nan")
    return statistics.correlation(ranks(x), ranks(y))


def profile(module, options):
    """The kernels of a module, as dictionaries; raises RuntimeError if it does not run."""
    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch) / "profile.json"
        command = ["taskset", "-c", f"0-{options.threads - 1}", options.hlo_run, module, "-O3",
                   f"--threads={options.threads}", f"--benchmark={options.seconds}",
                   f"--profile={file}"]
        if options.mcpu:
            command.append(f"--mcpu={options.mcpu}")
        if (module.parent / "in0.npy").exists():
            command.append(f"--inputs-from={module.parent}")
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        if done.returncode != 0:
            lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
            raise RuntimeError(next((line for line in lines if "rror" in line), lines[-1]))
        rows = json.loads(file.read_text())["rows"]
    return [{"kernel": row["name"], "kind": row["kind"], "times": row["times"],
             "measured": row["seconds"] / row["times"],
             "predicted": row["predicted_seconds"] / row["times"],
             "limit": row["limit_seconds"] / row["times"]}
            for row in rows if row["category"] == "kernel" and row["times"]]


def find_modules(paths, match):
    """(name, file) of each module asked for."""
    for path in paths:
        files = [path] if path.is_file() else sorted(path.glob("*/module.hlo"))
        for file in files:
            name = file.parent.name if file.stem == "module" else file.stem
            if re.search(match, name):
                yield name, file


def print_kind(kind, kernels):
    measured, predicted = [k["measured"] for k in kernels], [k["predicted"] for k in kernels]
    ratios = [m / p for m, p in zip(measured, predicted)]
    near = sum(0.5 <= ratio <= 2 for ratio in ratios) / len(ratios)
    rank = rank_correlation(predicted, measured)
    print(f"{kind:12} {len(kernels):7} {rank:6.3f} {statistics.median(ratios):6.2f} {near:9.0%}")
    return rank


def print_worst(title, kernels):
    print(f"\n{title}\n{'measured us':>12} {'predicted':>10} {'ratio':>6}  kernel")
    for k in kernels:
        print(f"{1e6 * k['measured']:12.2f} {1e6 * k['predicted']:10.2f} "
              f"{k['measured'] / k['predicted']:6.2f}  {k['module']}: {k['kernel']} ({k['kind']})")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="+", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--mcpu")
    parser.add_argument("--match", default="")
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--worst", type=int, default=15)
    parser.add_argument("--least", type=float, default=-1)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--hlo-run", default=BUILD / "hlo-run")
    options = parser.parse_args()
    kernels, failed = [], []
    for name, module in find_modules(options.modules, options.match):
        try:
            kernels += [{"module": name} | kernel for kernel in profile(module, options)]
        except RuntimeError as error:
            failed.append(name)
            print(f"{name}: {error}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(kernels, indent=1))
    if not kernels:
        sys.exit("no kernels")
    print(f"{'':12} {'kernels':>7} {'rank':>6} {'ratio':>6} {'within 2':>9}")
    rank = print_kind("all", kernels)
    for kind in sorted({kernel["kind"] for kernel in kernels}):
        print_kind(kind, [kernel for kernel in kernels if kernel["kind"] == kind])
    kernels.sort(key=lambda kernel: kernel["measured"] / kernel["predicted"])
    print_worst("slower than predicted", kernels[::-1][:options.worst])
    print_worst("faster than predicted", kernels[:options.worst])
    sys.exit(bool(failed) or not rank >= options.least)


if __name__ == "__main__":
    main()
