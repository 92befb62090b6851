// SPDX-License-Identifier: Apache-2.0
// What the sanitizers must ignore: the inside of oneTBB, which is not built with them.

extern "C" const char *__tsan_default_suppressions();
extern "C" const char *__tsan_default_suppressions() { return "called_from_lib:libtbb.so\n"; }
