/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves frames of native code. A process of its own, strobe-symbols, reads the ELF files: one
 * that is damaged or hostile ends that process and no more. One thread at a time. */
#ifndef STROBE_CORE_NATIVE_SYMBOLS_H
#define STROBE_CORE_NATIVE_SYMBOLS_H

#include <glib.h>

typedef struct StrobeNativeSymbols StrobeNativeSymbols;

/* The process starts with the first frame. `program`: its path; NULL: this Strobe's own. */
StrobeNativeSymbols *strobe_native_symbols_new(const char *program);
void strobe_native_symbols_free(StrobeNativeSymbols *symbols);

/* The functions at a frame's address as texts "function (object) file:line", innermost first: the
 * last is the function, those before are inlined in it. "function (object)" where no line is known,
 * "object+0x1200", the function's begin, where no name is, and "object+0x1234" where nothing is
 * known. NULL: it is no frame of native code. */
char **strobe_native_symbols_resolve(StrobeNativeSymbols *symbols, const char *frame);

#endif
