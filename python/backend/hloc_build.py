# SPDX-License-Identifier: Apache-2.0
"""scikit-build-core, but for the wheel's name, which tells the glibc that it needs: pip takes a manylinux_2_36 wheel
on systems with glibc 2.36 or later, and a linux one anywhere, also where it cannot be loaded."""

import os
import platform
import sysconfig

from scikit_build_core.build import *  # noqa: F403

# The C library of this machine is what the wheel's libraries are linked with. pyproject.toml reads this.
_library, _version = platform.libc_ver()
_platform = sysconfig.get_platform()
if _library == "glibc" and _platform.startswith("linux-"):
    os.environ.setdefault("HLOC_WHEEL_PLATFORM", _platform.replace("linux-", f"manylinux_{_version}_", 1))
