# SPDX-License-Identifier: Apache-2.0
# cmake -DFOLDER=... -DSCRIPTS=a.js;b.js -DOUTPUT=... -P EmbedPage.cmake: writes page.html of the folder, with the
# styles and the scripts in it, as the bytes of an array in C++.
file(READ ${FOLDER}/page.html page)
file(READ ${FOLDER}/page.css style)
set(script "")
foreach(file IN LISTS SCRIPTS)
  file(READ ${FOLDER}/${file} text)
  string(APPEND script "${text}\n")
endforeach()
string(REPLACE "@STYLE@" "${style}" page "${page}")
string(REPLACE "@SCRIPT@" "${script}" page "${page}")
file(WRITE ${OUTPUT}.html "${page}")
file(READ ${OUTPUT}.html bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "${bytes}\n")
