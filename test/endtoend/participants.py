#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs of several participants: as threads of one process, and as processes of mpirun.

    participants.py --hlo-run COMMAND [--mpirun "mpirun -n"] [--args "-O3"] [--timeout S] [FOLDER...]

A case is a folder as README.md describes, with inN.pD.npy and outN.pD.npy for participant D. Its module.hlo is
for partitions, replicas.hlo for replicas, global.hlo says nothing of their number. Each runs each way, and
a result must have the same bits as threads and as processes. FOLDER is a case, or a folder of cases whose
names begin with dist_ (default: participants/). Where inputs are not stored, inputs.py and compare.py
beside the case write and judge. Prints a line for each run that fails, then the counts; the exit status is
0 if none failed and any passed."""

import argparse
import collections
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

import npy
import run

MODULES = {"module.hlo": "partitions", "replicas.hlo": "replicas", "global.hlo": "partitions"}


def start(command, options):
    """What went wrong, or None."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return f"took more than {options.timeout:g} s"
    if done.returncode == 0:
        return None
    lines = (done.stderr + done.stdout).strip().splitlines() or [""]
    return f"exit status {done.returncode}: " + next((l for l in lines if "error" in l), lines[0])


def difference(case, spec, out):
    """What is wrong with the results in `out`, in words; None if nothing."""
    if not is_stored(spec):
        return start([sys.executable, "-B", case.parent / "compare.py", case.name, out], argparse.Namespace(timeout=120))
    for entry in spec["outputs"]:
        for file in entry["files"]:
            if not (out / file).exists():
                return f"{file} was not written"
            fault = run.difference(npy.Array(out / file), npy.Array(case / file), entry)
            if fault:
                return f"{file} ({entry['name']}): {fault}"
    return None


def is_stored(spec):
    return all(entry.get("stored", True) for entry in spec["inputs"])


def run_case(case, options, fail):
    """Runs one case every way; how often it passed. What fails is told to `fail`."""
    spec = json.loads((case / "case.json").read_text())
    count, passed = str(spec["participants"]), collections.Counter()
    with tempfile.TemporaryDirectory() as scratch:
        inputs = case
        if not is_stored(spec):
            inputs = pathlib.Path(scratch, "in")
            subprocess.run([sys.executable, "-B", case.parent / "inputs.py", case.name, inputs], check=True)
        for module, kind in MODULES.items():
            ways = {"threads": [*shlex.split(options.hlo_run), f"--{kind}={count}"]}
            if options.mpirun:
                ways["processes"] = [*shlex.split(options.mpirun), count, *shlex.split(options.hlo_run), "--mpi"]
            outs = []
            for way, command in ways.items():
                out = pathlib.Path(scratch, f"{module}-{way}")
                fault = start([*command, case / module, f"--inputs-from={inputs}", f"--outputs-to={out}",
                               *shlex.split(options.args)], options) or difference(case, spec, out)
                if not fault and outs and any((out / f.name).read_bytes() != f.read_bytes() for f in outs[0].iterdir()):
                    fault = "other bits than as threads"
                outs.append(out)
                if fault:
                    fail(f"FAIL {case.name}/{module} as {way}: {fault}")
                else:
                    passed[way] += 1
    return passed


def main():
    here = pathlib.Path(__file__).resolve().parent / "participants"
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=pathlib.Path, default=[here])
    parser.add_argument("--hlo-run", required=True)
    parser.add_argument("--mpirun", default="")
    parser.add_argument("--args", default="")
    parser.add_argument("--timeout", type=float, default=120)
    options = parser.parse_args()
    # OpenMPI's leave to run in a container, and with more processes than cores.
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
    cases = [c.resolve() for f in options.folders for c in ([f] if (f / "case.json").exists() else sorted(f.glob("dist_*")))]
    passed, failures = collections.Counter(), []
    for case in cases:
        def fail(message):
            failures.append(message)
            print(message, flush=True)
        passed += run_case(case, options, fail)
    counts = ", ".join(f"{number} as {way}" for way, number in passed.items())
    print(f"{len(cases)} cases, {sum(passed.values())} runs passed ({counts}), {len(failures)} failed")
    sys.exit(bool(failures) or not passed)


if __name__ == "__main__":
    main()
