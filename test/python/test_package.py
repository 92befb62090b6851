# SPDX-License-Identifier: Apache-2.0
"""The package as it is installed: its libraries need nothing that a system with its glibc may lack."""

import importlib.metadata
import pathlib
import re
import shutil
import subprocess

import pytest

import hloc

# What every such system has, as the definition of manylinux lists it.
SYSTEM = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libgcc_s.so.1", "libstdc++.so.6",
          "libz.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
READELF = shutil.which("llvm-readelf-22") or shutil.which("readelf")
LIBRARIES = [file for file in pathlib.Path(hloc.__file__).parent.rglob("*.so*")]


@pytest.mark.skipif(not READELF, reason="no readelf")
@pytest.mark.parametrize("library", LIBRARIES, ids=lambda file: file.name)
def test_libraries_are_whole(library):
    dynamic = subprocess.run([READELF, "--dynamic", library], capture_output=True, text=True, check=True).stdout
    needed = set(re.findall(r"NEEDED.*\[(.*)\]", dynamic))
    assert needed <= SYSTEM | {file.name for file in LIBRARIES}


@pytest.mark.skipif(not READELF, reason="no readelf")
def test_tag_says_the_glibc():
    tag = re.search(r"^Tag: (.*)$", importlib.metadata.distribution("hloc").read_text("WHEEL"), re.M)[1]
    promised = int(re.search(r"-manylinux_2_(\d+)_", tag)[1])
    for library in LIBRARIES:
        versions = subprocess.run([READELF, "--version-info", library], capture_output=True, text=True,
                                  check=True).stdout
        assert all(int(minor) <= promised for minor in re.findall(r"GLIBC_2\.(\d+)", versions)), library
