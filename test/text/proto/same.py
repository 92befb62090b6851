# SPDX-License-Identifier: Apache-2.0
"""Makes protocol buffers of their texts and compares what hlo-opt prints of each with what it prints of the
HLO text beside it: the same computations, in any order.

same.py HLO_OPT FOLDER X.textproto...: FOLDER gets X.pb. Each input stands beside X.hlo."""

import difflib
import pathlib
import subprocess
import sys

SCHEMA = pathlib.Path(__file__).resolve().parents[3] / "compiler/text/proto/hlo.proto"


def encode(text, message="HloModuleProto"):
    return subprocess.run(["protoc", f"--encode=hloc.proto.{message}", f"--proto_path={SCHEMA.parent}", SCHEMA.name],
                          input=text, stdout=subprocess.PIPE, check=True).stdout


def main():
    hlo_opt, folder, *inputs = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    same = True
    for path in map(pathlib.Path, inputs):
        file = folder / f"{path.stem}.pb"
        file.write_bytes(encode(path.read_bytes()))
        if not path.with_suffix(".hlo").exists():
            continue
        texts = [subprocess.run([hlo_opt, one], stdout=subprocess.PIPE, check=True, text=True).stdout
                 for one in (path.with_suffix(".hlo"), file)]
        texts = ["\n\n".join(sorted(text.rstrip().split("\n\n"))) for text in texts]
        if texts[0] == texts[1]:
            print(f"{path.stem}: the same")
            continue
        same = False
        print(*difflib.unified_diff(*(text.splitlines() for text in texts), f"{path.stem}.hlo", f"{path.stem}.pb",
                                    lineterm=""), sep="\n")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
