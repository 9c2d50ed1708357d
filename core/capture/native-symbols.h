/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves frames of native code. A separate process, strobe-symbols, reads the ELF files: a
 * damaged or hostile file can end only that process. One thread at a time. */
#ifndef STROBE_CORE_NATIVE_SYMBOLS_H
#define STROBE_CORE_NATIVE_SYMBOLS_H

#include <glib.h>

typedef struct StrobeNativeSymbols StrobeNativeSymbols;

/* The process is started when the first frame is resolved. `program` is the path of its program;
 * NULL: the strobe-symbols of this installation. */
StrobeNativeSymbols *strobe_native_symbols_new(const char *program);
void strobe_native_symbols_free(StrobeNativeSymbols *symbols);

/* The program ran on another machine. After this call objects without a build-id, and code that is
 * in no file, are not looked up, except those of strobe_native_symbols_move(). */
void strobe_native_symbols_set_elsewhere(StrobeNativeSymbols *symbols);
/* The same, and the files at or below the path `from` on the other machine are at `to` on this
 * one. */
void strobe_native_symbols_move(StrobeNativeSymbols *symbols, const char *from, const char *to);

/* The functions at a frame's address as texts "function (object) file:line", innermost first: all
 * functions except the last are inlined. If no line is known: "function (object)". If no name is
 * known: "object+0x1200", the function's begin. If nothing is known: "object+0x1234", the frame's
 * address. NULL: the text is not a frame of native code. */
char **strobe_native_symbols_resolve(StrobeNativeSymbols *symbols, const char *frame);

#endif
