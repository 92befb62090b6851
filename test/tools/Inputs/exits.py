# SPDX-License-Identifier: Apache-2.0
"""exits.py STATUS COMMAND...: runs the command; fails unless it exits with exactly that status."""

import subprocess
import sys

expected, command = int(sys.argv[1]), sys.argv[2:]
status = subprocess.run(command).returncode
if status != expected:
    sys.exit(f"exit status {status} instead of {expected}: {' '.join(command)}")
