# SPDX-License-Identifier: Apache-2.0
"""page.py [--only-files] PAGE.md FOLDER: the blocks of a page of the documentation. Those with a file's name go there; those with
`of` before it have to be in that file, which is there, as they stand. Those of sh are run in their order in the
folder, and a line that begins with `!` has to fail; a block of text behind one has to be in what that prints. With --only-files nothing is run."""

import pathlib
import re
import subprocess
import sys

only_files = "--only-files" in sys.argv
page, folder = map(pathlib.Path, sys.argv[1 + only_files:])
folder.mkdir(parents=True, exist_ok=True)
blocks = re.findall(r"^```(\w+) *(of )?(\S*)\n(.*?)^```$", page.read_text(), re.M | re.S)
for _, of, name, text in blocks:
    if of and text not in (folder / name).read_text():
        sys.exit(f"{page}: this is not in {name}:\n{text}")
    if not of and "." in name:
        (folder / name).write_text(text)
printed = ""
for language, _, name, text in blocks:
    if only_files:
        continue
    if language == "text" and text not in printed:
        sys.exit(f"{page}: this was not printed:\n{text}but:\n{printed}")
    if language == "sh":
        printed = subprocess.run(["bash", "-ex", "-o", "pipefail", "-c", re.sub(r"^! (.*)", r"if \1; then exit 1; fi", text, flags=re.M)],
                                 cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout
        print(printed, end="")
