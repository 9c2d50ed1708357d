/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that compilers have made at run time, from the files in which these list them: the text
 * perf-PID.map ("BEGIN SIZE NAME", hexadecimal) and jitdump, jit-PID.dump. A file is read once.
 */
#ifndef STROBE_CORE_JIT_SYMBOLS_H
#define STROBE_CORE_JIT_SYMBOLS_H

#include <strobe/helpers/native-frame.h>

/* Is the frame's object such a file, by its name? */
int jit_symbols_lists(const StrobeNativeFrame *frame);

/* The function at the frame's address, the latest one that was made there; NULL: none is known. The
 * file must be regular, and this user's or root's. Valid until jit_symbols_close(). */
const char *jit_symbols_find(const StrobeNativeFrame *frame);

void jit_symbols_close(void);

#endif
