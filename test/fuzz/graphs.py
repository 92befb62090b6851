#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares compiled code with the evaluator on random modules (graph.py), and reduces what differs.

    test/fuzz/graphs.py --hlo-run PATH [--seed N] [--graphs N | --seconds S] [--jobs N] [--keep DIR] [--args "..."]...

Each graph is compiled with each of --args: without any, at several levels, for one thread and for two and for
two instruction sets, and for one processor of several; code that the processor here cannot run is only compiled.
The seed is printed; graph i of seed N is graph 0 of seed N + i. A graph that fails is printed with its
seed and cut down to few instructions, which also go to a file in DIR. Exit code 1 if any failed."""

import argparse
import concurrent.futures
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

from builder import POWERS, shape
from graph import Graph

CONFIGURATIONS = ["-O3 --threads=1", "-O3 --threads=2 --mcpu=x86-64-v3", "-O2 --mcpu=x86-64-v2", "-O0 --threads=1"]
# Processors with other widths, registers and caches than the instruction sets by themselves.
PROCESSORS = ["nehalem", "haswell", "skylake-avx512", "icelake-server", "sapphirerapids", "znver1", "znver3", "znver4", "znver5"]
REDUCTION_SECONDS = 60
CANNOT_RUN_HERE = "an instruction that this processor does not have"


def configurations(seed):
    """Those that a graph is compiled with when none is given."""
    return CONFIGURATIONS + [f"-O3 --threads=2 --mcpu={PROCESSORS[seed % len(PROCESSORS)]}"]


class Module:
    """The part of a graph that is left while it is reduced; `participants` are the numbers of replicas and partitions."""

    def __init__(self, instructions, outputs, computations, aliases, participants=(1, 1), rounded=()):
        self.instructions, self.outputs, self.computations, self.aliases = instructions, outputs, computations, aliases
        self.participants, self.rounded = participants, frozenset(rounded)

    def changed(self, instructions, outputs, aliases):
        return Module(instructions, outputs, self.computations, aliases, self.participants, self.rounded)

    def with_outputs(self, kept):
        """Only the outputs at these places."""
        aliases = [(kept.index(output), number) for output, number in self.aliases if output in kept]
        return self.changed(self.instructions, [self.outputs[i] for i in kept], aliases)

    def without_aliases(self):
        return self.changed(self.instructions, self.outputs, [])

    def live(self):
        """The instructions that the outputs need, parameters numbered in order, and their old numbers."""
        needed = {value.name for value in self.outputs}
        kept = []
        for name, type_text, rest in reversed(self.instructions):
            if name in needed:
                kept.append((name, type_text, rest))
                needed.update(re.findall(r"\w+", rest))
        kept.reverse()
        numbers = []
        for i, (name, type_text, rest) in enumerate(kept):
            if rest.startswith("parameter("):
                kept[i] = (name, type_text, f"parameter({len(numbers)})")
                numbers.append(int(rest[10:-1]))
        return kept, numbers

    def simplified(self):
        """Only what the outputs need."""
        instructions, numbers = self.live()
        aliases = [(output, numbers.index(number)) for output, number in self.aliases if number in numbers]
        return self.changed(instructions, self.outputs, aliases)

    def with_parameter(self, place):
        """The instruction at a place replaced by small numbers that are given; None if it cannot be."""
        name, type_text, rest = self.instructions[place]
        match = re.fullmatch(r"(\w+)(\[[\d,]*\])", type_text)
        if not match or name.startswith("g") or rest.startswith(("parameter(", "constant(", "convert(g")) or match[1] == POWERS:
            return None
        element, sizes = match.groups()
        if element in ("pred", "s32"):
            new = [(name, type_text, f"parameter({len(self.instructions) + place})")]
        else:
            given, five, spread, rem = (f"g{k}{name}" for k in range(4))
            new = [(given, f"s8{sizes}", f"parameter({len(self.instructions) + place})"), (five, "s8[]", "constant(5)"),
                   (spread, f"s8{sizes}", f"broadcast({five}), dimensions={{}}"),
                   (rem, f"s8{sizes}", f"remainder({given}, {spread})"), (name, type_text, f"convert({rem})")]
        return self.changed(self.instructions[:place] + new + self.instructions[place + 1:], self.outputs, self.aliases)

    def text(self):
        module = self.simplified()
        names = set(re.findall(r"\bc\d+\b", " ".join(rest for _, _, rest in module.instructions)))
        for name, body in reversed(self.computations.items()):  # each calls earlier ones
            if name in names:
                names.update(re.findall(r"=(c\d+)\b", body))
        header = "HloModule graph" + "".join(f", {name}={count}" for name, count in zip(("replica_count", "num_partitions"), self.participants) if count > 1)
        if module.aliases:
            header += ", input_output_alias={ " + ", ".join(f"{{{o}}}: ({p}, {{}}, may-alias)" for o, p in module.aliases) + " }"
        blocks = [f"{name} {{\n{body}\n}}" for name, body in self.computations.items() if name in names]
        types = ", ".join(shape(v.element, v.sizes) for v in self.outputs)
        lines = [f"  {name} = {type_text} {rest}" for name, type_text, rest in module.instructions]
        lines.append(f"  ROOT out = ({types}) tuple({', '.join(v.name for v in self.outputs)})")
        return "\n\n".join([header, *blocks, "ENTRY main {\n" + "\n".join(lines) + "\n}\n"])


    def options(self):
        """Exact results must agree to the bit, on as many participants as there are."""
        is_exact = not any(value.name in self.rounded for value in self.outputs)
        return ["--ulp=0"] * is_exact + [f"--{name}={count}" for name, count in zip(("replicas", "partitions"), self.participants) if count > 1]


def make_module(seed):
    graph = Graph(seed)
    return Module(graph.instructions, graph.outputs, graph.computations, graph.aliases, (graph.replicas, graph.partitions),
                  [value.name for value in graph.rounded])


class Runner:
    def __init__(self, hlo_run, work):
        self.hlo_run, self.work = hlo_run, work

    def fault(self, module, configuration, tag):
        """What is wrong with a module, as (kind, message); None if nothing."""
        path = self.work / f"{tag}.hlo"
        path.write_text(module.text())
        command = [self.hlo_run, path, "--compare", "--check-buffers", "--max-seconds=30", *configuration.split(), *module.options()]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120)
        except subprocess.TimeoutExpired:
            return "timeout", "no end within 120 seconds"
        if done.returncode == 0 or "exceeds its limit" in done.stderr:
            return None
        if CANNOT_RUN_HERE in done.stderr and configuration.endswith(tuple(PROCESSORS)):
            return None
        if done.returncode < 0:
            return done.returncode, f"signal {-done.returncode}"
        lines = [line for line in (done.stderr + done.stdout).splitlines() if "error" in line] or done.stderr.splitlines()[-1:] or [""]
        message = lines[0].replace(str(path), "module")
        kind = "differ" if "differ" in message else re.sub(r"'.*?'|\bv\d+\b|\d+", "", message)
        return (done.returncode, kind), message

    def reduced(self, module, configuration, kind, tag):
        """A smaller module with a fault of the same kind."""
        end = time.monotonic() + REDUCTION_SECONDS

        def fails(candidate):
            fault = self.fault(candidate, configuration, tag) if candidate and time.monotonic() < end else None
            return fault is not None and fault[0] == kind

        for i in range(len(module.outputs)):
            if fails(module.with_outputs([i])):
                module = module.with_outputs([i])
                break
        if module.aliases and fails(module.without_aliases()):
            module = module.without_aliases()
        module = module.simplified()
        place = len(module.instructions) - 1
        while place >= 0:
            candidate = module.with_parameter(place)
            if fails(candidate):
                module = candidate.simplified()
                place = min(place, len(module.instructions))
            place -= 1
        return module


def check(runner, seed, configurations):
    """The report on one graph, empty if it passes, and its reduced text."""
    module = make_module(seed)
    for configuration in configurations:
        fault = runner.fault(module, configuration, seed)
        if fault:
            text = runner.reduced(module, configuration, fault[0], seed).text()
            return f"seed {seed}, {configuration}: {fault[1]}\n{text}", text
    return "", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hlo-run", default="build/release/bin/hlo-run")
    parser.add_argument("--seed", type=int, default=random.randrange(1, 1 << 30))
    parser.add_argument("--graphs", type=int, default=100)
    parser.add_argument("--seconds", type=float, help="go on for so long, however many graphs that is")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=pathlib.Path, help="folder for what fails")
    parser.add_argument("--args", action="append", dest="configurations", metavar="ARGS")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    end = time.monotonic() + options.seconds if options.seconds else None
    done = failed = 0
    with tempfile.TemporaryDirectory(prefix="hloc-graphs-") as work, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runner = Runner(options.hlo_run, pathlib.Path(work))
        while end is None and done < options.graphs or end is not None and time.monotonic() < end:
            batch = min(8 * options.jobs, options.graphs - done) if end is None else options.jobs
            seeds = range(options.seed + done, options.seed + done + batch)
            for seed, (report, text) in zip(seeds, pool.map(lambda s: check(runner, s, options.configurations or configurations(s)), seeds)):
                if report:
                    failed += 1
                    print(report, flush=True)
                    if options.keep:
                        options.keep.mkdir(parents=True, exist_ok=True)
                        (options.keep / f"{seed}.hlo").write_text(text)
            done += batch
    print(f"{done - failed} of {done} graphs passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
