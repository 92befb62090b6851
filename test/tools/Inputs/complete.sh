# SPDX-License-Identifier: Apache-2.0
# complete.sh FILE FUNCTION LINE: what a completion for bash offers at the end of a line.
source "$1"
COMP_LINE=$3 COMP_POINT=${#3}
"$2"
[ ${#COMPREPLY[@]} = 0 ] || printf '%s\n' "${COMPREPLY[@]}"
