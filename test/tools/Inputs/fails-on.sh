#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fails-on.sh TEXT FILE: prints an error and exits with 1 if the file has the text, with 0 if not.
grep -qF "$1" "$2" || exit 0
echo "$2:7:3: error: v17 is wrong" >&2
exit 1
