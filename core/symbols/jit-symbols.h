/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that JIT compilers made at run time, from the lists that these compilers write: the
 * text file perf-PID.map ("BEGIN SIZE NAME", hexadecimal) and the jitdump file jit-PID.dump. A list
 * is read once.
 */
#ifndef STROBE_CORE_JIT_SYMBOLS_H
#define STROBE_CORE_JIT_SYMBOLS_H

#include <strobe/helpers/native-frame.h>

/* Is the file name of the frame's object that of such a list? */
int jit_symbols_lists(const StrobeNativeFrame *frame);

/* Returns the latest function at the frame's address; NULL: unknown. The list must be a regular
 * file that belongs to this user or to root. Valid until jit_symbols_close(). */
const char *jit_symbols_find(const StrobeNativeFrame *frame);

void jit_symbols_close(void);

#endif
