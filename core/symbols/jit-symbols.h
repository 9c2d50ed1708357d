/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that compilers made at run time, from the compilers' lists: the text perf-PID.map
 * ("BEGIN SIZE NAME", hexadecimal) and jitdump, jit-PID.dump. A file is read once.
 */
#ifndef STROBE_CORE_JIT_SYMBOLS_H
#define STROBE_CORE_JIT_SYMBOLS_H

#include <strobe/helpers/native-frame.h>

/* Is the frame's object such a file, by its name? */
int jit_symbols_lists(const StrobeNativeFrame *frame);

/* The latest function at the frame's address; NULL: unknown. The file must be regular, and owned
 * by this user or root. Valid until jit_symbols_close(). */
const char *jit_symbols_find(const StrobeNativeFrame *frame);

void jit_symbols_close(void);

#endif
