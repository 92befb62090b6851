# SPDX-License-Identifier: Apache-2.0
"""page.py PAGE.md FOLDER: the blocks of a page of the documentation. Those with a file's name go there; those of
sh are run in their order in the folder, and a line that begins with `!` has to fail."""

import pathlib
import re
import subprocess
import sys

page, folder = map(pathlib.Path, sys.argv[1:])
folder.mkdir(parents=True)
blocks = re.findall(r"^```(\w+) *(\S*)\n(.*?)^```$", page.read_text(), re.M | re.S)
for _, name, text in blocks:
    if name and "." in name:
        (folder / name).write_text(text)
for language, _, text in blocks:
    if language == "sh":
        print(subprocess.run(["bash", "-ex", "-o", "pipefail", "-c", re.sub(r"^! (.*)", r"if \1; then exit 1; fi", text, flags=re.M)],
                             cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout, end="")
