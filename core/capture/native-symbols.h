/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves frames of native code. A separate process, strobe-symbols, reads the ELF files: a
 * damaged or hostile file can end only that process. One thread at a time. */
#ifndef STROBE_CORE_NATIVE_SYMBOLS_H
#define STROBE_CORE_NATIVE_SYMBOLS_H

#include <glib.h>

typedef struct StrobeNativeSymbols StrobeNativeSymbols;

/* The process starts with the first frame. `program` is its path; NULL: this Strobe's own. */
StrobeNativeSymbols *strobe_native_symbols_new(const char *program);
void strobe_native_symbols_free(StrobeNativeSymbols *symbols);

/* The program ran on another machine: what lay there at or below the path `from` lies here at `to`.
 * From now on other objects without a build-id, and code that lies in no file, are not looked up.
 */
void strobe_native_symbols_move(StrobeNativeSymbols *symbols, const char *from, const char *to);

/* The functions at a frame's address as texts "function (object) file:line", innermost first:
 * the last is the function, the earlier ones are inlined in it. Without a line: "function
 * (object)". Without a name: "object+0x1200", the function's begin. Without any data:
 * "object+0x1234". NULL: it is not a frame of native code. */
char **strobe_native_symbols_resolve(StrobeNativeSymbols *symbols, const char *frame);

#endif
