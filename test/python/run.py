#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the wheel of the Python package with the libraries of a build, installs it into a fresh
environment and runs the tests there.

    run.py --source FOLDER --build FOLDER --work FOLDER [-k EXPRESSION]

Exit status 77, which ctest takes for "skipped", if the packages that this needs (nanobind,
scikit-build-core, pytest) cannot be installed, as without a network. The tests of JAX run if the
Python that runs this has JAX."""

import argparse
import importlib.util
import pathlib
import shutil
import subprocess
import sys

SKIPPED = 77


def main():
    parser = argparse.ArgumentParser()
    for name in ("source", "build", "work"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("-k", default="", help="only tests that match, as pytest -k")
    options = parser.parse_args()
    work = options.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)

    environment = [sys.executable, "-m", "venv", work / "venv"]
    if importlib.util.find_spec("jax"):
        environment.append("--system-site-packages")
    if subprocess.run(environment).returncode:
        print("skipped: this Python makes no environments (Debian's package python3-venv)")
        return SKIPPED
    python = work / "venv" / "bin" / "python"
    install = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    needed = ["scikit-build-core>=1.0", "nanobind>=2.4", "pytest", "numpy", "ml_dtypes"]
    if subprocess.run(install + needed).returncode:
        print("skipped: pip cannot install", *needed)
        return SKIPPED

    subprocess.run([python, "-m", "pip", "--disable-pip-version-check", "wheel", "--no-build-isolation", "--no-deps",
                    "--wheel-dir", work / "dist", options.source,
                    f"--config-settings=cmake.define.HLOC_BUILD_TREE={options.build.resolve()}"], check=True)
    wheel, = (work / "dist").glob("hloc-*.whl")
    print(f"{wheel.name}: {wheel.stat().st_size >> 20} MiB", flush=True)
    subprocess.run(install + ["--no-deps", "--force-reinstall", wheel], check=True)
    # Not in the source tree, whose python/hloc lacks what was compiled.
    tests = options.source.resolve() / "test" / "python"
    return subprocess.run([python, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "--rootdir", tests, tests,
                           *(["-k", options.k] if options.k else [])], cwd=work).returncode


if __name__ == "__main__":
    sys.exit(main())
