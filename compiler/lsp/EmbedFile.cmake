# SPDX-License-Identifier: Apache-2.0
# cmake -DINPUT=... -DOUTPUT=... -P EmbedFile.cmake: writes the bytes of a file as those of an array in C++.
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "${bytes}\n")
